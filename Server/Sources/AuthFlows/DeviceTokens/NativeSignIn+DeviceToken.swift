internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Signing in by a long-lived session.
extension NativeSignIn {
    /// The assertion first: only who proved the device's key and a factor is told how the token stands.
    func signIn(_ login: DeviceTokenLogin, call: Call) async throws -> NativeSignInOutcome {
        guard call.intent.client.mayUseDeviceTokens else { return .refused(.deviceAuthenticationUnsupported) }
        let act = DeviceAssertion.Act.login(
            .signIn(thumbprint: call.thumbprint, codeChallenge: call.intent.challenge))
        let isBiometric = (try? PresentedAssertion(login.assertion))?.unverified.factor == .biometric
        let outcome =
            isBiometric
            ? try await BiometricAssertions(context: context).check(
                login.assertion, act: act, thumbprint: call.thumbprint, now: call.now)
            : try await PINAssertions(context: context).check(
                login.assertion, act: act, origin: call.intent.origin, now: call.now)
        switch outcome {
        case .wrong: return .refused(.invalidCredentials)
        case .locked: return .refused(.pinLocked)
        case .deviceSuspended: return .refused(.deviceSuspended)
        case .deviceDeactivated: return .refused(.deviceDeactivated)
        case .proven(let proof):
            let (device, account) = (proof.device, proof.account)
            guard device.id.uuid == login.deviceID.rawValue, device.clientID == call.intent.client.id.rawValue else {
                return .refused(.invalidCredentials)
            }
            guard account.state == .active else { return .refused(.walletDeactivatedForDeviceToken) }
            let digest = DeviceAuthenticationTokens.digest(of: login.token)
            let isUsed = try await context.database.write { connection in
                try DeviceTokens.use(
                    digest, of: device.id, version: account.securityVersion, now: call.now,
                    until: call.now + DeviceAuthenticationTokens.lifetime, on: connection)
            }
            guard isUsed else { return .refused(.deviceTokenExpired) }
            // What was proved is as old as its first proof, and opens one session, however late its answer is asked for again.
            let factors = SignInPolicy.Factors(
                securityVersion: proof.securityVersion, amr: [isBiometric ? "bio" : "pin", device.keyStorage.method],
                authTime: proof.at)
            var call = call
            call.intent.grantID = proof.grantID
            call.intent.device = device.id
            call.intent.isDeviceProved = true
            let admitted = try await finish(account.id, factors: factors, call: call)
            if case .refused(.walletDeactivated) = admitted { return .refused(.walletDeactivatedForDeviceToken) }
            return admitted
        }
    }
}
