internal import Kernel
internal import WalletAuthWire

/// A user name and its password.
struct PasswordMethod: SignInMethod {
    let username: Username
    let password: Password
    let device: DeviceEvidence

    func verify(for attempt: SignInAttempt) async throws -> SignInVerdict {
        let device = try await device.recognized(for: attempt)
        let outcome = try await attempt.checks.passwords.verifyToSignIn(
            password, username: username, brand: attempt.brand, device: device.counted,
            origin: attempt.intent.origin, now: attempt.now)
        switch outcome {
        case .refused(let refusal): return .refused(SignInRefusal(refusal))
        case .verified(let account):
            let factors = SignInPolicy.Factors(
                securityVersion: account.securityVersion, amr: [AuthenticationStrength.password],
                authTime: attempt.now)
            return .proved(try await attempt.proof(of: account.id, factors, on: device.enrolled))
        }
    }
}
