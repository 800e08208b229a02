package import Core
package import WalletAuthWire

/// A stand-in for Sign in with Apple in the sandbox. It has the page, codes, rolling keys, errors and notifications of Apple's
/// service, so that you can try a complete sign-in on one machine.
///
/// This target owns Apple's part of each exchange. It does not own the server's part, `Apple`, which reaches the stand-in only
/// over HTTP, as it reaches Apple. It contains no secrets, and production has no route to it.
package struct AppleStandIn: Sendable {
    /// Its URL, which is the issuer of its identity tokens and the prefix of its endpoints.
    package let base: String
    let memory = StandInMemory()
    let keys = StandInKeys()
    private let clock: any Clock
    private let random: any RandomBytes

    /// - Parameter base: its URL, without a trailing slash.
    package init(base: String, clock: any Clock, random: any RandomBytes) {
        self.base = base
        self.clock = clock
        self.random = random
    }

    /// A request to the page at `/auth/authorize` or to the phone's sheet.
    package struct Request: Sendable, Hashable {
        /// The app's bundle ID, or a Services ID.
        package var clientID: String
        /// The return URL of the browser; `nil` for an app on a phone.
        package var redirectURI: String?
        /// Copied into the identity token.
        package var nonce: String?
    }

    /// The credential that Apple returns to an app, or posts to a page's return URL.
    package struct Credential: Sendable, Hashable {
        /// The authorization code. It works once, within five minutes.
        package let code: String
        package let idToken: String
        /// The person's identifier for the developer's team.
        package let user: String
    }

    /// Creates a credential after the person has consented on the page or the phone's sheet.
    /// - Throws: the library's error if it cannot create a key.
    package func credential(for request: Request, of person: StandInPerson) async throws -> Credential {
        let now = clock.now()
        let code = "c" + Base64URL.encode(random.bytes(24)) + ".0." + Base64URL.encode(random.bytes(6))
        await memory.keep(
            StandInMemory.Code(person: person, request: request, expiresAt: now + .minutes(5)), code: code, now: now)
        await memory.agree(person, client: request.clientID, now: now)
        let token = try await idToken(person, client: request.clientID, nonce: request.nonce, code: code, now: now)
        return Credential(code: code, idToken: token, user: person.subject(for: DeveloperTeam.sandbox.id))
    }

    /// `POST /auth/token`.
    /// - Throws: the library's error if it cannot create a key.
    package func token(_ form: FormParameters) async throws -> StandInAnswer {
        if let fault = await memory.fault { return .fault(fault) }
        let now = clock.now()
        guard let client = form["client_id"], let secret = form["client_secret"], let grant = form["grant_type"] else {
            return .refused(.invalidRequest, "client_id, client_secret or grant_type is missing.")
        }
        guard StandInClientSecret.isGood(secret, client: client, audience: base, now: now) else {
            return .refused(.invalidClient)
        }
        switch grant {
        case "authorization_code":
            guard let code = form["code"] else { return .refused(.invalidRequest, "The code is missing.") }
            return try await redeem(code, client: client, redirectURI: form["redirect_uri"], now: now)
        case "refresh_token":
            guard let token = form["refresh_token"] else {
                return .refused(.invalidRequest, "The refresh token is missing.")
            }
            guard let kept = StandInRefreshToken.open(token), kept.client == client,
                await memory.isAgreed(kept.person, client: client, since: kept.issuedAt)
            else { return .refused(.invalidGrant, "The token has expired or has been revoked.") }
            return try await tokens(of: kept.person, client: client, nonce: nil, refreshToken: nil, now: now)
        default: return .refused(.unsupportedGrantType)
        }
    }

    private func redeem(
        _ code: String, client: String, redirectURI: String?, now: Timestamp
    ) async throws -> StandInAnswer {
        switch await memory.redeem(code, now: now) {
        case .unknown: return .refused(.invalidGrant, "The code has expired or has been revoked.")
        case .used: return .refused(.invalidGrant, "The code has already been used.")
        case .good(let kept):
            guard kept.request.clientID == client else {
                return .refused(.invalidGrant, "client_id mismatch. The code was not issued to \(client).")
            }
            guard kept.request.redirectURI == redirectURI else {
                return .refused(.invalidGrant, "The redirect_uri does not match the previous authorization grant.")
            }
            let token = StandInRefreshToken(person: kept.person, client: client, issuedAt: now)
            return try await tokens(
                of: kept.person, client: client, nonce: kept.request.nonce,
                refreshToken: token.text(salt: random.bytes(6)), now: now)
        }
    }

    private func tokens(
        of person: StandInPerson, client: String, nonce: String?, refreshToken: String?, now: Timestamp
    ) async throws -> StandInAnswer {
        var json = JSONObject()
        json.set("access_token", "a" + Base64URL.encode(random.bytes(24)))
        json.set("token_type", "Bearer")
        json.set("expires_in", 3600)
        json.set("refresh_token", refreshToken)
        json.set("id_token", try await idToken(person, client: client, nonce: nonce, code: nil, now: now))
        return .json(200, json)
    }

    /// `POST /auth/revoke`: the response is empty, even for an unknown or already revoked token.
    package func revoke(_ form: FormParameters) async -> StandInAnswer {
        if let fault = await memory.fault { return .fault(fault) }
        guard let client = form["client_id"], let secret = form["client_secret"], let token = form["token"] else {
            return .refused(.invalidRequest, "client_id, client_secret or token is missing.")
        }
        let now = clock.now()
        guard StandInClientSecret.isGood(secret, client: client, audience: base, now: now) else {
            return .refused(.invalidClient)
        }
        if let kept = StandInRefreshToken.open(token), kept.client == client {
            await memory.withdraw(kept.person, client: client, now: now)
        }
        return .empty
    }

    /// `GET /auth/keys`: two keys. The next roll drops the older one.
    /// - Throws: the library's error if it cannot create a key.
    package func keySet() async throws -> StandInAnswer {
        if case .down = await memory.fault { return .down }
        return .json(200, try await keys.document())
    }

    /// Starts to sign with a new key, as Apple does without notice.
    /// - Throws: the library's error if it cannot create a key.
    package func rollKeys() async throws { try await keys.roll() }

    /// Whether a person's Apple settings list an app.
    package func lists(_ client: String, of person: StandInPerson) async -> Bool {
        await memory.isListed(person, client: client)
    }

    /// Breaks the service, or repairs it.
    /// - Parameter fault: the fault from now on; `nil` for none.
    package func setFault(_ fault: Fault?) async { await memory.setFault(fault) }

    /// A fault of the service.
    package enum Fault: Sendable, Hashable {
        /// Every endpoint responds with 503.
        case down
        /// The token and revocation endpoints refuse every request.
        case refusing(Refusal)
    }

    /// The errors in Apple's documentation. Requests cause some of them; the console can make the endpoints return any.
    package enum Refusal: String, Sendable, CaseIterable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedGrantType = "unsupported_grant_type"
        case invalidScope = "invalid_scope"
    }

    /// Creates a server-to-server notification as Apple posts it, and applies its event to the stand-in.
    /// - Parameter client: the app that gets the notification.
    /// - Returns: the JSON body.
    /// - Throws: the library's error if it cannot create a key.
    package func notification(_ event: Event, of person: StandInPerson, client: String) async throws -> [UInt8] {
        let now = clock.now()
        switch event {
        case .consentRevoked: await memory.withdraw(person, client: client, now: now)
        case .accountDelete: await memory.delete(person, now: now)
        case .emailDisabled, .emailEnabled: break
        }
        var details = JSONObject()
        details.set("type", event.rawValue)
        details.set("sub", person.subject(for: DeveloperTeam.sandbox.id))
        details.set("event_time", now.milliseconds)
        if event == .emailDisabled || event == .emailEnabled {
            details.set("email", person.email)
            details.set("is_private_email", person.hidesEmail ? "true" : "false")
        }
        var claims = JSONObject()
        claims.set("iss", base)
        claims.set("aud", client)
        claims.set("iat", now.seconds)
        claims.set("exp", now.seconds + 86_400)
        claims.set("jti", Base64URL.encode(random.bytes(16)))
        // Apple sends the event as JSON within a string.
        claims.set("events", JSONValue.object(details).text)
        var body = JSONObject()
        body.set("payload", try await keys.sign(claims.bytes))
        return body.bytes
    }

    /// The events of which Apple notifies an app's server.
    package enum Event: String, Sendable, CaseIterable {
        case consentRevoked = "consent-revoked"
        case accountDelete = "account-delete"
        case emailDisabled = "email-disabled"
        case emailEnabled = "email-enabled"
    }

    /// An identity token, with the code's hash if it accompanies a code.
    private func idToken(
        _ person: StandInPerson, client: String, nonce: String?, code: String?, now: Timestamp
    ) async throws -> String {
        var claims = JSONObject()
        claims.set("iss", base)
        claims.set("aud", client)
        claims.set("exp", now.seconds + 86_400)
        claims.set("iat", now.seconds)
        claims.set("sub", person.subject(for: DeveloperTeam.sandbox.id))
        claims.set("nonce", nonce)
        claims["nonce_supported"] = .bool(true)
        claims.set("c_hash", code.map(StandInKeys.halfHash))
        claims.set("email", person.email)
        // Apple used strings for years, and clients have to accept both.
        claims.set("email_verified", "true")
        claims.set("is_private_email", person.hidesEmail ? "true" : "false")
        claims.set("auth_time", now.seconds)
        return try await keys.sign(claims.bytes)
    }
}

package enum StandInAnswer: Sendable {
    /// JSON with a status.
    case json(Int, JSONObject)
    /// 200 without a body.
    case empty

    /// Apple uses 400 for every refusal.
    static func refused(_ error: AppleStandIn.Refusal, _ description: String? = nil) -> StandInAnswer {
        var json = JSONObject()
        json.set("error", error.rawValue)
        json.set("error_description", description)
        return .json(400, json)
    }

    static let down = StandInAnswer.json(503, JSONObject())

    static func fault(_ fault: AppleStandIn.Fault) -> StandInAnswer {
        switch fault {
        case .down: .down
        case .refusing(let refusal): .refused(refusal)
        }
    }
}
