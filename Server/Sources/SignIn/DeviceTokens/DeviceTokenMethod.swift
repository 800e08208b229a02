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
        switch try await assertion.check(for: attempt) {
        case .failure(let refusal): return .refused(.device(refusal))
        case .success((let account, let proof)):
            guard account.state == .active, let device = proof.device else { return .refused(.walletDeactivated) }
            let (digest, version, now) = (token.digest, proof.factors.securityVersion, attempt.now)
            let isUsed = try await attempt.context.database.write { connection in
                try DeviceTokens.use(
                    digest, of: device, version: version, now: now, until: now + DeviceAuthenticationToken.lifetime,
                    on: connection)
            }
            return isUsed ? .proved(proof) : .refused(.deviceTokenExpired)
        }
    }
}
