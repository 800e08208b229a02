internal import Core
internal import Kernel
internal import Logging
internal import WalletAuthWire

/// The person in a verified identity token from Apple.
struct AppleIdentity: Sendable {
    /// The person's identifier within the team.
    let subject: String
    /// The client that the token is for.
    let clientID: String
    /// The e-mail address; it may belong to Apple's relay.
    let email: String?
    let isEmailVerified: Bool
    /// When Apple vouched for the person.
    let issuedAt: Timestamp
    /// When the person signed in at Apple, if the token says so.
    let authTime: Timestamp?
    /// The identifier that both teams know, for some weeks after a transfer of the app.
    let transferSubject: String?

    /// Reads the claims of a token that was verified for one of these clients.
    fileprivate init?(_ claims: JSONObject, clientIDs: [String]) {
        guard let subject = claims["sub"]?.string, let audience = JWTClaims(claims).audience,
            let clientID = clientIDs.first(where: audience.contains),
            let issuedAt = try? claims.date("iat")
        else { return nil }
        self.subject = subject
        self.clientID = clientID
        email = claims["email"]?.string
        // Apple sends a Boolean or a string.
        isEmailVerified = ProviderIDToken.flag(claims["email_verified"])
        self.issuedAt = Timestamp(seconds: issuedAt.secondsSince1970)
        authTime = (try? claims.date("auth_time")).map { Timestamp(seconds: $0.secondsSince1970) }
        transferSubject = claims["transfer_sub"]?.string
    }
}

struct AppleIdentityTokens: Sendable {
    /// The maximum age of a token without a nonce, whose freshness only its code proves.
    static let longestAge = Duration.minutes(5)

    private static let algorithms: Set<SigningAlgorithm> = [.rs256]

    let settings: AppleSettings
    let call: VendorContext

    /// The requirements for a token: RS256 only, signed with Apple's own keys.
    /// - Parameters:
    ///   - clientIDs: the acceptable clients.
    ///   - freshness: what binds the token to this sign-in.
    func expectation(
        clientIDs: [String], freshness: ProviderIDToken.Freshness
    ) -> ProviderIDToken.Expectation {
        var expected = ProviderIDToken.Expectation(
            issuer: settings.base, clientIDs: clientIDs, freshness: freshness)
        expected.algorithms = Self.algorithms
        return expected
    }

    /// Verifies the signature of a token.
    /// - Parameter bearer: the source of the token.
    /// - Throws: `ProviderIDToken.Refusal` for an invalid token, ``ProviderFailure`` if Apple's keys cannot be fetched.
    func signed(_ token: IDToken, broughtBy bearer: ProviderKeys.Bearer) async throws -> ProviderIDToken.Signed {
        let keys = ProviderKeys(
            at: settings.url(.keys), reach: settings.reach(in: call.context.settings.environment),
            from: call.context.providers)
        return try await keys.use(broughtBy: bearer, now: call.now) { (known) throws(ProviderIDToken.Refusal) in
            try ProviderIDToken.signed(token, by: known, algorithms: Self.algorithms)
        }
    }

    /// The person in a token that meets the requirements.
    /// - Parameter expected: the required claims.
    func identity(
        _ token: ProviderIDToken.Signed, _ expected: ProviderIDToken.Expectation
    ) throws(ProviderIDToken.Refusal) -> AppleIdentity {
        let claims = try ProviderIDToken.verified(
            token, for: expected, now: NumericDate(clamping: call.now.seconds))
        guard let identity = AppleIdentity(claims, clientIDs: expected.clientIDs) else {
            throw ProviderIDToken.Refusal.wrong(.malformed)
        }
        return identity
    }

    /// Logs why a token was refused, without personal data.
    func log(_ refusal: ProviderIDToken.Refusal) {
        call.context.logger.debug(
            "refused an identity token from Apple",
            metadata: ["provider": "\(call.provider)", "reason": "\(refusal)"])
    }
}
