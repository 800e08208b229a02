internal import AuthCore
internal import AuthCredentials
internal import AuthEvents
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

struct RecoveryCodeManagement: Sendable {
    let context: ServerContext
    let call: any FactorCaller

    private var account: UniqueID { call.account.id }

    /// Creates a set and voids the previous one.
    func make() async throws -> Result<RecoveryCodeSet, FactorRefusal> {
        if let refusal = StepUpPolicy(context: context, call: call).refusalUnlessFreshTwoFactors() {
            return .failure(refusal)
        }
        let codes = (0..<RecoveryCodeFormat.count).map { _ in context.random.bytes(RecoveryCodeFormat.length) }
        let digests = codes.map { RecoveryCodeFormat.digest(of: $0, account: account) }
        let entry = try AuditLog(context: context).entry(
            FactorEvent.recoveryCodesMade, message: FactorMessage.recoveryCodesMade, call: call)
        let budget = try FactorChangeBudget(call, context: context)
        let refusal = try await context.database.write { connection -> FactorRefusal? in
            if let refusal = try call.refusalOfChange(on: connection) ?? budget.charge(on: connection) {
                return refusal
            }
            try RecoveryCodes.replace(of: account, with: digests, now: call.now, on: connection)
            try entry.write(on: connection)
            return nil
        }
        if let refusal { return .failure(refusal) }
        return .success(RecoveryCodeSet(codes: try codes.map { try RecoveryCode(RecoveryCodeFormat.text(of: $0)) }))
    }
}
