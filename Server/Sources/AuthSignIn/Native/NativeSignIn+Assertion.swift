internal import AuthCore
internal import AuthCredentials
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

/// Native sign-in with a device's key and its PIN, or with its biometric key.
extension NativeSignIn {
    enum AssertedSignIn: Sendable {
        case proven(AccountRecord, DeviceRecord, SignInPolicy.Factors, Call)
        /// Invalid, or the device may not sign in.
        case refused(SignInRefusal)
    }

    /// Verifies an assertion for a sign-in.
    /// - Parameter deviceID: the device that the request names.
    func assertedSignIn(
        _ assertion: SignedAssertion, on deviceID: DeviceID, call: Call
    ) async throws -> AssertedSignIn {
        let act = DeviceAssertion.Act.login(
            .signIn(thumbprint: call.thumbprint, codeChallenge: call.intent.challenge))
        let isBiometric = (try? PresentedAssertion(assertion))?.unverified.factor == .biometric
        let outcome =
            isBiometric
            ? try await BiometricAssertions(context: context).check(
                assertion, act: act, thumbprint: call.thumbprint, now: call.now)
            : try await PINAssertions(context: context).check(
                assertion, act: act, origin: call.intent.origin, now: call.now)
        switch outcome {
        case .wrong: return .refused(.invalidCredentials)
        case .wrongPIN(let remaining): return .refused(.wrongPIN(remaining: remaining))
        case .locked: return .refused(.pinLocked)
        case .deviceSuspended: return .refused(.deviceSuspended)
        case .deviceDeactivated: return .refused(.deviceDeactivated)
        case .proven(let proof):
            let device = proof.device
            // A device that another app enrolled is no factor here.
            guard device.id.uuid == deviceID.rawValue, device.clientID == call.intent.client.id.rawValue else {
                return .refused(.invalidCredentials)
            }
            let opener = isBiometric ? AuthenticationStrength.biometric : AuthenticationStrength.pin
            // The proof is as old as its first arrival, no matter when the request is repeated.
            let factors = SignInPolicy.Factors(
                securityVersion: proof.securityVersion, amr: [opener, device.keyStorage.method], authTime: proof.at)
            var call = call
            call.intent.grantID = proof.grantID
            call.intent.device = device.id
            call.intent.isDeviceProved = true
            return .proven(proof.account, device, factors, call)
        }
    }
}
