internal import Core
internal import Kernel
internal import Logging
internal import Store
internal import WalletAuthWire
internal import Web

/// Validates an authorization request against the registrations. It redirects only once client and redirect URI are known to
/// belong together.
struct AuthorizationCheck: Sendable {
    let clients: ClientDocuments
    let database: any Database
    let issuer: Issuer
    let keyRing: KeyRing
    let hints: IDTokenHints
    let pushed: PushedRequests
    let logger: Logger

    enum Outcome: Sendable {
        case valid(AuthorizationRequest, RegisteredClient)
        /// A fault to report to the app.
        case redirect(AuthorizationRedirect, RegisteredClient)
        /// A fault to show on a page.
        case refused(AuthorizationFault)
    }

    /// Checks a new request.
    func check(_ form: FormParameters, now: Timestamp) async throws -> Outcome {
        guard form["request"] == nil || form["request_uri"] == nil else {
            let fault = OAuthError(.invalidRequest, "request and request_uri exclude each other")
            return .refused(.unusableRequestObject(fault))
        }
        // Any other URL is refused below, and never fetched.
        if let text = form["request_uri"], text.hasPrefix(PushedRequestURI.prefix) {
            return try await check(pushed: text, of: form["client_id"], now: now)
        }
        let signer = form["request"] == nil ? nil : try await client(named: form["client_id"], now: now)
        let parameters: AuthorizationParameters
        do {
            if let signer {
                parameters = try AuthorizationParameters(form, of: signer, issuer: issuer, now: now)
            } else {
                parameters = AuthorizationParameters(form)
            }
        } catch { return .refused(.unusableRequestObject(error)) }
        return try await check(parameters, now: now)
    }

    private func check(_ parameters: AuthorizationParameters, now: Timestamp) async throws -> Outcome {
        let request: AuthorizationRequest
        do {
            request = try AuthorizationRequest(parameters)
        } catch {
            switch error {
            case .showPage(let fault):
                guard let client = try await client(named: parameters.form["client_id"], now: now) else {
                    return .refused(.unknownClient)
                }
                return Self.mismatch(parameters.form["redirect_uri"], client, fault.detail)
            case .redirect(let target, let fault):
                guard let client = try await clients.find(target.clientID, now: now) else {
                    return .refused(.unknownClient)
                }
                guard Self.allows(target.redirectURI, client) else {
                    return Self.mismatch(target.redirectURI.rawValue, client)
                }
                return .redirect(
                    redirect(
                        fault, to: target.redirectURI, mode: target.responseMode, state: target.state, of: client),
                    client)
            }
        }
        let outcome = try await check(request, now: now)
        if case .valid(_, let client) = outcome { logIgnoredScopes(of: request, client) }
        return outcome
    }

    /// Checks a request that was pushed. What the URL says besides it counts for nothing (RFC 9126 §4, RFC 9101 §6.3).
    private func check(pushed text: String, of client: String?, now: Timestamp) async throws -> Outcome {
        guard let client = try await self.client(named: client, now: now) else { return .refused(.unknownClient) }
        guard let uri = try? PushedRequestURI(text), let request = try await pushed.find(uri, now: now),
            request.clientID == client.id
        else { return .refused(.unusableRequestURI) }
        return try await check(request, now: now)
    }

    private func client(named text: String?, now: Timestamp) async throws -> RegisteredClient? {
        guard let id = text.flatMap({ try? ClientID($0) }) else { return nil }
        return try await clients.find(id, now: now)
    }

    /// The app sees what it got by the token response's `scope`, which few read: a misspelled one would never be found.
    func logIgnoredScopes(of request: AuthorizationRequest, _ client: RegisteredClient) {
        let ignored = request.scope.tokens.filter { !client.scope.contains($0) }
        guard !ignored.isEmpty else { return }
        var metadata: Logger.Metadata = [
            "client": .string(client.id.rawValue), "scope": .string(OAuthRefusal.shown(ignored)),
        ]
        // Anyone can send a request: what the comparison costs is bounded.
        let compared = ignored.prefix(8).filter { $0.utf8.count <= 64 }
        let meant = compared.compactMap { Spelling.correction(of: $0, among: client.scope.tokens) }
        if !meant.isEmpty { metadata["meant"] = .string(meant.joined(separator: " ")) }
        logger.info("scopes ignored that the client is not registered for", metadata: metadata)
    }

    /// Checks a parsed request, also again when a person returns to a page: the client may have changed in the meantime.
    /// - Parameter isOfDevice: whether a device asked for it, so that nothing is sent to its redirect URI.
    func check(
        _ request: AuthorizationRequest, ofDevice isOfDevice: Bool = false, now: Timestamp
    ) async throws -> Outcome {
        guard let client = try await clients.find(request.clientID, now: now) else {
            return .refused(.unknownClient)
        }
        guard isOfDevice ? client.mayUseDeviceGrant : Self.allows(request.redirectURI, client) else {
            return Self.mismatch(request.redirectURI.rawValue, client)
        }
        // A device's request never travels: it is neither pushed nor signed.
        if !isOfDevice, client.requiresPushedRequests, request.requestURI == nil {
            let fault = OAuthError(.invalidRequest, "the client has to push its requests (RFC 9126)")
            return .redirect(redirect(fault, for: request, of: client), client)
        }
        if let fault = try await fault(in: request, ofDevice: isOfDevice, client) {
            return .redirect(redirect(fault, for: request, of: client), client)
        }
        var checked = request
        checked.scope = Self.granted(request, to: client)
        return .valid(checked, client)
    }

    func redirect(
        _ fault: OAuthError, for request: AuthorizationRequest, of client: RegisteredClient
    ) -> AuthorizationRedirect {
        redirect(fault, to: request.redirectURI, mode: request.responseMode, state: request.state, of: client)
    }

    func redirect(
        _ code: AuthorizationCode, for request: AuthorizationRequest, of client: RegisteredClient
    ) -> AuthorizationRedirect {
        AuthorizationRedirect(
            AuthorizationResponse(.code(code), state: request.state, issuer: issuer),
            to: request.redirectURI, mode: request.responseMode, of: client)
    }

    /// Signs a response of an app that asked for it (JARM §2.1), with the key of its ID tokens.
    func signed(
        _ redirect: AuthorizationRedirect, for client: RegisteredClient, now: Timestamp
    ) throws -> AuthorizationRedirect {
        guard redirect.isSigned else { return redirect }
        var claims = JSONObject()
        claims.set("iss", issuer)
        claims.set("aud", client.id)
        claims.set("exp", NumericDate(clamping: (now + Self.responseLifetime).seconds))
        // `iss` is a claim already.
        for (name, value) in redirect.parameters where name != "iss" { claims.set(name, value) }
        var redirect = redirect
        redirect.response = try keyRing.signer(client.idTokenAlgorithm).message(claims.bytes, type: .jwt)
        return redirect
    }

    /// The longest that JARM §2.1 recommends.
    private static let responseLifetime = Duration.minutes(10)

    private func redirect(
        _ fault: OAuthError, to uri: RedirectURI, mode: AuthorizationRequest.ResponseMode, state: OAuthState?,
        of client: RegisteredClient
    ) -> AuthorizationRedirect {
        AuthorizationRedirect(
            AuthorizationResponse(.error(fault), state: state, issuer: issuer), to: uri, mode: mode, of: client)
    }

    /// - Parameter fault: why the URI is malformed.
    private static func mismatch(_ received: String?, _ client: RegisteredClient, _ fault: String? = nil) -> Outcome {
        let usable = client.redirectURIs.filter { allows($0, client) }
        return .refused(
            .unregisteredRedirectURI(RedirectMismatch(received: received, registered: usable, fault: fault)))
    }

    /// Whether the URI is registered exactly and, if the client has a site, under it. Custom schemes and loopback have no site.
    static func allows(_ uri: RedirectURI, _ client: RegisteredClient) -> Bool {
        guard client.allows(uri) else { return false }
        guard uri.kind == .https, let site = client.settings.siteURL.flatMap({ try? WebURL($0) }) else { return true }
        return uri.lies(under: site)
    }

    private func isTaken(
        _ strategy: AuthorizationRequest.LoginStrategy, _ request: AuthorizationRequest, _ client: RegisteredClient
    ) async throws -> Bool {
        let brand = try client.brand ?? request.brand ?? client.accountBrand
        return try await database.read { try strategy.isTaken(by: brand, on: $0) }
    }

    /// Scopes that the client may not request are ignored (OpenID Connect Core §3.1.2.1); the token response lists the granted ones.
    /// A request with authorization details that names no scope asks for none.
    private static func granted(_ request: AuthorizationRequest, to client: RegisteredClient) -> Scope {
        if request.scope.isEmpty, request.authorizationDetails == nil { return client.scope }
        // A claim is asked for, shown and remembered with its scope. A payment is authorized alone.
        let claimed = request.authorizationDetails == nil ? request.claims?.scopes ?? [] : []
        guard request.scope.contains("openid"), let wanted = try? Scope(tokens: request.scope.tokens + claimed) else {
            return request.scope.intersection(client.scope)
        }
        return wanted.intersection(client.scope)
    }

    /// Why a client may not ask for the details of a request (RFC 9396 §5).
    private static func fault(inDetailsOf request: AuthorizationRequest, _ client: RegisteredClient) -> OAuthError? {
        switch request.authorizationDetails.flatMap({ client.fault(in: $0, with: request.scope) }) {
        case nil: nil
        case .type(let type):
            OAuthError(
                .invalidAuthorizationDetails,
                "the client may not ask for \(type); its operator can allow it with walletauth client update")
        case .scope:
            OAuthError(.invalidScope, "a payment is authorized alone: its request has no scope but openid")
        }
    }

    /// A client that may leave PKCE out needs what takes its place: the nonce in its ID token ties the code to its own request
    /// (RFC 9700 §2.1.1).
    private static func fault(withoutPKCE request: AuthorizationRequest, _ client: RegisteredClient) -> OAuthError? {
        guard request.codeChallenge == nil else { return nil }
        guard client.mayOmitPKCE else { return OAuthError(.invalidRequest, "code_challenge is missing") }
        guard request.nonce != nil, granted(request, to: client).contains("openid") else {
            return OAuthError(.invalidRequest, "without code_challenge, a request needs nonce and the scope openid")
        }
        return nil
    }

    /// Why a request to a registered redirect URI is refused.
    func fault(
        in request: AuthorizationRequest, ofDevice isOfDevice: Bool = false, _ client: RegisteredClient
    ) async throws -> OAuthError? {
        if let fault = Self.fault(withoutPKCE: request, client) { return fault }
        if !isOfDevice, client.requiresSignedRequests, request.requestObject == nil {
            return OAuthError(.invalidRequest, "the client has to sign its requests (RFC 9101)")
        }
        if let scope = request.scope.tokens.first, request.scope.intersection(client.scope).isEmpty {
            return OAuthError(
                .invalidScope,
                "the client may not request the scope \(scope); its operator can add it with walletauth client update")
        }
        if let fault = Self.fault(inDetailsOf: request, client) { return fault }
        guard client.audience(for: request.resources, issuer: issuer) != nil else {
            return OAuthError(.invalidTarget, "the client may not request this resource")
        }
        if let brand = request.brand, let own = client.brand, brand != own {
            return OAuthError(.invalidRequest, "the client belongs to another brand")
        }
        if let url = request.resetCredentialsURL, !client.allows(resetCredentialsURL: url) {
            return OAuthError(.invalidRequest, "reset_credentials_url is not registered")
        }
        // An unknown class cannot be reached: refuse before the person types a password (RFC 9470 §5).
        if !request.acrValues.isEmpty, Set(request.acrValues).isDisjoint(with: AuthenticationStrength.all) {
            return OAuthError(.unmetAuthenticationRequirements, "acr_values names no class that this server supports")
        }
        if let strategy = request.loginStrategy, try await !isTaken(strategy, request, client) {
            return OAuthError(.invalidRequest, "the brand does not offer this login_strategy")
        }
        return nil
    }
}

extension AuthorizationRedirect {
    init(
        _ response: AuthorizationResponse, to uri: RedirectURI, mode: AuthorizationRequest.ResponseMode,
        of client: RegisteredClient
    ) {
        self.init(
            redirectURI: uri.rawValue, app: client.name, mode: mode.isFormPost ? .formPost : .query,
            parameters: response.form.parameters.map { (name: $0.name, value: $0.value) }, isSigned: mode.isSigned)
    }
}

extension AuthorizationCheck {
    /// The address that begins a request again; of a pushed or signed one, as long as its reference or its object is valid. For a device,
    /// the person types the code again.
    func beginning(of request: AuthorizationRequest) -> String {
        let devicePage = issuer.url(path: Endpoints.devicePage.path)
        if request.redirectURI.rawValue == devicePage { return devicePage }
        var request = request
        // The page was opened in time.
        request.expiresAt = nil
        return issuer.url(path: Endpoints.authorize.path) + "?" + request.form.encoded
    }
}
