internal import Kernel
internal import Store
internal import WalletAuthWire

/// An assertion by a device's key, with its PIN or with the holder's biometrics.
struct DeviceAssertionMethod: SignInMethod {
    let assertion: SignedAssertion
    /// The device that the request names.
    let deviceID: DeviceID
    let key: JWKThumbprint

    func verify(for attempt: SignInAttempt) async throws -> SignInVerdict {
        switch try await check(for: attempt) {
        case .failure(let refusal): .refused(.device(refusal))
        case .success(let asserted): .proved(asserted.proof)
        }
    }

    /// The account and its proof, or the reason why the assertion is invalid or the device may not sign in.
    func check(
        for attempt: SignInAttempt
    ) async throws -> Result<(account: AccountRecord, proof: SignInProof), PINRefusal> {
        let (context, intent) = (attempt.context, attempt.intent)
        let act = DeviceAssertion.Act.login(.signIn(thumbprint: key, codeChallenge: intent.challenge))
        guard let presented = try? PresentedAssertion(assertion) else { return .failure(.invalidCredentials) }
        let isBiometric = presented.unverified.factor == .biometric
        let decision =
            isBiometric
            ? try await BiometricAssertions(context: context).check(
                presented, act: act, thumbprint: key, now: attempt.now)
            : try await PINAssertions(context: context).check(
                presented, act: act, origin: intent.origin, now: attempt.now)
        switch decision {
        case .failure(let refusal): return .failure(refusal)
        case .success(let asserted):
            let device = asserted.device
            // A device that another app enrolled is no factor here.
            guard device.id.uuid == deviceID.rawValue, device.clientID == intent.client.id.rawValue else {
                return .failure(.invalidCredentials)
            }
            let opener = isBiometric ? AuthenticationStrength.biometric : AuthenticationStrength.pin
            // The proof is as old as its first arrival, no matter when the request is repeated.
            let factors = SignInPolicy.Factors(
                securityVersion: asserted.securityVersion, amr: [opener, device.keyStorage.method],
                authTime: asserted.at)
            var proof = SignInProof(account: asserted.account.id, factors: factors)
            proof.device = device.id
            proof.isDeviceProved = true
            proof.grantID = asserted.grantID
            return .success((asserted.account, proof))
        }
    }
}
