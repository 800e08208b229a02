internal import ArgumentParser
internal import Consent
internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The commands about the audit log.
///
/// This folder owns its verification, reports and exports. The log is written in `Kernel/Audit`.
enum AuditCommands: CommandNoun {
    static let title = "audit"
    static let abstract = "Read the audit log, and verify that it was not changed."
    static let commands: [any AdminCommand.Type] = [
        AuditVerify.self, AuditTail.self, AuditEvidence.self, AuditCheckpointNow.self, AuditKey.self,
    ]
}

struct AuditVerify: AdminCommand {
    static let title = "audit verify"
    static let access = CommandAccess.reading(.auditor)
    static let abstract = "Find entries that were changed, removed, reordered or cut off."
    static let discussion = """
        Reads every entry while the server runs, and compares the audit log with exported checkpoints: only these \
        reveal that its end was cut off, or that it was rewritten with the server's keys. Exits with 0 if the audit \
        log is intact and with 1 if it is not, with a line for each fault and its place.
        """

    @Option(
        help: ArgumentHelp(
            "The exported checkpoints, a path on the server's machine; the configured file if omitted.",
            valueName: "file"),
        completion: .file())
    var checkpoints: String?

    var input: String?

    var effect: CommandEffect { .reads }

    var isScan: Bool { true }

    func readInput(from reader: any CommandInputReader) throws -> String? {
        checkpoints.map { reader.absolutePath($0) }
    }

    func execute(in log: AuditAdministration) async throws -> AdministrationAnswer {
        let path = try input.map { try Administration.path($0, of: "--checkpoints") }
        let checkpoints = path.map { Audit.Checkpoints.copy($0) } ?? .own
        let report = AuditReport(try await log.audit.verify(checkpoints: checkpoints))
        return AdministrationAnswer(
            status: report.isSound ? .done : .refused, lines: report.lines, json: JSONValue.object(report.json).text)
    }
}

struct AuditCheckpointNow: AdminCommand {
    static let title = "audit checkpoint"
    static let access = CommandAccess.reading(.auditor)
    static let abstract = """
        Sign the current state of the audit log and print it, to keep on paper or on a machine that this server \
        cannot write to.
        """

    var effect: CommandEffect { .reads }

    func execute(in log: AuditAdministration) async throws -> AdministrationAnswer {
        do {
            let checkpoint = try await log.audit.checkpoint(now: log.clock.now())
            return .done(checkpoint, JSONObject(strings: ["checkpoint": checkpoint]))
        } catch let damage as Audit.Damaged {
            throw AdministrationRefusal("No checkpoint was made: \(damage.description).", code: "damaged")
        } catch let failure as AuditArchiveFailure {
            throw AdministrationRefusal("No checkpoint was made: \(failure.description).", code: "file")
        }
    }
}

struct AuditKey: AdminCommand {
    static let title = "audit key"
    static let access = CommandAccess.reading(.auditor)
    static let abstract = "Print the public keys of the checkpoints as a JWK set, for the auditor to keep."

    var effect: CommandEffect { .reads }

    func execute(in log: AuditAdministration) async throws -> AdministrationAnswer {
        let json = JWKSet(try log.audit.publicKeys(now: log.clock.now())).json
        return .done(JSONValue.object(json).text, json)
    }
}

/// The newest entries, or those after the cursor of the previous answer.
struct AuditTail: AdminCommand {
    static let title = "audit tail"
    static let access = CommandAccess.reading(.auditor)
    static let paging: (option: String, member: String)? = ("before", "before")
    static let abstract = "Print the latest entries of the audit log, the newest last."
    static let discussion = """
        Each line has time, partition/entry, kind, account, client and details. --json prints one JSON document, \
        and with --follow one more whenever entries arrive.

          walletauth audit tail --account ada --kind account.signed_in --limit 100

        --account also lists what operators did to the account over HTTP or were refused, but not who only looked at it.

        --since and --until find their place in the log by its order, so a clock that went back blurs them.

        --operation reads the steps of one operation, whatever the size of the log. Without it, the log is read from its \
        end until --limit entries are found: with --account two partitions of 17, with --kind or --brand all of them, which \
        takes long in a large log if there are few.

        With a role for one brand, name that brand or an account of it.
        """

    @Flag(help: "Print new entries as they arrive, until interrupted.")
    var follow = false

    @Option(
        help: ArgumentHelp(
            "Only entries of this account: its user name, its id, or a confirmed address.", valueName: "account"))
    var account: String?

    @Option(help: "The brand of the user name, `default` if omitted; without --account, only entries about this brand.")
    var brand: String?

    @Option(
        help: "Only entries of this kind, for example account.signed_in.",
        completion: .list(Administration.eventKinds.map { $0.rawValue }.sorted()))
    var kind: String?

    @Option(
        help: ArgumentHelp(
            "Only the steps of a wallet operation (its id or its event's) or of a transaction.", valueName: "id"))
    var operation: String?

    @Option(help: ArgumentHelp("The maximum number of entries, from 1 to 1000.", valueName: "number"))
    var limit = 20

    @Option(help: ArgumentHelp("Only entries of this day (UTC) and later ones.", valueName: "day"))
    var since: String?

    @Option(help: ArgumentHelp("Only entries of this day (UTC) and earlier ones.", valueName: "day"))
    var until: String?

    @Option(help: ArgumentHelp("Only entries before those of an answer, which names its cursor.", valueName: "cursor"))
    var before: String?

    /// The last entry of each partition that was read, separated by commas.
    @Option(help: .hidden)
    var cursor: String?

    var loggedTitle: String { cursor == nil ? Self.title : Self.title + " --follow" }

    var effect: CommandEffect { .reads }

    /// The steps of an operation are found by an index.
    var isScan: Bool { operation == nil }

    var reference: AccountReference? { account.map { AccountReference(typed: $0, brand: brand) } }

    var target: CommandTarget {
        reference.map { .account($0) } ?? brand.map { .brand($0) } ?? .everything
    }

    func validate() throws {
        guard before == nil || !follow else { throw ValidationError("use either --before or --follow") }
        guard until == nil || !follow else { throw ValidationError("use either --until or --follow") }
        let isNarrowed = account != nil || brand != nil || kind != nil || before != nil || since != nil || until != nil
        guard operation == nil || !(isNarrowed || follow) else {
            throw ValidationError("--operation is used alone: it lists all steps of the operation")
        }
    }

    func continuation(of answer: AdministrationAnswer) throws -> [String]? {
        guard follow else { return nil }
        let positions = try answer.document()["cursor"]?.array?.compactMap { $0.integer.map { String($0) } } ?? []
        return ["--cursor", positions.joined(separator: ",")]
    }

    func execute(in log: AuditAdministration) async throws -> AdministrationAnswer {
        guard (1...1000).contains(limit) else {
            throw AdministrationRefusal("--limit must be from 1 to 1000.", code: "malformed")
        }
        try log.requireKnown(kind)
        if let operation { return try await log.entries(ofOperation: operation) }
        let brand = try account == nil ? brand.map { try BrandID($0).rawValue } : nil
        let before = try before.map { try AuditCursor($0) }
        let since = try since.map { try LastDay.start(of: $0, option: "--since") }
        let end = try until.map { try LastDay.start(of: $0, option: "--until") + .hours(24) }
        if let cursor { return try await log.entries(of: reference, brand, kind, after: cursor) }
        let (found, positions, start) = try await log.database.read { connection in
            if let brand, try Brands.find(brand, on: connection) == nil {
                throw AdministrationRefusal.notFound("brand", brand)
            }
            let account = try reference.map { try log.search.find($0, on: connection).id }
            let positions = try AuditPartition.all.map { try AuditChains.head(of: $0, on: connection).sequence }
            var start = try (before ?? AuditCursor(after: positions)).reading(account)
            var first: [AuditPartition: Int64] = [:]
            for partition in start.bounds.keys {
                if let end {
                    start.end(partition, at: try AuditChains.first(of: partition, since: end, on: connection))
                }
                if let since {
                    first[partition] = try AuditChains.first(of: partition, since: since, on: connection)
                }
            }
            return (
                try AuditChains.recent(
                    account: account, brand: brand, isWithCalls: true, kind: kind, from: first, before: start.bounds,
                    limit: limit + 1, on: connection),
                positions, start
            )
        }
        let records = Array(found.prefix(limit))
        var answer = try await log.answer(
            with: records.reversed(), cursor: positions, earlier: found.count > limit ? start.before(records) : nil)
        if records.isEmpty, !follow { answer.lines = ["No entries."] }
        return answer
    }
}

/// Prints what a backend gets from the server, so that support needs no backend's secret.
struct AuditEvidence: AdminCommand {
    static let title = "audit evidence"
    static let access = CommandAccess.reading(.auditor)
    static let abstract = "Print the proof of who agreed to a payment or signed a transaction."
    static let discussion = """
        Keep it unchanged: `walletauth audit evidence ID > FILE`. `audit verify-evidence` describes the proof of an \
        operation, `transaction verify` that of a transaction. Evidence is kept for `sca.evidenceRetention`, and longer by \
        the backends that keep it. The audit log records that it was read.
        """

    @Argument(
        help: """
            The backend's id of the wallet operation, the id of its event, or that of a transaction: also the `sid` of \
            the tokens of a sign-in on the phone.
            """)
    var id: String

    var effect: CommandEffect { .reads }

    func execute(in log: AuditAdministration) async throws -> AdministrationAnswer {
        // First what the server named: a client could give its operation the id of another's transaction.
        var found: [FoundEvidence] = []
        for flow in log.flows { found += try await flow.evidence(named: id) }
        if found.isEmpty {
            found = try await log.operations.evidence(named: id, now: log.clock.now()).map { document, account in
                FoundEvidence(document: document.rawValue, account: account)
            }
        }
        guard let evidence = found.first else { throw AuditAdministration.unknownOperation(id) }
        guard found.count == 1 else {
            throw AdministrationRefusal(
                "Several clients have an operation \(id).",
                hint: "Use the id of its event, `event_id` in `walletauth audit tail --operation`.", code: "ambiguous")
        }
        // It names the person, their devices and addresses. As `account export`, reading it leaves an entry.
        let entry = try log.auditLog.administration(
            AdministrationEvent.evidenceRead, account: evidence.account, details: JSONObject(strings: ["id": id]),
            now: log.clock.now())
        try await log.database.write { _ = try entry.write(on: $0) }
        return .done(evidence.document, JSONObject(strings: ["evidence": evidence.document]))
    }
}

struct AuditAdministration: Sendable {
    let database: any Database
    let clock: any Clock
    let audit: Audit
    let auditLog: AuditLog
    /// All kinds of entries.
    let kinds: [any SecurityEventKind]
    let operations: RequestedOperations
    let flows: [any AdministeredFlow]
    let search: AccountSearch

    fileprivate static func unknownOperation(_ id: String) -> AdministrationRefusal {
        AdministrationRefusal(
            "There is no wallet operation, event or transaction \(id), or it is no longer kept.",
            hint:
                "A backend's own number for a payment is unknown here; a scanned sign-in's id is in the details of its "
                + "account's entries: `walletauth audit tail --account`.", code: "not_found")
    }

    /// The entries of an operation's steps, wherever they are in the log.
    fileprivate func entries(ofOperation id: String) async throws -> AdministrationAnswer {
        var found: [AuditHead.Place] = []
        for flow in flows { found += try await flow.auditPlaces(named: id) }
        if found.isEmpty { found = try await operations.auditPlaces(named: id) }
        guard !found.isEmpty else { throw Self.unknownOperation(id) }
        let (records, positions) = try await database.read { [found] connection in
            (
                try found.compactMap { try AuditChains.entry(at: $0, on: connection) },
                try AuditPartition.all.map { try AuditChains.head(of: $0, on: connection).sequence }
            )
        }
        return try await answer(with: records, cursor: positions)
    }

    /// With a mistyped kind, the answer would look as if nothing had happened.
    fileprivate func requireKnown(_ kind: String?) throws {
        let all = kinds.map { $0.rawValue }.sorted()
        guard let kind, !all.contains(kind) else { return }
        // Suggests kinds of the same family, if there are any: `account` as well as `account.signedin` finds them.
        let family = kind.prefix { $0 != "." } + "."
        let near = all.filter { $0.hasPrefix(family) }
        throw AdministrationRefusal(
            "There is no kind of entry \(kind). Kinds are: \((near.isEmpty ? all : near).joined(separator: ", ")).",
            code: "not_found")
    }

    fileprivate func entries(
        of account: AccountReference?, _ brand: String?, _ kind: String?, after cursor: String
    ) async throws -> AdministrationAnswer {
        let cursor = cursor.split(separator: ",").compactMap { Int64($0) }
        guard cursor.count == AuditPartition.all.count else {
            throw AdministrationRefusal("The cursor was not issued by `audit tail`.", code: "malformed")
        }
        let (records, next) = try await database.read { connection in
            let account = try account.map { try search.find($0, on: connection).id }
            var records: [UnverifiedEvent] = []
            var next: [Int64] = []
            for (partition, last) in zip(AuditPartition.all, cursor) {
                let page = try AuditChains.page(of: partition, after: last, limit: 1000, on: connection)
                next.append(page.last?.entry.sequence ?? last)
                records += try page.filter { record in
                    try (account.map { record.entry.account == $0.bytes || record.about == $0.uuid } ?? true)
                        && (kind == nil || record.entry.kind == kind)
                        && (brand.map { try record.concerns(brand: $0, on: connection) } ?? true)
                }
            }
            return (records.sorted { $0.entry.occurredAt < $1.entry.occurredAt }, next)
        }
        return try await answer(with: records, cursor: next)
    }

    /// - Parameter earlier: of the entries before these; `nil` if there are none.
    fileprivate func answer(
        with records: [UnverifiedEvent], cursor: [Int64], earlier: AuditCursor? = nil
    ) async throws -> AdministrationAnswer {
        let operators = try await AuditOperators(of: records, in: database)
        var json = JSONObject()
        json["entries"] = .array(records.map { .object(operators.named($0.json, of: $0)) })
        json["cursor"] = .array(cursor.map { .integer($0) })
        json.set("before", earlier?.description)
        let lines = records.map { $0.line(by: operators.name(of: $0)) }
        return .done(lines + (earlier.map { ["There are more: --before \($0)"] } ?? []), json)
    }
}

extension UnverifiedEvent {
    private var accountText: String? { entry.account.flatMap { UniqueID(bytes: $0) }?.uuid }

    /// One line for people: time, place, kind, account, client, operator, details.
    fileprivate func line(by operatorName: String?) -> String {
        let place = "\(entry.partition)/\(entry.sequence)"
        let padding = String(repeating: " ", count: max(0, 9 - place.count))
        let about = [
            accountText.map { "account=\($0)" }, entry.client.map { "client=\($0)" },
            operatorName.map { "operator=\($0)" }, details,
        ]
        return ([entry.occurredAt.text, place + padding, entry.kind] + about.compactMap { $0 }).joined(separator: "  ")
    }

    fileprivate var json: JSONObject {
        var json = JSONObject()
        json.set("partition", entry.partition.rawValue)
        json.set("sequence", entry.sequence)
        json.set("id", UniqueID(bytes: entry.id)?.uuid)
        json.set("occurredAt", entry.occurredAt.text)
        json.set("kind", entry.kind)
        json.set("accountId", accountText)
        json.set("clientId", entry.client)
        json["details"] = (try? JSONValue.object(parsing: Array(details.utf8))).map { .object($0) }
        json.set("link", Base64URL.encode(link))
        return json
    }
}
