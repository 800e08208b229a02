internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Two people for what one operator must not do alone (decision 180): the first call waits, and the same call by another operator carries
/// it out. Only calls over HTTP need it, and only people count.
///
/// It takes two to change what is of administration, and for the commands that say so.
struct OperatorApproval: Sendable {
    let context: ServerContext
    let caller: OperatorCaller
    let command: any AdminCommand
    let made: AdminRequest
    /// Of the call; `nil` for none. Sent twice by the second operator, it must not wait for a third.
    let mark: CallMark?

    /// How long a call waits.
    private static let patience = Duration.hours(24)
    /// The calls of one person that wait at a time.
    private static let mostWaiting = 100
    /// The code of the first call's answer, which is no failure.
    static let pending = "pending_approval"

    /// The answer has the link, so its caller would be the new operator as well.
    /// - Throws: ``AdministrationRefusal`` to a backend, whose link would outlive its role, and where it takes two people to make one.
    private func requireNoLink() throws(AdministrationRefusal) {
        guard command.makesOperatorLink else { return }
        guard caller.account != nil else {
            throw OperatorDecision.forbidden(
                "A backend makes no one-time links.",
                "Let an owner of all brands make it, or do so on the server's machine.")
        }
        guard !context.settings.twoOperators else {
            throw OperatorDecision.forbidden(
                "With admin.twoOperators, no one-time link is made over HTTP: who gets it could act as two people.",
                "Grant the role to an account that has a second factor, or make the link on the server's machine.")
        }
    }

    /// The first call, which the second one took.
    struct First: Sendable {
        private let request: OperatorRequest
        private let rule: IsAllowed
        /// Of who called first, and of the account that the call is about, when it was taken.
        private let roles: [OperatorGrant?]

        var operatorID: UniqueID { request.account }

        fileprivate init(_ request: OperatorRequest, rule: @escaping IsAllowed, on connection: any SQLConnection) throws
        {
            (self.request, self.rule) = (request, rule)
            roles = try Self.roles(in: request, on: connection)
        }

        private static func roles(
            in request: OperatorRequest, on connection: any SQLConnection
        ) throws -> [OperatorGrant?] {
            [
                try Operators.active(request.account, on: connection),
                try request.about.flatMap { try Operators.find($0, on: connection) },
            ]
        }

        /// Whether who called first may still make the call.
        fileprivate func isAllowed(on connection: any SQLConnection) throws -> Bool {
            guard let grant = try Operators.active(request.account, on: connection) else { return false }
            return try rule(grant, request.account, connection)
        }

        /// Lets it wait again, because the second call was refused before it changed anything, and may be repeated. A role that changed
        /// meanwhile ends it, as it ends what waits.
        func putBack(now: Timestamp, on connection: any SQLConnection) throws {
            guard now < request.expiresAt, try Self.roles(in: request, on: connection) == roles,
                try isAllowed(on: connection)
            else { return }
            _ = try OperatorRequests.add(request, now: now, on: connection)
        }
    }

    /// Whether an operator with this role and account may run the command now.
    typealias IsAllowed = @Sendable (OperatorGrant, UniqueID, any SQLConnection) throws -> Bool

    /// Records the first call, or takes it for the second, in a write of its own.
    /// - Parameters:
    ///   - target: of the command.
    ///   - facts: about the target.
    ///   - isAllowed: who called first has to be allowed still.
    /// - Returns: the first call; `nil` for a command that one operator may run.
    /// - Throws: ``AdministrationRefusal`` with the code ``pending`` for the first call, also if it is repeated.
    func requireSecond(
        _ target: CommandTarget, _ facts: TargetFacts, isAllowed: @escaping IsAllowed
    ) async throws -> First? {
        try requireNoLink()
        guard context.settings.twoOperators, command.effect != .reads,
            facts.isOfAdministration || command.takesTwo
        else { return nil }
        guard let person = caller.account else {
            throw OperatorDecision.forbidden(
                "This takes two people, and a backend is none.", "Have two operators make the call.")
        }
        let (now, about) = (context.clock.now(), facts.account)
        if about == nil, let reference = target.reference {
            // A call about an account that is not there says so now, not after a day.
            _ = try await context.database.read { try reference.find(on: $0).id }
        }
        if case .accounts(let reference, let text) = target, facts.other == nil {
            _ = try await context.database.read { try AccountPair(from: reference, into: text).find(on: $0).into.id }
        }
        let subjects = [about?.uuid, facts.other?.uuid, made.input].map { $0 ?? "" }
        let parts = (subjects + Self.values(of: made.words, on: target)).map {
            Base64URL.encode(Array($0.utf8))
        }
        let request = OperatorRequest(
            id: try context.random.timeOrderedID(now),
            digest: Digests.keyed("operator-request", parts, key: try context.keyRing.active(.attempts)),
            account: person, command: command.loggedTitle, about: about, expiresAt: now + Self.patience)
        let entry = try entry(request, now: now)
        let outcome = try await context.database.write { connection -> Result<First, AdministrationRefusal> in
            try mark?.requireUnspent(now: caller.now, on: connection)
            if try add(request, entry, now: now, on: connection) { return .failure(Self.waits(request)) }
            guard let found = try OperatorRequests.find(request.digest, on: connection) else { throw Self.meanwhile }
            guard found.account != person else { return .failure(Self.waits(found)) }
            guard try OperatorRequests.take(found.id, on: connection) else { throw Self.meanwhile }
            try mark?.spend(now: caller.now, on: connection)
            let first = try First(found, rule: isAllowed, on: connection)
            if try first.isAllowed(on: connection) { return .success(first) }
            // Who called first may not do this any more: this call is the first.
            _ = try add(request, entry, now: now, on: connection)
            return .failure(Self.waits(request))
        }
        return try outcome.get()
    }

    /// The words that have to be the same in both calls: all but those that name an account, which has several names.
    private static func values(of words: [String], on target: CommandTarget) -> [String] {
        guard let reference = target.reference else { return words }
        let end = words.firstIndex(of: "--") ?? words.endIndex
        var names = ["--account=", "--brand="]
        if case .accounts = target { names.append("--into=") }
        let options = words[..<end].filter { word in !names.contains { word.hasPrefix($0) } }
        var values = words[end...].dropFirst()
        if case .username = reference { values = values.dropFirst() }
        return options + ["--"] + values
    }

    /// - Returns: whether it waits now; `false` if the same call waits already.
    private func add(
        _ request: OperatorRequest, _ entry: AuditLog.Entry, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        guard try OperatorRequests.add(request, now: now, on: connection) else { return false }
        guard try OperatorRequests.count(of: request.account, now: now, on: connection) <= Self.mostWaiting else {
            throw AdministrationRefusal(
                "\(Self.mostWaiting) of your calls wait already.", hint: "See `walletauth operator pending`.",
                code: "limit")
        }
        try entry.write(on: connection)
        return true
    }

    private func entry(_ request: OperatorRequest, now: Timestamp) throws -> AuditLog.Entry {
        var details = JSONObject(strings: ["command": request.command, "operator": request.account.uuid])
        details.set(OperatorCallDetails.account, request.about?.uuid)
        details.set("trace_id", caller.origin.traceID)
        return try context.auditLog.administration(
            OperatorEvent.requested, client: caller.clientID.rawValue, details: details, now: now)
    }

    private static func waits(_ request: OperatorRequest) -> AdministrationRefusal {
        AdministrationRefusal(
            "Nothing was done yet: another operator has to make the same call, until \(request.expiresAt.text).",
            hint: "See `walletauth operator pending`.", code: pending)
    }

    private static let meanwhile = AdministrationRefusal(
        "Another operator made the same call at this moment.", hint: "See `walletauth operator pending`.",
        code: "no_change")
}
