import WalletAuthTransport
import WalletAuthWire

/// Identifies one session among all that ever existed on this device: each sign-in and each sign-out creates a new one.
/// Any long operation carries the generation it began in, and is void once that has ended.
struct SessionGeneration: Hashable, Sendable, Codable {
    private let text: String

    static func new() -> SessionGeneration { SessionGeneration(text: Randomness.token()) }

    private init(text: String) { self.text = text }
    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// A person's session, as stored between the runs of an app.
struct Session: Hashable, Sendable, Codable {
    var owner: TokenOwner
    var scopes: [String]
    var accessToken: AccessToken
    var tokenType: TokenType
    var life: TokenLifetime
    var refreshToken: RefreshToken?
    /// The thumbprint of the key the tokens are bound to; nil for bearer tokens.
    var keyThumbprint: JWKThumbprint?
    var renewal: Renewal
    /// Apple's identifier for the person, if Sign in with Apple opened the session; nil for others.
    var appleUser: String?
    /// How many renewals in a row the server answered with neither tokens nor a reason.
    var unexplainedAnswers = 0
    /// Whether the refresh token came with an answer whose owner could not be determined. The next answer is then
    /// accepted only if it names the session's person.
    var isRefreshTokenUnjudged = false
    /// What the server said about the sign-in; nil if the app supplied the token.
    var authentication: Authentication?
    /// The newest ID token, which may have expired. It names the person to the server's page (`id_token_hint`).
    var idToken: IDToken?

    /// How and when the person signed in, as the server's tokens say.
    struct Authentication: Hashable, Sendable, Codable {
        var acr: String?
        var authenticatedAt: Instant?
        /// Whether the server answered a step-up by the sign-in before it.
        var isFormer = false

        /// Reads the ID token and, for what it leaves out, a JWT access token (RFC 9068).
        init(_ idToken: IDTokenClaims?, _ accessToken: JWTClaims?) {
            acr = idToken?.acr ?? accessToken?.object["acr"]?.string
            // As in an ID token, 0 says that the server does not know.
            let claim = (try? accessToken?.date("auth_time")).flatMap { $0.secondsSince1970 > 0 ? $0 : nil }
            authenticatedAt = (idToken?.authenticatedAt ?? claim).map { Instant($0) }
        }

        /// The part of `requirements` that this does not confirm; nil if it confirms all of them.
        func unconfirmed(of requirements: AuthenticationRequirements, at now: Instant) -> AuthenticationRequirements? {
            var missing = AuthenticationRequirements()
            if !requirements.acrValues.isEmpty, !hasReached(requirements.acrValues) {
                missing.acrValues = requirements.acrValues
            }
            if let age = requirements.maximumAge {
                // Also tolerates what the page and the way back took, as the check of an ID token does.
                let limit = authenticatedAt.map { $0 + .seconds(age) + .seconds(60) }
                let isTooOld = limit.map { now > $0 } ?? true
                if isTooOld || (age == 0 && isFormer) { missing.maximumAge = age }
            }
            return missing == AuthenticationRequirements() ? nil : missing
        }

        private func hasReached(_ classes: [String]) -> Bool {
            guard let acr else { return false }
            // Two factors are also one.
            let isStronger = acr == "urn:wallet-auth:acr:2fa" && classes.contains("urn:wallet-auth:acr:1fa")
            return classes.contains(acr) || isStronger
        }
    }

    /// The progress of a renewal.
    enum Renewal: Hashable, Sendable, Codable {
        case idle
        /// A refresh request with this attempt may have reached the server. Until its answer is stored, every refresh
        /// repeats the attempt, so that the server returns the same successor.
        case begun(RefreshAttempt)
    }
}

/// The owner of a token.
struct TokenOwner: Hashable, Sendable, Codable {
    var subject: String?
    var merchantID: String?
    var sessionID: String?
}

extension TokenOwner {
    init(subject: String? = nil, merchantID: String?) {
        self.init(subject: subject, merchantID: merchantID, sessionID: nil)
    }

    /// Fills in missing values from a JWT access token.
    mutating func complete(from claims: UnverifiedClaims?) {
        guard let claims = claims?.claims else { return }
        subject = subject ?? claims.subject
        merchantID = merchantID ?? claims.object["merchant_id"]?.string
        sessionID = sessionID ?? claims.object["sid"]?.string
    }

    func completed(by other: TokenOwner) -> TokenOwner {
        TokenOwner(
            subject: subject ?? other.subject, merchantID: merchantID ?? other.merchantID,
            sessionID: sessionID ?? other.sessionID)
    }

    /// Whether the server may consider both tokens part of one session, so that revoking one ends the other (RFC 7009
    /// §2.1). `sid` decides; if either has none, all tokens with the same `sub` may belong together.
    func mayShareServerSession(with other: TokenOwner) -> Bool {
        if let sessionID, let other = other.sessionID { return sessionID == other }
        guard let subject, let other = other.subject else { return false }
        return subject == other
    }

    /// The merchant to name in a new sign-in of the same owner; nil for none.
    var merchant: MerchantID? { merchantID.flatMap { try? MerchantID($0) } }

    /// Whether `other` can be the same person at the same merchant: values that both have must match.
    func allows(_ other: TokenOwner) -> Bool {
        func agree(_ a: String?, _ b: String?) -> Bool { a == nil || b == nil || a == b }
        return agree(subject, other.subject) && agree(merchantID, other.merchantID)
    }
}

/// When an access token was issued and expires, in server time. `lifetime` limits the effect of a clock that was
/// changed between two runs of the app.
struct TokenLifetime: Hashable, Sendable, Codable {
    var endsAt: Instant?
    var lifetime: Duration?

    static let unknown = TokenLifetime(endsAt: nil, lifetime: nil)

    init(endsAt: Instant?, lifetime: Duration?) {
        self.endsAt = endsAt
        self.lifetime = lifetime
    }

    init(issuedAt: Instant, lifetime: Duration) {
        endsAt = issuedAt + lifetime
        self.lifetime = lifetime
    }

    /// The remaining validity at `now`; nil if the server never said it.
    func remaining(at now: Instant) -> Duration? {
        guard let endsAt else { return nil }
        let left = endsAt - now
        return lifetime.map { min(left, $0) } ?? left
    }
}
