internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

struct RecoveryCodeManagement: Sendable {
    let context: ServerContext
    let call: any FactorCaller

    private var account: UniqueID { call.account.id }

    /// Creates a set and voids the previous one. A form that arrives twice gets the same set for half a minute.
    func make() async throws -> Result<RecoveryCodeSet, FactorRefusal> {
        if let refusal = StepUpPolicy(context: context, call: call).refusalUnlessFreshTwoFactors() {
            return .failure(refusal)
        }
        let codes = try newCodes()
        let digests = codes.map { RecoveryCodeFormat.digest(of: $0, account: account) }
        let entry = try context.auditLog.entry(
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
        if let refusal, try await !areMade(digests) { return .failure(refusal) }
        return .success(RecoveryCodeSet(codes: try codes.map { try RecoveryCode(RecoveryCodeFormat.text(of: $0)) }))
    }

    /// A browser shows the last response only, so a second click must not replace codes by others or hide them: those of a form
    /// follow from its mark, which nothing keeps.
    private func newCodes() throws -> [[UInt8]] {
        guard let mark = call.formMark else {
            return (0..<RecoveryCodeFormat.count).map { _ in context.random.bytes(RecoveryCodeFormat.length) }
        }
        let key = try context.keyRing.active(.attempts)
        return (0..<RecoveryCodeFormat.count).map { number in
            let digest = Digests.keyed("recovery-code-of-form", [Base64URL.encode(mark), "\(number)"], key: key)
            return Array(digest.prefix(RecoveryCodeFormat.length))
        }
    }

    /// Whether the same form made these codes a moment ago.
    private func areMade(_ digests: [[UInt8]]) async throws -> Bool {
        try await context.database.read { connection in
            try call.isRepeated(on: connection)
                && RecoveryCodes.are(digests, of: account, since: call.now - RepeatedAnswer.lifetime, on: connection)
        }
    }
}
