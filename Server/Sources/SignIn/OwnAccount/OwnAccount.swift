internal import Core
package import Kernel
internal import Store
package import WalletAuthWire

/// What holders do with their own account besides its factors: change the address, the number and the language of
/// messages, see what happened, close it.
///
/// This folder owns these rules, for an app and for a page, and the message about an export. The export and the erasure themselves are
/// in `Operations`, since they reach into every feature.
package struct OwnAccount: Sendable {
    let contacts: ContactManagement
    let closing: ClosingManagement
    let activity: ActivityList
    let language: MessageLanguage
    let names: NameManagement
    let stepUp: StepUp
    private let auditLog: AuditLog

    init(_ context: ServerContext, _ stepUp: StepUp) {
        let (database, clock, random) = (context.database, context.clock, context.random)
        let auditLog = context.auditLog
        contacts = ContactManagement(
            database: database, clock: clock, random: random,
            codes: FactorCodes(keyRing: context.keyRing, random: random, use: .contact), auditLog: auditLog,
            stepUp: stepUp,
            update: ContactUpdate(
                auditLog: auditLog, keyRing: context.keyRing, dependents: context.dependents,
                undeliverable: context.settings.undeliverableFactors),
            limits: context.settings.codes, lockout: context.settings.lockout)
        closing = ClosingManagement(
            database: database, clock: clock, random: random, auditLog: auditLog, stepUp: stepUp,
            dependents: context.dependents, operators: OperatorAbility(context))
        activity = ActivityList(database: database, sealing: context.sealing, dependents: context.dependents)
        language = MessageLanguage(database: database, auditLog: auditLog, stepUp: stepUp)
        names = NameManagement(database: database, auditLog: auditLog, stepUp: stepUp)
        self.auditLog = auditLog
        self.stepUp = stepUp
    }

    /// Why the caller must not export the account's data; `nil` if it may.
    func refusalOfExport(call: any FactorCaller) async throws -> FactorRefusal? {
        let policy = StepUpPolicy(stepUp, call)
        return policy.refusalUnlessFresh(try await policy.facts())
    }

    /// Lets the holder export the account's data, which takes a fresh sign-in. It is recorded, and the holder notified.
    /// - Returns: why there is no export; `nil` if there is.
    package func beginExport(call: AppCaller) async throws -> OwnAccountRefusal? {
        try await beginExport(by: call).map { .factor($0) }
    }

    /// The same from the account's page. A form that arrives twice counts once, and is refused after that.
    func beginExport(by call: any FactorCaller) async throws -> FactorRefusal? {
        if let refusal = try await refusalOfExport(call: call) { return refusal }
        let entry = try auditLog.entry(AccountEvent.exported, message: OwnAccountMessage.exported, call: call)
        let budget = try ExportBudget(call, keyRing: stepUp.keyRing)
        let refusal = try await stepUp.database.write { connection -> FactorRefusal? in
            if let refusal = try call.refusalOfChange(on: connection) ?? budget.charge(on: connection) {
                return refusal
            }
            try call.remember(Self.export, by: stepUp.keyRing, on: connection)
            try entry.write(on: connection)
            return nil
        }
        guard let refusal else { return nil }
        guard try await call.hasMade(Self.export, by: stepUp.keyRing, in: stepUp.database) else { return refusal }
        // The second file for a second click, and no third: otherwise one form would have as many files as it is posted, uncounted.
        let isSecond = try await stepUp.database.write {
            try call.remember(Self.repeatedExport, by: stepUp.keyRing, on: $0)
        }
        return isSecond ? nil : refusal
    }

    private static let export = ["export"]
    private static let repeatedExport = ["export", "repeated"]

    /// The account's activity in sentences, all of it as far as the log is read, for the export.
    package func sentences(of account: AccountRecord, events: [SecurityEvent]) -> [AccountActivity.Entry] {
        ActivityList.causesFirst(events).compactMap {
            ActivityList.entry($0, app: nil, in: Language.of(account, acceptLanguage: nil))
        }
    }
}
