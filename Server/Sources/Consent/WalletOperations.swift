package import Core
internal import Kernel
package import Store
package import WalletAuthWire

/// Reads and writes wallet operations and their events. It owns the `wallet_operations` and `sca_attempts` tables.
///
/// A row's `revision` guards it: a decision based on an older revision changes nothing and has to be made again.
package enum WalletOperations {
    /// The result of adding an operation.
    package enum Adding: Sendable, Hashable {
        case added
        /// The client used the id before, or the key for another operation.
        case taken
    }

    package static func add(_ record: WalletOperationRecord, on connection: any SQLConnection) throws -> Adding {
        let values = record.values(of: insertion.columns)
        return try connection.execute(insertion.sql, values) == 1 ? .added : .taken
    }

    private static let insertion = RecordWrite<WalletOperationRecord.Column>.insertion(into: "wallet_operations")

    /// Finds an operation by the client's id for it.
    package static func find(
        _ operation: String, client: String, on connection: any SQLConnection
    ) throws -> WalletOperationRecord? {
        try record(connection.row(byName, [.text(client), .text(operation)]), on: connection)
    }

    private static let byName = """
        SELECT \(WalletOperationRecord.columns) FROM wallet_operations WHERE client_id = $1 AND operation_id = $2
        """

    package static func find(
        event id: UniqueID, on connection: any SQLConnection
    ) throws -> WalletOperationRecord? {
        try record(connection.row(byEvent, [.id(id)]), on: connection)
    }

    /// Finds operations by the id of their event, or by the clients' own id for them, which several may have used. Reads one
    /// entry of the index for each client.
    package static func find(
        named id: String, on connection: any SQLConnection
    ) throws -> [WalletOperationRecord] {
        if let event = UniqueID(uuid: id), let record = try find(event: event, on: connection) { return [record] }
        var found: [WalletOperationRecord] = []
        var client = ""
        while let next = try connection.row(nextClient, [.text(client)]) {
            client = try next.text("client_id")
            if let record = try find(id, client: client, on: connection) { found.append(record) }
        }
        return found
    }

    private static let nextClient =
        "SELECT client_id FROM wallet_operations WHERE client_id > $1 ORDER BY client_id LIMIT 1"

    /// Finds an event that a person may agree to, if it belongs to this session and this operation.
    static func find(
        _ event: SCAEventID, _ operation: WalletOperationID, of session: SessionRecord, on connection: any SQLConnection
    ) throws -> WalletOperationRecord? {
        guard let id = UniqueID(uuid: event.rawValue), let record = try find(event: id, on: connection),
            record.accountID == session.facts.accountID, record.sessionID == session.id,
            record.operationID == operation.rawValue, record.decision == .required
        else { return nil }
        return record
    }

    private static let byEvent =
        "SELECT \(WalletOperationRecord.columns) FROM wallet_operations WHERE event_id = $1"

    /// Rewrites a row unchanged. With several writers, the write then waits for the one that is changing the row, and a later
    /// one decides again.
    package static func touch(_ event: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("UPDATE wallet_operations SET revision = revision WHERE event_id = $1", [.id(event)])
    }

    /// Returns the present state of an operation that was read a moment ago. An unchanged one is not read again: a
    /// consent has some forty columns and its attempts, and is needed at each of its steps.
    /// - Returns: `nil` if it was deleted.
    package static func refresh(
        _ known: WalletOperationRecord, on connection: any SQLConnection
    ) throws -> WalletOperationRecord? {
        let isUnchanged =
            try connection.row(
                "SELECT revision FROM wallet_operations WHERE event_id = $1 AND revision = $2",
                [.id(known.id), .integer(known.revision)]) != nil
        return isUnchanged ? known : try find(event: known.id, on: connection)
    }

    /// The operations of an account, oldest first.
    /// - Parameter after: the event of the previous page's last operation; `nil` for the first page.
    package static func list(
        of account: UniqueID, after: UniqueID?, limit: Int, on connection: any SQLConnection
    ) throws -> [WalletOperationRecord] {
        try connection.query(
            """
            SELECT \(WalletOperationRecord.columns) FROM wallet_operations
            WHERE account_id = $1 AND event_id > $2 ORDER BY event_id LIMIT $3
            """,
            [.id(account), .blob(after?.bytes ?? []), .integer(Int64(limit))]
        ).compactMap { try record($0, on: connection) }
    }

    /// The operations of an account that wait for an approval by a push message, oldest first, as long as the session that requested
    /// each is active.
    /// - Parameters:
    ///   - session: the session whose own operations are left out.
    ///   - cursor: the last event of the previous page; `nil` for the first page.
    package static func pushed(
        of account: UniqueID, besides session: UniqueID, after cursor: UniqueID?, limit: Int, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> [WalletOperationRecord] {
        // The lower bound keeps it from reading older history: an event ends some minutes after its creation.
        try connection.query(
            """
            SELECT \(WalletOperationRecord.columns) FROM wallet_operations
            WHERE account_id = $1 AND created_at > $2 AND state = 'challenged' AND channel = $3 AND expires_at > $4
                AND session_id <> $5 AND event_id > $6
                AND EXISTS (
                    SELECT 1 FROM sessions s
                    WHERE s.id = session_id AND s.revoked_at IS NULL AND s.expires_at > $4 AND s.security_version =
                        (SELECT a.security_version FROM accounts a WHERE a.id = $1))
            ORDER BY event_id LIMIT $7
            """,
            [
                .id(account), .time(now - SCALimits.eventLifetime), .name(SCAChannel.pushNotification), .time(now),
                .id(session), .blob(cursor?.bytes ?? []), .integer(Int64(limit)),
            ]
        ).compactMap { try record($0, on: connection) }
    }

    private static func record(_ row: SQLRow?, on connection: any SQLConnection) throws -> WalletOperationRecord? {
        guard let row else { return nil }
        return try WalletOperationRecord(row, attempts: attempts(of: row.id("event_id"), on: connection))
    }

    /// Stores the event after a step.
    /// - Parameter record: as it was read, with the step's changes to event, challenge and use.
    /// - Returns: whether the row was still at the revision read; `false` changes nothing.
    package static func save(_ record: WalletOperationRecord, on connection: any SQLConnection) throws -> Bool {
        let guarding: [SQLValue] = [.id(record.id), .integer(record.revision)]
        return try connection.execute(update.sql, record.values(of: update.columns) + guarding) == 1
    }

    private static let update = RecordWrite<WalletOperationRecord.Column>.update(
        of: "wallet_operations",
        [
            .state, .method, .channel, .challengeID, .codeMAC, .macKeyID, .codeExpiresAt, .failed, .sends, .sentAt,
            .completedAt, .useKey, .answer, .expiresAt, .challenges, .triedAt,
            .compared,
        ], key: .eventID, revision: .revision)

    /// The result of a comparison.
    package struct Attempt: Sendable, Hashable {
        /// The factor, its `amr` values and the time.
        package var proof: SCAEvent.Proof
        package var isRight: Bool
        /// The part of the request that is evidence, sealed.
        package var evidence: [UInt8]?
        /// The origin of the request, sealed; nil once the account is erased.
        package var circumstances: [UInt8]?

        package init(
            proof: SCAEvent.Proof, isRight: Bool, evidence: [UInt8]?, circumstances: [UInt8]? = nil
        ) {
            self.proof = proof
            self.isRight = isRight
            self.evidence = evidence
            self.circumstances = circumstances
        }

        /// The columns that ``init(_:)`` reads.
        fileprivate enum Column: Int, RecordColumn {
            case method, channel, correct, amr, evidence, at, circumstances
        }

        fileprivate static let columns = Column.list()

        fileprivate init(_ row: SQLRow) throws {
            let row = RecordRow<Column>(row)
            guard let verification = try? SCAVerification(method: row.name(.method), channel: row.name(.channel)) else {
                throw StoreError(.unexpectedRow, "column method has no known value")
            }
            self.init(
                proof: SCAEvent.Proof(
                    verification, methods: try row.text(.amr).split(separator: " ").map(String.init),
                    at: try row.time(.at)),
                isRight: try row.integer(.correct) == 1, evidence: try row.optionalBlob(.evidence),
                circumstances: try row.optionalBlob(.circumstances))
        }
    }

    package static func add(
        _ attempt: Attempt, to event: UniqueID, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO sca_attempts (event_id, number, method, channel, correct, amr, evidence, at, circumstances)
            VALUES ($1, (SELECT COALESCE(MAX(a.number), 0) + 1 FROM sca_attempts a WHERE a.event_id = $1),
                $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                .id(event), .name(attempt.proof.verification.method), .name(attempt.proof.verification.channel),
                .integer(attempt.isRight ? 1 : 0), .text(attempt.proof.methods.joined(separator: " ")),
                .optional(attempt.evidence), .time(attempt.proof.at), .optional(attempt.circumstances),
            ])
    }

    /// In the order of their comparison.
    package static func attempts(of event: UniqueID, on connection: any SQLConnection) throws -> [Attempt] {
        try connection.query(attemptsOfEvent, [.id(event)]).map(Attempt.init)
    }

    private static let attemptsOfEvent =
        "SELECT \(Attempt.columns) FROM sca_attempts WHERE event_id = $1 ORDER BY number"

    /// Withdraws a batch of operations that could still be agreed to or carried out.
    ///
    /// This is needed after a restore, because they may have been carried out since the copy, and under another issuer.
    /// Expired operations stay as they are.
    /// - Parameter step: the kind of the step added to their evidence.
    /// - Returns: the number withdrawn; zero when none is left.
    package static func cancelBatch(
        _ limit: Int, step: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> Int {
        let ids = try connection.query(
            """
            SELECT w.event_id FROM wallet_operations w
            WHERE w.state IN ('open', 'challenged', 'verified') AND w.expires_at > $2 LIMIT $1
            """, [.integer(Int64(limit)), .time(now)]
        ).map { try $0.id("event_id") }
        for id in ids { try cancel(id, step: step, now: now, on: connection) }
        return ids.count
    }

    /// Withdraws a batch of a client's operations that could still be agreed to or carried out, because the client was
    /// deleted. Expired operations stay as they are.
    /// - Parameter step: the kind of the step added to their evidence.
    /// - Returns: the number withdrawn; zero when none is left.
    package static func cancelBatch(
        _ limit: Int, ofClient client: String, step: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> Int {
        let ids = try connection.query(
            """
            SELECT w.event_id FROM wallet_operations w
            WHERE w.client_id = $3 AND w.state IN ('open', 'challenged', 'verified') AND w.expires_at > $2 LIMIT $1
            """, [.integer(Int64(limit)), .time(now), .text(client)]
        ).map { try $0.id("event_id") }
        for id in ids { try cancel(id, step: step, now: now, on: connection) }
        return ids.count
    }

    /// Withdraws the operations of an account that could still be agreed to or carried out. Expired operations stay as they are.
    /// - Parameter step: the kind of the step added to their evidence.
    package static func cancelAll(
        of account: UniqueID, step: String, now: Timestamp, on connection: any SQLConnection
    ) throws {
        let ids = try connection.query(
            """
            SELECT w.event_id FROM wallet_operations w
            WHERE w.account_id = $1 AND w.state IN ('open', 'challenged', 'verified') AND w.expires_at > $2
            """, [.id(account), .time(now)]
        ).map { try $0.id("event_id") }
        for id in ids { try cancel(id, step: step, now: now, on: connection) }
    }

    /// An account's operations that could still be agreed to or carried out, oldest first.
    static func open(
        of account: UniqueID, limit: Int, now: Timestamp, on connection: any SQLConnection
    ) throws -> [WalletOperationRecord] {
        try connection.query(
            """
            SELECT \(WalletOperationRecord.columns) FROM wallet_operations
            WHERE account_id = $1 AND state IN ('open', 'challenged', 'verified') AND expires_at > $2
            ORDER BY event_id LIMIT $3
            """, [.id(account), .time(now), .integer(Int64(limit))]
        ).compactMap { try record($0, on: connection) }
    }

    private static func cancel(
        _ event: UniqueID, step: String, now: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE wallet_operations SET state = 'cancelled', method = NULL, channel = NULL, challenge_id = NULL,
                code_mac = NULL, mac_key_id = NULL, code_expires_at = NULL, completed_at = NULL,
                revision = revision + 1
            WHERE event_id = $1
            """, [.id(event)])
        try SCASteps.add(
            SCASteps.Record(kind: step, facts: "{}", circumstances: nil, place: nil, at: now), to: event,
            on: connection)
    }
}

extension WalletOperations {
    /// Voids the codes sent over a channel for an account's consents, because they went to an address that is no longer the
    /// account's. The operations stay open, and their tries and codes stay counted.
    package static func voidCodes(
        of account: UniqueID, sentBy channel: SCAChannel, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE wallet_operations SET state = 'open', method = NULL, channel = NULL, challenge_id = NULL,
                code_mac = NULL, mac_key_id = NULL, code_expires_at = NULL, revision = revision + 1
            WHERE account_id = $1 AND state = 'challenged' AND channel = $2
            """, [.id(account), .name(channel)])
    }
}

extension WalletOperations {
    /// The number of an account's operations, for the limits of the next one.
    package struct Shares: Sendable, Hashable {
        package var all: Share
        /// Those from one session.
        package var ofSession: Share

        static let none = Shares(all: Share(count: 0, firstEnd: nil), ofSession: Share(count: 0, firstEnd: nil))
    }

    package struct Share: Sendable, Hashable {
        package var count: Int64
        /// When the first of them is no longer counted because of its age; nil if there is none.
        package var firstEnd: Timestamp?
    }

    /// Counts a backend's open operations of an account in living sessions. An operation of an ended session can no
    /// longer be agreed to or carried out.
    /// - Parameter session: the session whose share is counted as well.
    package static func open(
        of account: UniqueID, session: UniqueID, client: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> Shares {
        try connection.row(
            """
            SELECT COUNT(*) AS number, MIN(w.expires_at) AS first_end,
                COUNT(CASE WHEN w.session_id = $4 THEN 1 END) AS session_number,
                MIN(CASE WHEN w.session_id = $4 THEN w.expires_at END) AS session_first_end
            FROM wallet_operations w
            WHERE w.account_id = $1 AND w.client_id = $2 AND w.expires_at > $3
                AND w.state IN ('open', 'challenged', 'verified')
                AND EXISTS (
                    SELECT 1 FROM sessions s
                    WHERE s.id = w.session_id AND s.revoked_at IS NULL AND s.expires_at > $3 AND s.security_version =
                        (SELECT a.security_version FROM accounts a WHERE a.id = w.account_id))
            """, [.id(account), .text(client), .time(now), .id(session)]
        ).map { row in
            Shares(
                all: Share(count: try row.integer("number"), firstEnd: try row.optionalTime("first_end")),
                ofSession: Share(
                    count: try row.integer("session_number"), firstEnd: try row.optionalTime("session_first_end")))
        } ?? Shares.none
    }

    /// Counts a backend's recent operations of an account that were not carried out, including those refused,
    /// withdrawn, locked or from ended sessions: each of them is a row, too.
    /// - Parameters:
    ///   - session: the session whose share is counted as well.
    ///   - period: how far back to count.
    package static func unfinished(
        of account: UniqueID, session: UniqueID, client: String, within period: Duration, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Shares {
        try connection.row(
            """
            SELECT COUNT(*) AS number, MIN(w.created_at) AS first_created_at,
                COUNT(CASE WHEN w.session_id = $4 THEN 1 END) AS session_number,
                MIN(CASE WHEN w.session_id = $4 THEN w.created_at END) AS session_first_created_at
            FROM wallet_operations w
            WHERE w.account_id = $1 AND w.client_id = $2 AND w.created_at > $3 AND w.state <> 'used'
            """, [.id(account), .text(client), .time(now - period), .id(session)]
        ).map { row in
            Shares(
                all: Share(
                    count: try row.integer("number"),
                    firstEnd: try row.optionalTime("first_created_at").map { $0 + period }),
                ofSession: Share(
                    count: try row.integer("session_number"),
                    firstEnd: try row.optionalTime("session_first_created_at").map { $0 + period }))
        } ?? Shares.none
    }

    /// Ends the series that an operation began. Harmless to repeat.
    /// - Parameter operation: the backend's id of the operation.
    package static func endSeries(
        _ operation: String, client: String, account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE wallet_operations SET ended_at = $4
            WHERE client_id = $1 AND operation_id = $2 AND account_id = $3 AND ended_at IS NULL
            """, [.text(client), .text(operation), .id(account), .time(now)])
    }
}
