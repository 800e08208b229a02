internal import Kernel
internal import Store
internal import WalletAuthWire

/// The code that a recovery sent to the mailbox. Like for any other sign-in, the gate asks for what is missing.
struct RecoveryCodeMethod: SignInMethod {
    let code: OneTimeCode
    let recovery: UniqueID
    /// The enrolled device whose key was proved at the start of the recovery.
    var device: UniqueID?

    func verify(for attempt: SignInAttempt) async throws -> SignInVerdict {
        let recoveries = PasswordRecovery(
            context: attempt.context, origin: attempt.intent.origin, now: attempt.now)
        switch try await recoveries.answer(code, for: recovery) {
        case .over: return .refused(.over)
        case .wrong(let isLast): return .refused(.wrongRecoveryCode(isLast: isLast))
        case .proved(let account):
            let factors = SignInPolicy.Factors(
                securityVersion: account.securityVersion, amr: [FactorKind.email.authenticationMethod],
                authTime: attempt.now, recovery: .mailbox)
            let proved = try await attempt.context.database.read { connection in
                try device.flatMap { try Devices.find($0, on: connection) }
            }
            return .proved(try await attempt.proof(of: account.id, factors, on: proved))
        }
    }
}
