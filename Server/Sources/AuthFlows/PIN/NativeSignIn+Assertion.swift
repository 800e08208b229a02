internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// A sign-in by a device's key together with its PIN, or with the key behind its holder's presence.
extension NativeSignIn {
    /// What came of an assertion.
    enum AssertedSignIn: Sendable {
        /// Proved, and what the sign-in goes on with.
        case proven(AccountRecord, DeviceRecord, SignInPolicy.Factors, Call)
        /// Not proved, or the device may not sign in.
        case refused(SignInRefusal)
    }

    /// Checks an assertion that signs in.
    /// - Parameters:
    ///   - assertion: as the request brought it.
    ///   - deviceID: whose the request says that it is.
    ///   - call: the sign-in.
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
            // What was proved is as old as its first proof, however late its answer is asked for again.
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
