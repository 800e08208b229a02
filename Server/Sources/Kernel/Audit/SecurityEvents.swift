package import Core
package import Store

/// An event that an account's holder or an auditor may ask about later.
package struct SecurityEvent: Sendable, Hashable {
    /// Time-ordered.
    package var id: UniqueID
    /// The account concerned, if any.
    package var accountID: UniqueID?
    /// The client it came through, if any.
    package var clientID: String?
    package var kind: String
    package var occurredAt: Timestamp
    /// JSON. It contains personal data (network address, user agent) and is deleted when the account is erased.
    package var details: String
}

/// Reads and writes the audit log. It only grows, except that the details of an erased account are deleted.
package enum SecurityEvents {
    /// Appends an event to its account's audit chain. Call this in the transaction of the change that it records.
    /// - Parameters:
    ///   - salt: ``AuditEntry/saltLength`` random bytes, for this event only.
    ///   - key: the audit key.
    /// - Returns: the new entry.
    /// - Throws: ``StoreError``, with code ``StoreError/Code-swift.struct/conflict`` if another writer of the chain was
    ///   first, and ``StoreError/Code-swift.struct/statement`` if the client or the kind has more than 65,535 bytes.
    @discardableResult
    package static func append(
        _ event: SecurityEvent, salt: [UInt8], key: DataKey, on connection: any SQLConnection
    ) throws -> AuditHead.Place {
        let partition = AuditPartition(account: event.accountID?.bytes)
        let head = try AuditChains.head(of: partition, on: connection)
        // No chain gets this long. A row forged with the largest number must not make the next one negative.
        guard head.sequence < .max else {
            throw StoreError(.unexpectedRow, "the audit chain \(partition.rawValue) has no number left")
        }
        let entry = AuditEntry(
            partition: partition, sequence: head.sequence + 1, id: event.id.bytes, account: event.accountID?.bytes,
            client: event.clientID, kind: event.kind, occurredAt: event.occurredAt,
            detailsDigest: AuditEntry.digest(of: event.details, salt: salt))
        guard let link = entry.link(after: head.link, key: key) else {
            throw StoreError(.statement, "a field of the audit entry has a length that no entry's has")
        }
        try connection.execute(
            """
            INSERT INTO security_events (id, account_id, client_id, kind, occurred_at, details, chain, seq, kid, salt,
                details_digest, link, about)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
            """,
            [
                .id(event.id), .id(event.accountID), .optional(event.clientID), .text(event.kind),
                .time(event.occurredAt), .text(event.details), .integer(partition.rawValue), .integer(entry.sequence),
                .integer(Int64(key.id.value)), .blob(salt), .blob(entry.detailsDigest),
                .blob(link), .optional(OperatorCallDetails.subject(of: event.details, account: entry.account)),
            ])
        return AuditHead.Place(partition: partition, sequence: entry.sequence, link: link)
    }

    /// Deletes the details of an account's events, which are personal data. The events themselves and every link stay.
    package static func eraseDetails(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE security_events SET details = $2, salt = NULL WHERE account_id = $1",
            [.id(account), .text(UnverifiedEvent.erasedDetails)])
    }

    /// The events of an account, newest first.
    /// - Parameter before: the last id of the previous page; `nil` for the first page.
    package static func list(
        of account: UniqueID, before: UniqueID? = nil, limit: Int, on connection: any SQLConnection
    ) throws -> [SecurityEvent] {
        try connection.query(
            """
            SELECT \(columns) FROM security_events
            WHERE account_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3
            """,
            [
                .id(account), before.map { .id($0) } ?? .blob([UInt8](repeating: 0xFF, count: 17)),
                .integer(Int64(limit)),
            ]
        ).map(record)
    }

    /// The columns that ``record(_:)`` reads.
    private enum Column: Int, RecordColumn {
        case id, accountID, clientID, kind, occurredAt, details
    }

    private static let columns = Column.list()

    private static func record(_ row: SQLRow) throws -> SecurityEvent {
        let row = RecordRow<Column>(row)
        return SecurityEvent(
            id: try row.id(.id), accountID: try row.optionalID(.accountID), clientID: try row.optionalText(.clientID),
            kind: try row.text(.kind), occurredAt: try row.time(.occurredAt), details: try row.text(.details))
    }
}
