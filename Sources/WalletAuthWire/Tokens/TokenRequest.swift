/// A request to the token endpoint (RFC 6749 §3.2).
public struct TokenRequest: Hashable, Sendable {
    /// The grant for the tokens.
    public enum Grant: Hashable, Sendable {
        /// A code with its verifier (RFC 6749 §4.1.3, RFC 7636 §4.5); nil is for a code whose request had no challenge. OAuth 2.1 no
        /// longer requires the redirect URI; if present, it must be the request's.
        case authorizationCode(AuthorizationCode, redirectURI: RedirectURI?, verifier: CodeVerifier?)
        /// A refresh token (RFC 6749 §6). Our SDK marks each refresh with an attempt; other clients send none.
        case refreshToken(RefreshToken, attempt: RefreshAttempt?)
        /// The client itself (RFC 6749 §4.4).
        case clientCredentials
        /// A refresh token of the system that the app's people come from (RFC 8693).
        case tokenExchange(RefreshToken)
        /// An access token of this server that a service received, for one with which it calls another service (RFC 8693). The
        /// audiences count like ``TokenRequest/resources``.
        case accessTokenExchange(AccessToken, audiences: [String] = [])
        /// A device whose holder decides on another one (RFC 8628 §3.4).
        case deviceCode(DeviceCode)
        /// A person who decides on their phone, whom the client named (OpenID CIBA Core 1.0 §10.1).
        case backchannel(AuthenticationRequestID)
    }

    /// The client.
    public var client: ClientAuthentication
    /// The grant.
    public var grant: Grant
    /// The requested scopes; nil requests all of the grant's.
    public var scope: Scope?
    /// The resources that the token is for (RFC 8707).
    public var resources: [String]

    /// Creates a request.
    /// - Parameters:
    ///   - client: the client.
    ///   - grant: the grant.
    ///   - scope: the requested scopes.
    ///   - resources: the resources that the token is for.
    public init(client: ClientAuthentication, grant: Grant, scope: Scope? = nil, resources: [String] = []) {
        self.client = client
        self.grant = grant
        self.scope = scope
        self.resources = resources
    }
}

/// The values of `grant_type`.
public enum GrantType: String, Hashable, Sendable, Codable, CaseIterable {
    /// A code.
    case authorizationCode = "authorization_code"
    /// A refresh token.
    case refreshToken = "refresh_token"
    /// The client itself.
    case clientCredentials = "client_credentials"
    /// A refresh token of another system, or an access token that was presented to the client.
    case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    /// A device whose holder decides on another one.
    case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
    /// A person whom the client named, and who decides on their phone.
    case backchannel = "urn:openid:params:grant-type:ciba"
}

extension TokenRequest {
    /// Reads a request.
    /// - Parameters:
    ///   - form: the body's parameters.
    ///   - authorization: the Authorization header, or nil.
    ///   - attestation: the OAuth-Client-Attestation header, or nil.
    /// - Throws: ``OAuthError`` according to RFC 6749 §5.2.
    public init(form: FormParameters, authorization: String?, attestation: String? = nil) throws(OAuthError) {
        guard let grantType = form["grant_type"] else { throw FormParameters.missing("grant_type") }
        guard let type = GrantType(rawValue: grantType) else {
            throw OAuthError(
                .unsupportedGrantType, MalformedValue(field: "grant_type", notOneOf: GrantType.self).description)
        }
        client = try ClientAuthentication(form: form, authorization: authorization, attestation: attestation)
        scope = try form.scope()
        resources = try ResourceIndicators.read(form)
        switch type {
        case .authorizationCode:
            grant = .authorizationCode(
                try form.requiredSecret(), redirectURI: try form.value("redirect_uri"),
                verifier: try form.secret())
        case .refreshToken: grant = .refreshToken(try form.requiredSecret(), attempt: try form.secret())
        case .clientCredentials: grant = .clientCredentials
        case .tokenExchange: grant = try Self.exchange(form)
        case .deviceCode: grant = .deviceCode(try form.requiredSecret())
        case .backchannel: grant = .backchannel(try form.requiredSecret())
        }
    }

    /// RFC 8693 §3.
    private static let refreshTokenType = "urn:ietf:params:oauth:token-type:refresh_token"

    private static func exchange(_ form: FormParameters) throws(OAuthError) -> Grant {
        guard let type = form["subject_token_type"] else { throw FormParameters.missing("subject_token_type") }
        guard form["actor_token"] == nil, form["actor_token_type"] == nil else {
            throw OAuthError(.invalidRequest, "actor_token is not supported: the client that asks is the actor")
        }
        let wanted = form["requested_token_type"]
        guard wanted == nil || wanted == TokenResponse.accessTokenType else {
            throw OAuthError(.invalidRequest, "requested_token_type must be \(TokenResponse.accessTokenType)")
        }
        switch type {
        case refreshTokenType:
            guard form["audience"] == nil else { throw OAuthError(.invalidTarget) }
            return .tokenExchange(try form.requiredSecret("subject_token"))
        case TokenResponse.accessTokenType:
            let audiences = form.values("audience")
            guard audiences.count <= ResourceIndicators.maximumCount else {
                throw OAuthError(.invalidTarget, "more than \(ResourceIndicators.maximumCount) audiences")
            }
            return .accessTokenExchange(try form.requiredSecret("subject_token"), audiences: audiences)
        default:
            throw OAuthError(
                .invalidRequest,
                "subject_token_type must be \(TokenResponse.accessTokenType), or \(refreshTokenType) of a former system"
            )
        }
    }

    /// The body's parameters. The headers come from ``ClientAuthentication/authorizationHeader`` and
    /// ``ClientAuthentication/attestationHeader``.
    public var form: FormParameters {
        var form = FormParameters()
        switch grant {
        case .authorizationCode(let code, let redirectURI, let verifier):
            form.append("grant_type", GrantType.authorizationCode.rawValue)
            form.append(secret: code)
            form.append("redirect_uri", redirectURI)
            form.append(secret: verifier)
        case .refreshToken(let token, let attempt):
            form.append("grant_type", GrantType.refreshToken.rawValue)
            form.append(secret: token)
            form.append(secret: attempt)
        case .clientCredentials:
            form.append("grant_type", GrantType.clientCredentials.rawValue)
        case .tokenExchange(let token):
            form.append("grant_type", GrantType.tokenExchange.rawValue)
            form.append("subject_token", token.reveal())
            form.append("subject_token_type", Self.refreshTokenType)
        case .accessTokenExchange(let token, let audiences):
            form.append("grant_type", GrantType.tokenExchange.rawValue)
            form.append("subject_token", token.reveal())
            form.append("subject_token_type", TokenResponse.accessTokenType)
            for audience in audiences { form.append("audience", audience) }
        case .deviceCode(let code):
            form.append("grant_type", GrantType.deviceCode.rawValue)
            form.append(secret: code)
        case .backchannel(let id):
            form.append("grant_type", GrantType.backchannel.rawValue)
            form.append(secret: id)
        }
        if let scope, !scope.isEmpty { form.append("scope", scope) }
        for resource in resources { form.append("resource", resource) }
        client.add(to: &form)
        return form
    }
}

extension TokenRequest: WireShaped {
    /// The parameters of all grants.
    public static let shape = WireShape.answer(
        TokenRequest.self,
        [
            .required("grant_type", .of(GrantType.self)), .optional("code", .of(AuthorizationCode.self)),
            .optional("redirect_uri", .of(RedirectURI.self)), .optional("code_verifier", .of(CodeVerifier.self)),
            .optional("refresh_token", .of(RefreshToken.self)), .optional("attempt", .of(RefreshAttempt.self)),
            .optional("subject_token", .of(PresentedToken.self)), .optional("subject_token_type", .text(nil)),
            .optional("requested_token_type", .choice([TokenResponse.accessTokenType])),
            .optional("audience", .array(.text(nil))),
            .optional("device_code", .of(DeviceCode.self)),
            .optional("auth_req_id", .of(AuthenticationRequestID.self)), .optional("scope", .of(Scope.self)),
            .optional("resource", .array(.text(nil))),
        ] + ClientAuthentication.members)
}
