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
        guard let presented = presented(for: attempt) else { return .refused(.device(.invalidCredentials)) }
        switch try await attempt.checks.assertions.check(presented) {
        case .failure(let refusal): return .refused(.device(refusal))
        case .success(let asserted):
            return proof(of: asserted, presented, for: attempt).map { .proved($0) }
                ?? .refused(.device(.invalidCredentials))
        }
    }

    /// - Returns: `nil` for text that is no assertion, and in a sign-in without PKCE, which no app makes.
    func presented(for attempt: SignInAttempt) -> DeviceAssertions.Presented? {
        let intent = attempt.intent
        guard let presented = try? PresentedAssertion(assertion), let challenge = intent.challenge else { return nil }
        return DeviceAssertions.Presented(
            presented, act: .login(.signIn(thumbprint: key, codeChallenge: challenge)), key: key,
            origin: intent.origin, now: attempt.now)
    }

    /// What a right assertion proves at this sign-in; `nil` if it is another app's device, which is no factor here.
    func proof(
        of asserted: AssertionProof, _ presented: DeviceAssertions.Presented, for attempt: SignInAttempt
    ) -> SignInProof? {
        let device = asserted.device
        guard device.id.uuid == deviceID.rawValue, device.clientID == attempt.intent.client.id.rawValue else {
            return nil
        }
        let opener = presented.assertion.unverified.factor.authenticationMethod
        // The proof is as old as its first arrival, no matter when the request is repeated.
        let factors = SignInPolicy.Factors(
            securityVersion: asserted.securityVersion, amr: [opener, device.keyStorage.method], authTime: asserted.at)
        var proof = SignInProof(account: asserted.account.id, factors: factors)
        proof.device = device.id
        proof.isDeviceProved = true
        proof.grantID = asserted.grantID
        return proof
    }
}
