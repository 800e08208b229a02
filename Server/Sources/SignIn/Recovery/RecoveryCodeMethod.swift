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
        let answered = try await attempt.checks.recoveries.answer(
            code, for: recovery, origin: attempt.intent.origin, now: attempt.now)
        switch answered {
        case .over: return .refused(.over)
        case .wrong(let isLast): return .refused(.wrongRecoveryCode(isLast: isLast))
        case .proved(let account):
            let factors = SignInPolicy.Factors(
                securityVersion: account.securityVersion, amr: [FactorKind.email.authenticationMethod],
                authTime: attempt.now, recovery: .mailbox)
            let proved = try await attempt.database.read { connection in
                try device.flatMap { try Devices.find($0, on: connection) }
            }
            return .proved(try await attempt.proof(of: account.id, factors, on: proved))
        }
    }
}
