internal import AuthCore
internal import AuthFlows
internal import Logging
internal import WalletAuthWire

/// What an identity token of Apple's says of a person, once it was verified.
struct AppleIdentity: Sendable {
    /// The person within the team.
    let subject: String
    /// The client that the token is for.
    let clientID: String
    /// The address, which may be one of Apple's relay.
    let email: String?
    let isEmailVerified: Bool
    /// When Apple vouched for the person.
    let issuedAt: Timestamp
    /// When the person signed in at Apple, where the token says so.
    let authTime: Timestamp?
    /// Who the person was for the app's former team, for a while after its transfer.
    let transferSubject: String?

    /// Reads claims that were verified for one of some clients.
    fileprivate init?(_ claims: JSONObject, clientIDs: [String]) {
        guard let subject = claims["sub"]?.string, let audience = JWTClaims(claims).audience,
            let clientID = clientIDs.first(where: audience.contains),
            let issuedAt = try? claims.date("iat")
        else { return nil }
        self.subject = subject
        self.clientID = clientID
        email = claims["email"]?.string
        // Apple writes the truth of it as a text at some times and not at others.
        isEmailVerified = ProviderIDToken.flag(claims["email_verified"])
        self.issuedAt = Timestamp(seconds: issuedAt.secondsSince1970)
        authTime = (try? claims.date("auth_time")).map { Timestamp(seconds: $0.secondsSince1970) }
        transferSubject = claims["transfer_sub"]?.string
    }
}

/// Verifies Apple's identity tokens.
struct AppleIdentityTokens: Sendable {
    /// How old a token may be whose freshness only its code shows.
    static let longestAge = Duration.minutes(5)

    let settings: AppleSettings
    let call: VendorCall

    /// What is expected of a token: RS256 alone, by Apple's own keys.
    /// - Parameters:
    ///   - clientIDs: whom it may be for.
    ///   - freshness: what shows that it is of this sign-in.
    func expectation(
        clientIDs: [String], freshness: ProviderIDToken.Freshness
    ) -> ProviderIDToken.Expectation {
        var expected = ProviderIDToken.Expectation(
            issuer: settings.base, clientIDs: clientIDs, freshness: freshness)
        expected.algorithms = [.rs256]
        return expected
    }

    /// Verifies a token.
    /// - Throws: `ProviderIDToken.Refusal` for a token that does not hold, ``ProviderTrouble`` where Apple's keys cannot be had.
    func identity(_ token: IDToken, _ expected: ProviderIDToken.Expectation) async throws -> AppleIdentity {
        let keys = ProviderKeys(
            at: settings.url(.keys), reach: settings.reach(in: call.context.settings.environment), in: call.context)
        let date = NumericDate(clamping: call.now.seconds)
        let claims = try await keys.use(now: call.now) { (known) throws(ProviderIDToken.Refusal) in
            try ProviderIDToken.verified(token, by: known, for: expected, now: date)
        }
        guard let identity = AppleIdentity(claims, clientIDs: expected.clientIDs) else {
            throw ProviderIDToken.Refusal.wrong(.malformed)
        }
        return identity
    }

    /// Why a token is not taken, for the log; nothing of the person's is in it.
    func log(_ refusal: ProviderIDToken.Refusal) {
        call.context.logger.debug(
            "refused an identity token of Apple's",
            metadata: ["provider": "\(call.provider)", "reason": "\(refusal)"])
    }
}
