internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// One command of an operator over HTTP: checked before it runs and again in each of its writes, and recorded.
struct OperatorCall: Sendable {
    let administration: Administration
    let caller: OperatorCaller
    let command: any AdminCommand
    /// What it was parsed from, as ``CommandForm`` writes it.
    let request: AdminRequest
    /// What makes one change only; `nil` for a call that may be made again.
    var mark: CallMark?
    /// Of the page that shows the answer; `nil` without a page.
    var page: OperatorPageRecord?

    private var isReading: Bool { command.effect == .reads }
    private var access: CommandAccess { type(of: command).access }

    /// The caller's role, for a caller that has one.
    static func grant(of caller: OperatorCaller, in administration: Administration) async throws -> OperatorGrant? {
        let context = administration.server.context
        return try await context.database.read { try caller.grant(restoredAt: context.restoredAt, on: $0) }
    }

    /// Never throws, as ``Administration/execute(_:)``.
    /// - Parameter grant: the caller's role. It is read again, with each write, and has to be the same.
    func run(under grant: OperatorGrant) async -> AdministrationAnswer {
        let account = LockedValue<UniqueID?>(nil)
        let taken = LockedValue<OperatorApproval.First?>(nil)
        // The other reading commands of a page are checked as well, and have no entry of their own.
        let isRecorded = LockedValue(isReading && page?.isRecorded.withLock { $0 } ?? false)
        let (hasGoneOn, mayRepeat) = (LockedValue(false), LockedValue(false))
        let answer = await administration.execute { administration in
            let context = administration.server.context
            let target = try command.target
            let found = try await context.database.read { connection in
                let facts = try check(target, under: grant, noting: account, on: connection)
                try changeMark?.requireUnspent(now: caller.now, on: connection)
                return facts
            }
            let approval = OperatorApproval(
                context: context, caller: caller, command: command, made: request, mark: changeMark)
            let first = try await approval.requireSecond(target, found) { grant, first, connection in
                let facts = try target.facts(findingBy: nil, on: connection)
                let decision = OperatorDecision(
                    grant, isOwn: facts.concerns(first), access: access, isReading: false, on: facts)
                return decision == .allowed
            }
            taken.withLock { $0 = first }
            let entry = try auditEntry(.called, grant, about: found.account, after: first?.operatorID)
            // Of a second call it was, with the first one.
            let spendsMark = first == nil
            let condition = WriteCondition { connection in
                if isRecorded.withLock({ $0 }) {
                    hasGoneOn.withLock { $0 = true }
                    try requireRole(grant, on: connection)
                } else {
                    // A name may be another account's by now, or the account an operator's.
                    let present = try check(target, under: grant, noting: account, on: connection)
                    guard present.isSameSubject(as: found) else { throw Self.otherTarget }
                    if spendsMark { try changeMark?.spend(now: caller.now, on: connection) }
                    try entry.write(on: connection)
                }
            } onCommit: {
                isRecorded.withLock { $0 = true }
            }
            let answer: AdministrationAnswer
            do {
                answer = try await WriteCondition.$current.withValue(condition) {
                    try await command.run(in: administration.called(by: caller.identity, as: grant.role))
                }
            } catch let refusal as AdministrationRefusal {
                // A rule refused it before it changed anything. After any other error, it may have been carried out.
                let isUnchanged = !hasGoneOn.withLock { $0 }
                mayRepeat.withLock { $0 = isUnchanged }
                throw refusal
            }
            if !isRecorded.withLock({ $0 }) {
                try await context.database.write { connection in
                    _ = try entry.write(on: connection)
                    try changeMark?.remember(now: caller.now, on: connection)
                }
            }
            page?.isRecorded.withLock { $0 = true }
            return answer
        }
        // A call that waits was recorded as such.
        guard let refusal = answer.refusal, refusal.code != OperatorApproval.pending else { return answer }
        return await administration.execute { administration in
            let (first, now) = (taken.withLock { $0 }, administration.server.context.clock.now())
            let waitsAgain = mayRepeat.withLock { $0 }
            let entry = try auditEntry(
                .refused, grant, about: account.withLock { $0 }, after: first?.operatorID, code: refusal.code)
            try await administration.server.context.database.write { connection in
                if waitsAgain { try first?.putBack(now: now, on: connection) }
                try entry.write(on: connection)
            }
            return answer
        }
    }

    /// - Throws: ``AdministrationRefusal`` if the caller has no role any more, or another one: later writes of a call do not look at its
    ///   target again, which may be out of the new role's reach.
    private func requireRole(_ grant: OperatorGrant, on connection: any SQLConnection) throws {
        let restoredAt = administration.server.context.restoredAt
        guard let present = try caller.grant(restoredAt: restoredAt, on: connection) else { throw Self.noRole }
        guard present == grant else { throw Self.otherRole }
    }

    /// - Parameter account: the one that it is about, for the record of a refusal too.
    /// - Returns: what it is about.
    /// - Throws: ``AdministrationRefusal`` if the call is not within the caller's role.
    private func check(
        _ target: CommandTarget, under grant: OperatorGrant, noting account: LockedValue<UniqueID?>,
        on connection: any SQLConnection
    ) throws -> TargetFacts {
        try requireRole(grant, on: connection)
        let search = isReading ? AccountSearch(administration.server.context) : nil
        let facts = try target.facts(findingBy: search, on: connection)
        account.withLock { $0 = facts.account }
        // Not by `caller.account`, at which the optimizer of Swift 6.3 fails.
        let isOwn = [facts.account, facts.other].contains { $0.map { caller.identity == .person($0) } ?? false }
        let decision = OperatorDecision(grant, isOwn: isOwn, access: access, isReading: isReading, on: facts)
        let refusal = decision.refusal(
            of: grant, title: type(of: command).title, access: access, isReading: isReading, on: target)
        if let refusal { throw refusal }
        return facts
    }

    private var changeMark: CallMark? { isReading ? nil : mark }

    static let noRole = OperatorDecision.forbidden(
        "The caller has no role.", "An owner of all brands grants one: `walletauth operator grant`.")

    private static let otherRole = OperatorDecision.forbidden(
        "The caller's role was changed meanwhile.", "Look at what the call has done before you repeat it.")

    private static let otherTarget = AdministrationRefusal(
        "Nothing was done: what the call is about was changed meanwhile.",
        hint: "Look at it before you repeat the call.", code: "no_change")

    /// Records who called what, with none of its values. The account is a reference, as everywhere in the audit log.
    private func auditEntry(
        _ event: OperatorEvent, _ grant: OperatorGrant, about account: UniqueID?, after first: UniqueID? = nil,
        code: String? = nil
    ) throws -> AuditLog.Entry {
        let context = administration.server.context
        var details = JSONObject()
        details.set("command", command.loggedTitle)
        details.set("operator", caller.account?.uuid)
        details.set("requested_by", first?.uuid)
        details.set("role", grant.role.rawValue)
        details.set("brand", grant.brand)
        details.set(OperatorCallDetails.account, account?.uuid)
        // A person's history leaves out who only looked, but not who was refused.
        if event == .called, isReading { details.set(OperatorCallDetails.isReading, true) }
        details.set("code", code)
        details.set("trace_id", caller.origin.traceID)
        return try context.auditLog.administration(
            event, client: caller.clientID.rawValue, details: details, now: context.clock.now())
    }
}

/// Whether a look at a page of the console is in the audit log: the commands that it reads have one entry, of the first one.
struct OperatorPageRecord: Sendable {
    fileprivate let isRecorded = LockedValue(false)
}

extension OperatorCaller {
    /// `nil` for a backend.
    var account: UniqueID? { identity.account }
}

extension OperatorCaller.Identity {
    /// `nil` for a backend.
    var account: UniqueID? { if case .person(let id) = self { id } else { nil } }
}
