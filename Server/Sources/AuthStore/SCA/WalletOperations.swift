package import AuthCore
internal import WalletAuthWire

/// The facts of wallet operations and of the events by which people agree to them. It owns the `wallet_operations` and
/// `sca_attempts` tables.
///
/// A row's `revision` is its guard: whoever decided by a row that has changed since changes nothing, and decides again.
package enum WalletOperations {
    /// What came of adding an operation.
    package enum Adding: Sendable, Hashable {
        /// It is new.
        case added
        /// The client used the name before, or the key for another operation.
        case taken
    }

    /// Adds an operation.
    package static func add(_ record: WalletOperationRecord, on connection: any SQLConnection) throws -> Adding {
        let values = record.values
        let places = values.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        let count = try connection.execute(
            """
            INSERT INTO wallet_operations (\(WalletOperationRecord.columns)) VALUES (\(places)) ON CONFLICT DO NOTHING
            """, values)
        return count == 1 ? .added : .taken
    }

    /// The operation of a client's name for it.
    package static func find(
        _ operation: String, client: String, on connection: any SQLConnection
    ) throws -> WalletOperationRecord? {
        try record(
            connection.row(
                """
                SELECT \(WalletOperationRecord.columns) FROM wallet_operations
                WHERE client_id = $1 AND operation_id = $2
                """, [.text(client), .text(operation)]), on: connection)
    }

    /// The operation of an event.
    package static func find(
        event id: UniqueID, on connection: any SQLConnection
    ) throws -> WalletOperationRecord? {
        try record(
            connection.row(
                "SELECT \(WalletOperationRecord.columns) FROM wallet_operations WHERE event_id = $1", [.id(id)]),
            on: connection)
    }

    /// An operation as it stands now, where it was read a moment ago. What nobody has changed since is not read again: a
    /// consent is some forty columns and its attempts, and is asked for at each of its steps.
    /// - Returns: `nil` where it is gone.
    package static func refresh(
        _ known: WalletOperationRecord, on connection: any SQLConnection
    ) throws -> WalletOperationRecord? {
        let isUnchanged =
            try connection.row(
                "SELECT revision FROM wallet_operations WHERE event_id = $1 AND revision = $2",
                [.id(known.id), .integer(known.revision)]) != nil
        return isUnchanged ? known : try find(event: known.id, on: connection)
    }

    /// The operations of an account, the oldest first.
    /// - Parameters:
    ///   - account: whose.
    ///   - after: the event of the last one of the page before; `nil` for the first page.
    ///   - limit: how many at most.
    ///   - connection: a connection.
    /// - Throws: ``StoreError``.
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

    private static func record(_ row: SQLRow?, on connection: any SQLConnection) throws -> WalletOperationRecord? {
        guard let row else { return nil }
        return try WalletOperationRecord(row, attempts: attempts(of: row.id(0), on: connection))
    }

    /// Writes how an event stands after a step.
    ///
    /// - Parameters:
    ///   - record: as it was read, but for what the step changed: event, challenge and use.
    ///   - connection: the connection of a write.
    /// - Returns: whether the row was still the one that was read; `false` changes nothing.
    /// - Throws: ``StoreError``.
    package static func save(_ record: WalletOperationRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            UPDATE wallet_operations SET state = $1, method = $2, channel = $3, challenge_id = $4, code_mac = $5,
                mac_key_id = $6, code_expires_at = $7, failed = $8, sends = $9, sent_at = $10, settled_at = $11,
                use_key = $12, answer = $13, expires_at = $14, challenges = $15, tried_at = $16, revision = revision + 1
            WHERE event_id = $17 AND revision = $18
            """,
            record.changing + [
                .time(record.event.expiresAt), .integer(Int64(record.event.challenges)), .time(record.event.triedAt),
                .id(record.id), .integer(record.revision),
            ]) == 1
    }

    /// Something that was compared.
    package struct Attempt: Sendable, Hashable {
        /// What was compared: the way, what it is in `amr`, and when.
        package var proof: SCAEvent.Proof
        /// Whether it was right.
        package var isRight: Bool
        /// What the person or their device sent, as far as it is evidence, sealed.
        package var evidence: [UInt8]?
        /// From where it came, sealed; nil once the account is erased.
        package var circumstances: [UInt8]?

        /// Each parameter is the property of its name.
        package init(
            proof: SCAEvent.Proof, isRight: Bool, evidence: [UInt8]?, circumstances: [UInt8]? = nil
        ) {
            self.proof = proof
            self.isRight = isRight
            self.evidence = evidence
            self.circumstances = circumstances
        }
    }

    /// Adds something that was compared.
    package static func add(
        _ attempt: Attempt, to event: UniqueID, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            INSERT INTO sca_attempts (event_id, number, method, channel, is_right, amr, evidence, at, circumstances)
            VALUES ($1, (SELECT COALESCE(MAX(a.number), 0) + 1 FROM sca_attempts a WHERE a.event_id = $1),
                $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                .id(event), .name(attempt.proof.verification.method), .name(attempt.proof.verification.channel),
                .integer(attempt.isRight ? 1 : 0), .text(attempt.proof.methods.joined(separator: " ")),
                .optional(attempt.evidence), .time(attempt.proof.at), .optional(attempt.circumstances),
            ])
    }

    /// What was compared for an event, in order.
    package static func attempts(of event: UniqueID, on connection: any SQLConnection) throws -> [Attempt] {
        try connection.query(
            """
            SELECT method, channel, is_right, amr, evidence, at, circumstances FROM sca_attempts
            WHERE event_id = $1 ORDER BY number
            """, [.id(event)]
        ).map { row in
            guard let way = try? SCAVerification(method: row.name(0), channel: row.name(1)) else {
                throw StoreError(.unexpectedRow, "column method has no known value")
            }
            return Attempt(
                proof: SCAEvent.Proof(
                    way, methods: try row.text(3).split(separator: " ").map(String.init), at: try row.time(5)),
                isRight: try row.integer(2) == 1, evidence: try row.optionalBlob(4),
                circumstances: try row.optionalBlob(6))
        }
    }

    /// Takes back what somebody could still agree to or carry out, up to a number of them: after a restore, whose rows may
    /// stand for what was carried out since, and under another issuer. What is over by its time says so already, and stays as it is.
    /// - Parameters:
    ///   - limit: how many at most.
    ///   - step: what evidence says of it.
    ///   - now: the present moment.
    ///   - connection: the connection of a write.
    /// - Returns: how many were taken back; zero when none is left.
    /// - Throws: ``StoreError``.
    package static func cancelBatch(
        _ limit: Int, step: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> Int {
        let ids = try connection.query(
            """
            SELECT w.event_id FROM wallet_operations w
            WHERE w.state IN ('open', 'challenged', 'verified') AND w.expires_at > $2 LIMIT $1
            """, [.integer(Int64(limit)), .time(now)]
        ).map { try $0.id(0) }
        for id in ids {
            try connection.execute(
                """
                UPDATE wallet_operations SET state = 'cancelled', method = NULL, channel = NULL, challenge_id = NULL,
                    code_mac = NULL, mac_key_id = NULL, code_expires_at = NULL, settled_at = NULL,
                    revision = revision + 1
                WHERE event_id = $1
                """, [.id(id)])
            try SCASteps.add(
                SCASteps.Record(kind: step, facts: "{}", circumstances: nil, place: nil, at: now), to: id,
                on: connection)
        }
        return ids.count
    }
}
