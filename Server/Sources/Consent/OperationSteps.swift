package import Core
package import Kernel
internal import SignIn
package import Store
internal import WalletAuthWire

/// What the audit log records of wallet operations.
package enum OperationEvent: String, SecurityEventKind, CaseIterable {
    case requested = "operation.sca_required"
    case exempted = "operation.exempted"
    case verified = "operation.verified"
    case locked = "operation.locked"
    case cancelled = "operation.cancelled"
    case refused = "operation.refused"
    case authorized = "operation.authorized"

    package var webhookKind: WebhookKind? { .walletOperations }

    /// The name of an exemption in an entry's details.
    static func name(of exemption: SCAExemption?) -> String { exemption?.rawValue ?? "RULE" }
}

/// The rows of operations with their history: what every flow of consent reads and writes.
struct OperationLedger: Sendable {
    let database: any Database
    let clock: any Clock
    let vault: OperationVault
    let auditLog: AuditLog

    /// The audit log's entry for an operation: a reference, never the amount or payee. It is also a step of the evidence.
    /// - Parameters:
    ///   - session: the session whose sign-in counted for the step.
    ///   - approver: the device that approved or refused what another session asked for.
    ///   - isWithdrawal: whether the person who asked no longer wants it.
    func step(
        _ kind: OperationEvent, _ record: WalletOperationRecord, by session: OperationSession? = nil,
        approver: ApprovingDevice? = nil, isWithdrawal: Bool = false, origin: RequestOrigin?, now: Timestamp,
        message: ConsentMessage? = nil, email: String? = nil
    ) throws -> OperationStep {
        let signIn = session.map { OperationEvidenceClaims.SignIn($0, at: now) }
        var details = JSONObject()
        details.set("event_id", record.id.uuid)
        details.set("wallet_operation_id", record.operationID)
        details.set("type", record.type)
        if case .exempt(let exemption) = record.decision {
            details.set("exemption", OperationEvent.name(of: exemption))
        }
        let methods = record.event.methods
        details.set("amr", methods)
        if let signIn { details["sign_in"] = .object(signIn.json) }
        details.set("device", approver?.device.id.uuid)
        details.set("approving_session", approver?.session.id.uuid)
        if isWithdrawal { details.set("withdrawn", true) }
        let entry = try auditLog.entry(
            kind, account: record.accountID, client: record.clientID, origin: origin, now: now, details: details,
            message: message, email: email)
        return OperationStep(
            vault: vault, kind: OperationEvidenceClaims.Step.Kind(kind), record: record, origin: origin, now: now,
            signIn: signIn, isWithdrawal: isWithdrawal, entry: entry)
    }
}

/// A step in the life of a wallet operation, recorded in one write for the audit log and for evidence.
struct OperationStep: Sendable {
    let vault: OperationVault
    let kind: OperationEvidenceClaims.Step.Kind
    /// The row after the step.
    let record: WalletOperationRecord
    let origin: RequestOrigin?
    let now: Timestamp
    /// The challenged method, with the masked destination of its code.
    var challenged: AvailableVerification?
    /// The session's sign-in at that time, which also counted for the step.
    var signIn: OperationEvidenceClaims.SignIn?
    /// Whether the person who asked withdrew the operation.
    var isWithdrawal = false
    /// The issuer's key that signed the authentication code issued with the step. The key is published for some months
    /// only, and evidence is kept for longer.
    var key: JWK?
    /// `nil` for a step that the audit log does not record.
    var entry: AuditLog.Entry?

    func write(on connection: any SQLConnection) throws {
        let place = try entry?.write(on: connection)
        try SCASteps.add(
            SCASteps.Record(
                kind: kind.rawValue,
                facts: String(decoding: facts.json.bytes, as: UTF8.self),
                circumstances: try vault.seal(
                    origin, destination: challenged?.destination, of: record.id), place: place, at: now),
            to: record.id, on: connection)
    }

    private var facts: OperationFacts {
        var facts = OperationFacts(verification: challenged?.verification)
        facts.signIn = signIn
        facts.isWithdrawal = isWithdrawal
        facts.key = key
        return facts
    }
}

/// The stored facts of a step that contain no personal data.
struct OperationFacts: Sendable {
    /// The challenged method.
    var verification: SCAVerification?
    /// The factors of the sign-in.
    var signIn: OperationEvidenceClaims.SignIn?
    /// Whether the person who asked withdrew the operation.
    var isWithdrawal = false
    /// The issuer's key that signed the authentication code.
    var key: JWK?

    init(verification: SCAVerification?) { self.verification = verification }

    init(_ json: String) throws {
        let object = try JSONValue.object(parsing: Array(json.utf8))
        verification = try object["verification"]?.object.map { try SCAVerification($0) }
        signIn = try object["signIn"]?.object.map { try OperationEvidenceClaims.SignIn($0) }
        isWithdrawal = try object.bool("withdrawn") ?? false
        key = try object["key"]?.object.map { try JWK($0) }
    }

    var json: JSONObject {
        var object = JSONObject()
        if let verification { object["verification"] = .object(verification.json) }
        if let signIn { object["signIn"] = .object(signIn.json) }
        if isWithdrawal { object.set("withdrawn", true) }
        if let key { object["key"] = .object(key.json) }
        return object
    }
}

extension OperationEvidenceClaims.SignIn {
    init(_ session: OperationSession, at now: Timestamp) {
        self.init(
            methods: session.methods, at: session.authTime.milliseconds, isCounted: !session.methods(at: now).isEmpty)
    }
}

extension OperationEvidenceClaims.Step.Kind {
    /// The step for an audit log event.
    init(_ logged: OperationEvent) {
        switch logged {
        case .requested: self = .requested
        case .exempted: self = .exempted
        case .verified: self = .verified
        case .locked: self = .locked
        case .cancelled: self = .cancelled
        case .refused: self = .refused
        case .authorized: self = .authorized
        }
    }
}

/// Compares the steps of an operation with the audit log, before the server signs anything for them.
///
/// The rows of an operation have no MAC. Entries of the audit log have one, and the same write makes both. So someone
/// who can write to the database, but has no key, cannot have the server vouch for a consent that it did not record.
struct RecordedSteps: Sendable {
    let audit: Audit
    let record: WalletOperationRecord
    let now: Timestamp

    /// Someone else wrote to the database. The request is valid; the operator has to learn about it.
    struct NotRecorded: Error, CustomStringConvertible {
        let step: String
        let event: UniqueID

        var description: String {
            """
            the audit log does not confirm the step “\(step)” of the operation with the event \(event.uuid), so nothing is \
            signed for it: something other than the server has written to the database; run `walletauth audit verify`
            """
        }
    }

    /// The step that permits the operation to be carried out: the consent, or the exemption from it.
    /// - Throws: ``NotRecorded`` unless the audit log has it, at the time and with the factors of the row. Without details its
    ///   entry does not count: an erased account authorizes nothing, even if its row says that it is active.
    func consent(on connection: any SQLConnection) throws -> SCASteps.Record {
        let logged: OperationEvent = record.decision == .required ? .verified : .exempted
        let kind = OperationEvidenceClaims.Step.Kind(logged).rawValue
        guard let step = try SCASteps.last(kind, of: record.id, on: connection),
            case .verified(let at) = record.event.state, at == step.at,
            record.event.expiresAt <= at + SCALimits.consentLifetime,
            let details = try entry(of: step, as: logged, on: connection)?.details,
            try confirm(details, step, as: logged)
        else { throw NotRecorded(step: kind, event: record.id) }
        return step
    }

    /// Compares every step, and the last one with the state.
    func require(on connection: any SQLConnection) throws {
        let steps = try SCASteps.all(of: record.id, on: connection)
        var previous: Int64 = 0
        for step in steps {
            // Steps are written one after the other, and so are their entries.
            let isLater = step.place.map { $0.sequence > previous } ?? true
            guard isLater, try isRecorded(step, on: connection) else {
                throw NotRecorded(step: step.kind, event: record.id)
            }
            previous = step.place?.sequence ?? previous
        }
        let challenged = OperationEvidenceClaims.Step.Kind.challenged.rawValue
        guard steps.first?.kind == opening.rawValue, let last = steps.last(where: { $0.kind != challenged }),
            leadsToState(last)
        else { throw NotRecorded(step: steps.last?.kind ?? opening.rawValue, event: record.id) }
    }

    private var opening: OperationEvidenceClaims.Step.Kind { record.decision == .required ? .requested : .exempted }

    /// Whether the state follows from a step that is no challenge. Challenges do not end an operation.
    private func leadsToState(_ step: SCASteps.Record) -> Bool {
        guard let kind = OperationEvidenceClaims.Step.Kind(rawValue: step.kind) else { return false }
        return switch record.event.state {
        case .open, .challenged: kind == .requested
        case .verified(let at): kind == (record.decision == .required ? .verified : .exempted) && step.at == at
        case .used: kind == .authorized
        case .locked: kind == .locked
        case .cancelled: [.cancelled, .refused, .voided].contains(kind)
        }
    }

    private func isRecorded(_ step: SCASteps.Record, on connection: any SQLConnection) throws -> Bool {
        let recorded = OperationEvent.allCases.first { OperationEvidenceClaims.Step.Kind($0).rawValue == step.kind }
        // Challenges, and the end by a restore, another issuer or an erasure, have no entry.
        guard let recorded else { return true }
        guard let place = step.place, let found = try entry(of: step, as: recorded, on: connection)
        else { return false }
        guard let details = found.details else {
            return try audit.isErased(record.accountID, after: place, now: now, on: connection)
        }
        return try confirm(details, step, as: recorded)
    }

    /// The entry of a step, if it is genuine and of the same kind, account, client and time.
    private func entry(
        of step: SCASteps.Record, as logged: OperationEvent, on connection: any SQLConnection
    ) throws -> Audit.GenuineEntry? {
        guard let place = step.place else { return nil }
        let recorded = Audit.RecordedStep(
            logged, of: record.accountID, client: record.clientID, place: place, at: step.at)
        return try audit.entry(of: recorded, now: now, on: connection)
    }

    /// Whether the details of a step's entry are about this operation, and have what the step says.
    private func confirm(_ details: JSONObject, _ step: SCASteps.Record, as logged: OperationEvent) throws -> Bool {
        guard try hasRecordedSignIn(step, details), try details.string("event_id") == record.id.uuid
        else { return false }
        switch (logged, record.decision) {
        case (.verified, _): return try (details.strings("amr") ?? []) == record.event.methods
        case (.exempted, .exempt(let exemption)):
            return try details.string("exemption") == OperationEvent.name(of: exemption)
        case (.refused, _):
            return try OperationFacts(step.facts).isWithdrawal == (details.bool("withdrawn") ?? false)
        default: return true
        }
    }

    /// Whether a step names the sign-in that its entry has.
    private func hasRecordedSignIn(_ step: SCASteps.Record, _ details: JSONObject) throws -> Bool {
        let recorded = try details["sign_in"]?.object.map { try OperationEvidenceClaims.SignIn($0) }
        return try OperationFacts(step.facts).signIn == recorded
    }
}

/// Reads and writes the steps of wallet operations, in order, as the basis of evidence. It owns the `sca_steps` table.
package enum SCASteps {
    package struct Record: Sendable, Hashable {
        package var kind: String
        /// Facts that are not personal, as JSON.
        package var facts: String
        /// The origin of the request and the destination of a code, sealed; nil once the account is erased.
        package var circumstances: [UInt8]?
        /// The entry in the audit log; nil if there is none.
        package var place: AuditHead.Place?
        package var at: Timestamp

        package init(
            kind: String, facts: String, circumstances: [UInt8]?, place: AuditHead.Place?, at: Timestamp
        ) {
            self.kind = kind
            self.facts = facts
            self.circumstances = circumstances
            self.place = place
            self.at = at
        }

        /// The columns that ``init(_:)`` reads.
        enum Column: Int, RecordColumn {
            case kind, facts, circumstances, chain, seq, link, at
        }

        static let columns = Column.list()

        init(_ row: SQLRow) throws {
            let row = RecordRow<Column>(row)
            var place: AuditHead.Place?
            if let chain = try row.optionalInteger(.chain), let partition = AuditPartition(rawValue: chain),
                let sequence = try row.optionalInteger(.seq), let link = try row.optionalBlob(.link)
            {
                place = AuditHead.Place(partition: partition, sequence: sequence, link: link)
            }
            self.init(
                kind: try row.text(.kind), facts: try row.text(.facts),
                circumstances: try row.optionalBlob(.circumstances), place: place, at: try row.time(.at))
        }
    }

    /// Appends a step.
    package static func add(_ step: Record, to event: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO sca_steps (event_id, number, kind, facts, circumstances, chain, seq, link, at)
            VALUES ($1, (SELECT COALESCE(MAX(s.number), 0) + 1 FROM sca_steps s WHERE s.event_id = $1),
                $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                .id(event), .text(step.kind), .text(step.facts), .optional(step.circumstances),
                .optional(step.place?.partition.rawValue), .optional(step.place?.sequence),
                .optional(step.place?.link), .time(step.at),
            ])
    }

    package static func all(of event: UniqueID, on connection: any SQLConnection) throws -> [Record] {
        try connection.query(
            "SELECT \(Record.columns) FROM sca_steps WHERE event_id = $1 ORDER BY number", [.id(event)]
        ).map(Record.init)
    }

    /// An event's last step of a kind; `nil` if there was none.
    package static func last(
        _ kind: String, of event: UniqueID, on connection: any SQLConnection
    ) throws -> Record? {
        try connection.row(
            "SELECT \(Record.columns) FROM sca_steps WHERE event_id = $1 AND kind = $2 ORDER BY number DESC LIMIT 1",
            [.id(event), .text(kind)]
        ).map(Record.init)
    }

    /// Deletes the origins of an account's operations, which are personal data. The steps themselves stay.
    package static func eraseCircumstances(of account: UniqueID, on connection: any SQLConnection) throws {
        for table in ["sca_steps", "sca_attempts"] {
            try connection.execute(
                """
                UPDATE \(table) SET circumstances = NULL
                WHERE event_id IN (SELECT w.event_id FROM wallet_operations w WHERE w.account_id = $1)
                """, [.id(account)])
        }
    }
}
