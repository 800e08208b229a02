internal import Core
internal import Kernel
internal import SignIn
internal import WalletAuthWire
internal import Web

/// Verifies the person at a provider for whom a backend speaks: first the claim, which leaves the authorization code unused, then
/// the provider's response to the code.
struct ExternalAccountCheck: Sendable {
    let access: ProviderAccess
    let attempts: GuestAttempts

    /// The maximum age of an identity token, which proves that its person was present when it was issued. Without a nonce from this
    /// server, only its age shows when that was.
    private static let oldestToken = Duration.minutes(5)
    private static let leeway = Duration.seconds(60)

    /// The person that the backend claims to speak for.
    struct Claim: Sendable {
        let account: ExternalAccount
        let integration: LoyaltyIntegration
        let subject: String
        /// How the claim names the person.
        let kind: GuestAttempts.Claim
        /// The key under which the identity is linked.
        let digest: [UInt8]
        /// What counts wrong codes for the person.
        let codes: GuestAttempts.Counter
        /// The provider's token, so that the redemption does not verify its signature again.
        let token: ProviderIDToken.Signed?
    }

    /// The claimed person, from the provider's own token, or from an identifier that is not proved yet.
    func claim(
        _ account: ExternalAccount, at integration: LoyaltyIntegration, now: Timestamp
    ) async throws -> Result<Claim, LoyaltyFailure> {
        switch account.code {
        case .subject(let subject): return .success(try claim(account, at: integration, of: subject))
        case .token(let token):
            return try await asking(integration.provider) {
                let call = VendorCall(to: integration.provider, by: access, now: now)
                guard let verified = try await integration.vendor.verify(token, nonce: account.nonce, call: call),
                    isFresh(token, now: now)
                else { return .failure(LoyaltyFailure(.invalidExternalAccount)) }
                return .success(
                    try claim(account, at: integration, of: verified.identity.subject, token: verified.signed))
            }
        }
    }

    /// The claim of a person whom the provider has already confirmed, or whom only an identifier names.
    func claim(
        _ account: ExternalAccount, at integration: LoyaltyIntegration, of subject: String,
        token: ProviderIDToken.Signed? = nil
    ) throws -> Claim {
        var kind = GuestAttempts.Claim.subject
        if case .token = account.code { kind = .token }
        let digest = integration.provider.digest(of: subject)
        return Claim(
            account: account, integration: integration, subject: subject, kind: kind, digest: digest,
            codes: try attempts.counter(of: .codes, by: digest, kind, at: integration.provider), token: token)
    }

    /// Redeems the authorization code. Its person must be the claimed one; a wrong code counts. The caller reports success.
    /// - Parameter counter: also counts this attempt.
    func redeem(
        _ claim: Claim, countedAlsoBy counter: GuestAttempts.Counter? = nil, now: Timestamp
    ) async throws -> Result<ProvenIdentity, LoyaltyFailure> {
        let counters = [counter, claim.codes].compactMap(\.self)
        if let seconds = try await attempts.reserve(counters, now: now) {
            return .failure(LoyaltyFailure(.locked, retryAfter: seconds))
        }
        do {
            let outcome = try await ask(claim, now: now)
            if case .failure(let failure) = outcome {
                let isWrong = [.externalCodeRefused, .externalAccountMismatch].contains(failure.code)
                try await attempts.settle(counters, isWrong: isWrong)
            }
            return outcome
        } catch {
            try? await attempts.settle(counters, isWrong: false)
            throw error
        }
    }

    private func ask(_ claim: Claim, now: Timestamp) async throws -> Result<ProvenIdentity, LoyaltyFailure> {
        var token: IDToken?
        if case .token(let brought) = claim.account.code { token = brought }
        let code = VendorCode(
            code: claim.account.accessToken, redirectURI: nil, verifier: nil, idToken: token, signedToken: claim.token)
        let integration = claim.integration
        return try await asking(integration.provider) {
            let call = VendorCall(to: integration.provider, by: access, now: now)
            switch try await integration.vendor.redeem(code, nonce: claim.account.nonce, call: call) {
            case .redeemed(let identity) where identity.subject == claim.subject: return .success(identity)
            case .redeemed, .mismatched: return .failure(LoyaltyFailure(.externalAccountMismatch))
            case .refused: return .failure(LoyaltyFailure(.externalCodeRefused))
            }
        }
    }

    /// Whether a verified token is recent enough.
    private func isFresh(_ token: IDToken, now: Timestamp) -> Bool {
        guard let payload = try? CompactJWS(token.reveal()).unverifiedPayload,
            let issuedAt = try? JWTClaims(parsing: payload).requiredDate("iat")
        else { return false }
        let present = NumericDate(clamping: now.seconds)
        return issuedAt <= present.advanced(by: Self.leeway)
            && present <= issuedAt.advanced(by: Self.oldestToken)
    }

    private func asking<Value: Sendable>(
        _ provider: IdentityProvider, _ ask: () async throws -> Result<Value, LoyaltyFailure>
    ) async throws -> Result<Value, LoyaltyFailure> {
        let answer = try await access.counting(provider, confirms: { (try? $0.get()) != nil }, ask)
        return answer ?? .failure(LoyaltyFailure(.providerUnavailable, retryAfter: ProviderFailure.retryAfter))
    }
}
