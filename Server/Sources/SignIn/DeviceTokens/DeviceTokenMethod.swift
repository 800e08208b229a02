internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// A device's long-lived token, with an assertion by the device.
struct DeviceTokenMethod: SignInMethod {
    let token: DeviceAuthenticationToken
    let assertion: DeviceAssertionMethod

    /// Verifies the assertion first: the token's state is revealed only after proof of the device's key and a factor.
    func verify(for attempt: SignInAttempt) async throws -> SignInVerdict {
        guard attempt.intent.client.mayUseDeviceTokens else { return .refused(.deviceTokensNotAllowed) }
        guard let presented = assertion.presented(for: attempt) else {
            return .refused(.device(.invalidCredentials))
        }
        let digest = token.digest
        return try await WriteConflict.retrying("a PIN") {
            let asserted = try await attempt.checks.assertions.verify(presented)
            if let refusal = asserted.refusal { return .refused(.device(refusal)) }
            return try await attempt.database.write { connection in
                let known: AssertionProof
                switch try asserted.save(on: connection).decision {
                case .failure(let refusal): return .refused(.device(refusal))
                case .success(let proof): known = proof
                }
                guard let proof = assertion.proof(of: known, presented, for: attempt) else {
                    return .refused(.device(.invalidCredentials))
                }
                guard known.account.state == .active else { return .refused(.walletDeactivated) }
                let isUsed = try DeviceTokens.use(
                    digest, of: known.device.id, version: known.securityVersion, now: attempt.now,
                    until: attempt.now + DeviceAuthenticationToken.lifetime, on: connection)
                return isUsed ? .proved(proof) : .refused(.deviceTokenExpired)
            }
        }
    }
}
