internal import Kernel
internal import Store
internal import WalletAuthWire

/// A passkey's answer. The person types no name.
struct PasskeyMethod: SignInMethod {
    let response: PasskeyAssertionResponse
    /// The use that its challenge was issued for.
    let use: PasskeyChallenges.Use

    func verify(for attempt: SignInAttempt) async throws -> SignInVerdict {
        guard
            let proof = try await attempt.checks.passkeys.verify(
                response, for: use, origin: attempt.intent.origin, now: attempt.now),
            proof.account.brandID == attempt.brand.rawValue,
            try await attempt.database.write({ try proof.spend(on: $0) })
        else { return .refused(.invalidCredentials) }
        let factors = SignInPolicy.Factors(
            securityVersion: proof.account.securityVersion, amr: proof.methods, authTime: attempt.now)
        return .proved(try await attempt.proof(of: proof.account.id, factors))
    }
}
