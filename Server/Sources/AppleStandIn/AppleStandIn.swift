package import AuthCore
package import WalletAuthWire

/// A stand-in for Sign in with Apple, for the sandbox alone: the page, the codes, the rolling keys, the errors and the
/// notifications that Apple's service has, so that a sign-in can be tried from end to end on one machine.
///
/// It owns what Apple would answer. It does not own what this server does with the answers: that is `AppleSignIn`, which meets
/// the stand-in by HTTP alone, as it meets Apple. Nothing in here is secret, and production has no route to it.
package struct AppleStandIn: Sendable {
    /// Where it is: the issuer of its identity tokens, and what its endpoints lie below.
    package let base: String
    let memory = StandInMemory()
    let keys = StandInKeys()
    private let clock: any Clock
    private let random: any RandomBytes

    /// - Parameters:
    ///   - base: its URL, without a slash at the end.
    ///   - clock: the time.
    ///   - random: unpredictable bytes for codes.
    package init(base: String, clock: any Clock, random: any RandomBytes) {
        self.base = base
        self.clock = clock
        self.random = random
    }

    /// What the page of `/auth/authorize` and the sheet of a phone ask for.
    package struct Request: Sendable, Hashable {
        /// The app's bundle id, or a Services ID.
        package var clientID: String
        /// Where the browser goes back to; `nil` for an app on a phone.
        package var redirectURI: String?
        /// The nonce, which comes back in the identity token as it is.
        package var nonce: String?

        /// Each parameter is the property of its name.
        package init(clientID: String, redirectURI: String?, nonce: String?) {
            self.clientID = clientID
            self.redirectURI = redirectURI
            self.nonce = nonce
        }
    }

    /// What Apple hands to an app, or posts to a page's return URL.
    package struct Credential: Sendable, Hashable {
        /// The authorization code: five minutes, once.
        package let code: String
        /// The identity token.
        package let idToken: String
        /// The person's identifier for the developer's team.
        package let user: String
    }

    /// A person agrees on the page or on the phone's sheet.
    /// - Parameters:
    ///   - request: what the app asked for.
    ///   - person: who agrees.
    /// - Throws: what the library throws where no key can be made.
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
    /// - Parameter form: the form's parameters.
    /// - Throws: what the library throws where no key can be made.
    package func token(_ form: FormParameters) async throws -> StandInAnswer {
        if await memory.isDown { return .down }
        let now = clock.now()
        guard let client = form["client_id"], let secret = form["client_secret"], let grant = form["grant_type"] else {
            return .refused("invalid_request", "client_id, client_secret or grant_type is missing.")
        }
        guard StandInClientSecret.isGood(secret, client: client, audience: base, now: now) else {
            return .refused("invalid_client")
        }
        switch grant {
        case "authorization_code":
            guard let code = form["code"] else { return .refused("invalid_request", "The code is missing.") }
            return try await redeem(code, client: client, redirectURI: form["redirect_uri"], now: now)
        case "refresh_token":
            guard let token = form["refresh_token"] else {
                return .refused("invalid_request", "The refresh token is missing.")
            }
            guard let kept = StandInRefreshToken.open(token), kept.client == client,
                await memory.isAgreed(kept.person, client: client, since: kept.issuedAt)
            else { return .refused("invalid_grant", "The token has expired or has been revoked.") }
            return try await tokens(of: kept.person, client: client, nonce: nil, refreshToken: nil, now: now)
        default: return .refused("unsupported_grant_type")
        }
    }

    private func redeem(
        _ code: String, client: String, redirectURI: String?, now: Timestamp
    ) async throws -> StandInAnswer {
        switch await memory.redeem(code, now: now) {
        case .unknown: return .refused("invalid_grant", "The code has expired or has been revoked.")
        case .used: return .refused("invalid_grant", "The code has already been used.")
        case .good(let kept):
            guard kept.request.clientID == client else {
                return .refused("invalid_grant", "client_id mismatch. The code was not issued to \(client).")
            }
            guard kept.request.redirectURI == redirectURI else {
                return .refused("invalid_grant", "The redirect_uri does not match the previous authorization grant.")
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

    /// `POST /auth/revoke`: an empty answer, also for a token that is unknown or already revoked.
    /// - Parameter form: the form's parameters.
    package func revoke(_ form: FormParameters) async -> StandInAnswer {
        if await memory.isDown { return .down }
        guard let client = form["client_id"], let secret = form["client_secret"], let token = form["token"] else {
            return .refused("invalid_request", "client_id, client_secret or token is missing.")
        }
        let now = clock.now()
        guard StandInClientSecret.isGood(secret, client: client, audience: base, now: now) else {
            return .refused("invalid_client")
        }
        if let kept = StandInRefreshToken.open(token), kept.client == client {
            await memory.withdraw(kept.person, client: client, now: now)
        }
        return .empty
    }

    /// `GET /auth/keys`: two keys, the older of which goes with the next roll.
    /// - Throws: what the library throws where no key can be made.
    package func keySet() async throws -> StandInAnswer {
        if await memory.isDown { return .down }
        return .json(200, try await keys.document())
    }

    /// Takes a new key into use, as Apple does without notice.
    /// - Throws: what the library throws where no key can be made.
    package func rollKeys() async throws { try await keys.roll() }

    /// Whether an app is among those that a person's Apple settings list.
    package func lists(_ client: String, of person: StandInPerson) async -> Bool {
        await memory.isListed(person, client: client)
    }

    /// Has every endpoint answer 503, or serve again.
    package func setDown(_ isDown: Bool) async { await memory.setDown(isDown) }

    /// A server-to-server notification, as Apple posts it; what it tells has happened by then.
    /// - Parameters:
    ///   - event: what happened.
    ///   - person: to whom.
    ///   - client: the app that is told.
    /// - Returns: the JSON body.
    /// - Throws: what the library throws where no key can be made.
    package func notification(_ event: Event, of person: StandInPerson, client: String) async throws -> [UInt8] {
        let now = clock.now()
        switch event {
        case .consentRevoked: await memory.withdraw(person, client: client, now: now)
        case .accountDelete: await memory.delete(person, now: now)
        case .emailDisabled, .emailEnabled: break
        }
        var told = JSONObject()
        told.set("type", event.rawValue)
        told.set("sub", person.subject(for: DeveloperTeam.sandbox.id))
        told.set("event_time", now.milliseconds)
        if event == .emailDisabled || event == .emailEnabled {
            told.set("email", person.email)
            told.set("is_private_email", person.hidesEmail ? "true" : "false")
        }
        var claims = JSONObject()
        claims.set("iss", base)
        claims.set("aud", client)
        claims.set("iat", now.seconds)
        claims.set("exp", now.seconds + 86_400)
        claims.set("jti", Base64URL.encode(random.bytes(16)))
        // Apple sends the event as text that holds JSON.
        claims.set("events", JSONValue.object(told).text)
        var body = JSONObject()
        body.set("payload", try await keys.sign(claims.bytes))
        return body.bytes
    }

    /// What Apple tells an app's server about a person.
    package enum Event: String, Sendable, CaseIterable {
        case consentRevoked = "consent-revoked"
        case accountDelete = "account-delete"
        case emailDisabled = "email-disabled"
        case emailEnabled = "email-enabled"
    }

    /// An identity token; the code's hash is in those that come beside a code.
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
        // Text, as Apple wrote it for years: a reader has to take both.
        claims.set("email_verified", "true")
        claims.set("is_private_email", person.hidesEmail ? "true" : "false")
        claims.set("auth_time", now.seconds)
        return try await keys.sign(claims.bytes)
    }
}

/// An answer of the stand-in.
package enum StandInAnswer: Sendable {
    /// JSON with a status.
    case json(Int, JSONObject)
    /// 200 without a body.
    case empty

    /// Apple answers every refusal with 400.
    static func refused(_ error: String, _ description: String? = nil) -> StandInAnswer {
        var json = JSONObject()
        json.set("error", error)
        json.set("error_description", description)
        return .json(400, json)
    }

    static let down = StandInAnswer.json(503, JSONObject())
}
