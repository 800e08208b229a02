internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

struct RecoveryCodeManagement: Sendable {
    let database: any Database
    let random: any RandomBytes
    let auditLog: AuditLog
    let stepUp: StepUp

    /// New codes, and whether they replaced others.
    struct Made: Sendable {
        var codes: RecoveryCodeSet
        var replacedOthers: Bool
    }

    /// Creates a set and voids the previous one. A form that arrives twice gets the same set for half a minute.
    func make(call: any FactorCaller) async throws -> Result<Made, FactorRefusal> {
        if let refusal = StepUpPolicy(stepUp, call).refusalUnlessFreshTwoFactors() {
            return .failure(refusal)
        }
        let codes = try newCodes(call)
        let digests = codes.map { RecoveryCodeFormat.digest(of: $0, account: call.account.id) }
        // Only the write knows whether there were codes before.
        let first = try auditLog.entry(
            FactorEvent.recoveryCodesMade, message: FactorMessage.recoveryCodesMade, call: call)
        let replacing = try auditLog.entry(
            FactorEvent.recoveryCodesMade, message: FactorMessage.recoveryCodesReplaced, call: call)
        let budget = try FactorChangeBudget(call, keyRing: stepUp.keyRing)
        let outcome = try await database.write { connection -> Result<Bool, FactorRefusal> in
            if let refusal = try call.refusalOfChange(on: connection) ?? budget.charge(on: connection) {
                return .failure(refusal)
            }
            let replacesOthers = try AccountFactors.find(call.account.id, on: connection).recoveryCodes > 0
            if replacesOthers { try call.remember(Self.replacement, by: stepUp.keyRing, on: connection) }
            try RecoveryCodes.replace(of: call.account.id, with: digests, now: call.now, on: connection)
            try (replacesOthers ? replacing : first).write(on: connection)
            return .success(replacesOthers)
        }
        let replacedOthers: Bool
        switch outcome {
        case .success(let replaces): replacedOthers = replaces
        case .failure(let refusal):
            guard try await areMade(digests, call) else { return .failure(refusal) }
            replacedOthers = try await call.hasMade(Self.replacement, by: stepUp.keyRing, in: database)
        }
        return .success(Made(codes: try Self.set(codes), replacedOthers: replacedOthers))
    }

    /// The codes that a form made, for its page when it is loaded again; `nil` once one is spent, there are newer ones, or the sign-in is too
    /// old to make any.
    func made(call: any FactorCaller) async throws -> RecoveryCodeSet? {
        guard call.formMark != nil, StepUpPolicy(stepUp, call).refusalUnlessFreshTwoFactors() == nil else { return nil }
        let codes = try newCodes(call)
        let digests = codes.map { RecoveryCodeFormat.digest(of: $0, account: call.account.id) }
        let areCurrent = try await database.read {
            try RecoveryCodes.are(digests, of: call.account.id, since: call.authTime, on: $0)
        }
        return areCurrent ? try Self.set(codes) : nil
    }

    private static func set(_ codes: [[UInt8]]) throws -> RecoveryCodeSet {
        RecoveryCodeSet(codes: try codes.map { try RecoveryCode(RecoveryCodeFormat.text(of: $0)) })
    }

    private static let replacement = ["recovery-codes-replaced"]

    /// A browser shows the last response only, so a second click must not replace codes by others or hide them: those of a form
    /// follow from its mark, which nothing keeps.
    private func newCodes(_ call: any FactorCaller) throws -> [[UInt8]] {
        guard let mark = call.formMark else {
            return (0..<RecoveryCodeFormat.count).map { _ in random.bytes(RecoveryCodeFormat.length) }
        }
        let key = try stepUp.keyRing.active(.attempts)
        return (0..<RecoveryCodeFormat.count).map { number in
            let digest = Digests.keyed("recovery-code-of-form", [Base64URL.encode(mark), "\(number)"], key: key)
            return Array(digest.prefix(RecoveryCodeFormat.length))
        }
    }

    /// Whether the same form made these codes a moment ago.
    private func areMade(_ digests: [[UInt8]], _ call: any FactorCaller) async throws -> Bool {
        try await database.read { connection in
            try call.isRepeated(on: connection)
                && RecoveryCodes.are(
                    digests, of: call.account.id, since: call.now - RepeatedAnswer.lifetime, on: connection)
        }
    }
}
