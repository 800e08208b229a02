internal import Core
internal import Kernel
internal import SignIn
internal import WalletAuthWire
internal import Web

/// Verifies the person at a provider for whom a backend speaks: first the claim, which leaves the authorization code unused, then
/// the provider's response to the code.
struct ExternalAccountCheck: Sendable {
    let context: ServerContext
    let integration: LoyaltyIntegration
    let account: ExternalAccount
    let now: Timestamp

    /// The maximum age of an identity token, which proves that its person was present when it was issued. Without a nonce from this
    /// server, only its age shows when that was.
    private static let oldestToken = Duration.minutes(5)
    private static let leeway = Duration.seconds(60)

    /// The person that the backend claims to speak for.
    struct Claim: Sendable {
        let subject: String
        /// How the claim names the person.
        let kind: GuestAttempts.Claim
        /// The key under which the identity is linked.
        let digest: [UInt8]
        /// The provider's token, so that the redemption does not verify its signature again.
        var token: ProviderIDToken.Signed?
    }

    private var call: VendorCall { VendorCall(context: context, provider: integration.provider, now: now) }

    /// The claimed person, from the provider's own token, or from an identifier that is not proved yet.
    func claim() async throws -> Result<Claim, LoyaltyFailure> {
        switch account.code {
        case .subject(let subject): return .success(claim(subject, .subject))
        case .token(let token):
            return try await asking {
                guard let verified = try await integration.vendor.verify(token, nonce: account.nonce, call: call),
                    isFresh(token)
                else { return .failure(LoyaltyFailure(.invalidExternalAccount)) }
                var claim = claim(verified.identity.subject, .token)
                claim.token = verified.signed
                return .success(claim)
            }
        }
    }

    /// Redeems the authorization code. Its person must be the claimed one.
    func redeem(_ claim: Claim) async throws -> Result<ProvenIdentity, LoyaltyFailure> {
        var token: IDToken?
        if case .token(let brought) = account.code { token = brought }
        let code = VendorCode(
            code: account.accessToken, redirectURI: nil, verifier: nil, idToken: token, signedToken: claim.token)
        return try await asking {
            switch try await integration.vendor.redeem(code, nonce: account.nonce, call: call) {
            case .redeemed(let identity) where identity.subject == claim.subject: return .success(identity)
            case .redeemed, .mismatched: return .failure(LoyaltyFailure(.externalAccountMismatch))
            case .refused: return .failure(LoyaltyFailure(.externalCodeRefused))
            }
        }
    }

    /// The claim for a person that the provider has already confirmed.
    func claim(of subject: String) -> Claim {
        var kind = GuestAttempts.Claim.subject
        if case .token = account.code { kind = .token }
        return claim(subject, kind)
    }

    private func claim(_ subject: String, _ kind: GuestAttempts.Claim) -> Claim {
        Claim(subject: subject, kind: kind, digest: integration.provider.digest(of: subject))
    }

    /// Whether a verified token is recent enough.
    private func isFresh(_ token: IDToken) -> Bool {
        guard let payload = try? CompactJWS(token.reveal()).unverifiedPayload,
            let issuedAt = try? JWTClaims(parsing: payload).requiredDate("iat")
        else { return false }
        let present = NumericDate(clamping: now.seconds)
        return issuedAt <= present.advanced(by: Self.leeway)
            && present <= issuedAt.advanced(by: Self.oldestToken)
    }

    private func asking<Value>(
        _ body: () async throws -> Result<Value, LoyaltyFailure>
    ) async throws -> Result<Value, LoyaltyFailure> {
        do {
            let answer = try await body()
            switch answer {
            case .success: context.providerActivity.count(.ok, of: integration.provider)
            case .failure: context.providerActivity.count(.refused, of: integration.provider)
            }
            return answer
        } catch let failure as ProviderFailure {
            context.report(failure, of: integration.provider)
            return .failure(LoyaltyFailure(.providerUnavailable, retryAfter: LoyaltyFlows.providerRetry))
        }
    }
}

extension GuestAttempts {
    /// Charges an attempt, runs it, and settles it by its result: a wrong credential counts, an inconclusive attempt does not. The
    /// caller reports success.
    func charging<Value>(
        now: Timestamp, _ body: () async throws -> Result<Value, LoyaltyFailure>
    ) async throws -> Result<Value, LoyaltyFailure> {
        if let seconds = try await reserve(now: now) {
            return .failure(LoyaltyFailure(.locked, retryAfter: seconds))
        }
        do {
            let outcome = try await body()
            guard case .failure(let failure) = outcome else { return outcome }
            switch failure.code {
            case .externalCodeRefused, .externalAccountMismatch, .usernameTaken: try await fail()
            default: try await refund()
            }
            return outcome
        } catch {
            try? await refund()
            throw error
        }
    }
}
