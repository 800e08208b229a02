internal import AuthCore
internal import AuthCredentials
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

/// Sign-in with a long-lived session.
extension NativeSignIn {
    /// Verifies the assertion first: the token's state is revealed only after proof of the device's key and a factor.
    func signIn(_ login: DeviceTokenLogin, call: Call) async throws -> NativeSignInOutcome {
        guard call.intent.client.mayUseDeviceTokens else { return .refused(.deviceAuthenticationUnsupported) }
        switch try await assertedSignIn(login.assertion, on: login.deviceID, call: call) {
        case .refused(let refusal): return .refused(refusal)
        case .proven(let account, let device, let factors, let call):
            guard account.state == .active else { return .refused(.walletDeactivatedForDeviceToken) }
            let digest = login.token.digest
            let isUsed = try await context.database.write { connection in
                try DeviceTokens.use(
                    digest, of: device.id, version: factors.securityVersion, now: call.now,
                    until: call.now + DeviceAuthenticationToken.lifetime, on: connection)
            }
            guard isUsed else { return .refused(.deviceTokenExpired) }
            let admitted = try await finish(account.id, factors: factors, call: call)
            if case .refused(.walletDeactivated) = admitted { return .refused(.walletDeactivatedForDeviceToken) }
            return admitted
        }
    }
}
