internal import Core
internal import Kernel
package import Store

/// An e-mail address or phone number that its holder entered and has yet to prove.
struct ContactChangeRecord: Sendable, Hashable {
    var account: UniqueID
    /// `email` or `sms`.
    var channel: OutboxChannel
    /// What the code was made for: 16 random bytes.
    var id: UniqueID
    /// The session that began the change. No other one finishes it.
    var session: UniqueID
    /// The new address or number, sealed as the account's own column.
    var value: [UInt8]
    /// The sealed address or number that it replaces; empty for none.
    var former: [UInt8]
    var code: OpenFactorRecord.Code
    /// The answers reserved.
    var tries: Int64 = 0
    /// When the code was entered. The row then stays for a repetition of that call.
    var confirmedAt: Timestamp?

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case accountID, channel, id, sessionID, value, former, codeMAC, macKeyID, tries, confirmedAt, expiresAt
    }

    static let columns = Column.list()

    var isConfirmed: Bool { confirmedAt != nil }
}

extension ContactChangeRecord {
    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            account: try row.id(.accountID), channel: try row.name(.channel), id: try row.id(.id),
            session: try row.id(.sessionID), value: try row.blob(.value), former: try row.blob(.former),
            code: OpenFactorRecord.Code(
                mac: try row.blob(.codeMAC), keyID: KeyID(UInt32(clamping: try row.integer(.macKeyID))),
                expiresAt: try row.time(.expiresAt)),
            tries: try row.integer(.tries), confirmedAt: try row.optionalTime(.confirmedAt))
    }
}

/// Reads and writes addresses and numbers that wait for their code. It owns the `contact_changes` table.
package enum ContactChanges {
    /// The codes of one change that are compared; the schema has the same number.
    static let mostTries: Int64 = 5

    /// Begins a change. A former one of the same kind, with its code, ends.
    static func begin(_ change: ContactChangeRecord, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO contact_changes (\(ContactChangeRecord.columns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, NULL, $9)
            ON CONFLICT (account_id, channel) DO UPDATE SET id = excluded.id, session_id = excluded.session_id,
                value = excluded.value, former = excluded.former, code_mac = excluded.code_mac,
                mac_key_id = excluded.mac_key_id, tries = 0, confirmed_at = NULL, expires_at = excluded.expires_at
            """,
            [
                .id(change.account), .name(change.channel), .id(change.id), .id(change.session), .blob(change.value),
                .blob(change.former), .blob(change.code.mac), .integer(Int64(change.code.keyID.value)),
                .time(change.code.expiresAt),
            ])
    }

    /// - Returns: the change that waits for this session's code; `nil` if none does, or if no attempt is left.
    static func pending(
        of account: UniqueID, over channel: OutboxChannel, by session: UniqueID, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> ContactChangeRecord? {
        try connection.row(
            """
            SELECT \(ContactChangeRecord.columns) FROM contact_changes
            WHERE account_id = $1 AND channel = $2 AND session_id = $3 AND tries < $4 AND expires_at > $5
                AND confirmed_at IS NULL
            """, [.id(account), .name(channel), .id(session), .integer(mostTries), .time(now)]
        ).map(ContactChangeRecord.init)
    }

    /// Reserves an attempt before any comparison: of a thousand concurrent codes five get one. A repetition after the right code
    /// takes one as well.
    /// - Returns: the change; `nil` if none waits for this session, or if no attempt is left.
    static func reserveTry(
        of account: UniqueID, over channel: OutboxChannel, by session: UniqueID, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> ContactChangeRecord? {
        try connection.row(
            """
            UPDATE contact_changes SET tries = tries + 1
            WHERE account_id = $1 AND channel = $2 AND session_id = $3 AND tries < $4 AND expires_at > $5
            RETURNING \(ContactChangeRecord.columns)
            """, [.id(account), .name(channel), .id(session), .integer(mostTries), .time(now)]
        ).map(ContactChangeRecord.init)
    }

    /// Notes that the code was entered.
    static func confirm(_ change: ContactChangeRecord, now: Timestamp, on connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE contact_changes SET confirmed_at = $3 WHERE account_id = $1 AND channel = $2",
            [.id(change.account), .name(change.channel), .time(now)])
    }

    /// Ends the change of a kind, also one that was confirmed.
    static func remove(
        of account: UniqueID, over channel: OutboxChannel, on connection: any SQLConnection
    ) throws {
        try connection.execute(
            "DELETE FROM contact_changes WHERE account_id = $1 AND channel = $2", [.id(account), .name(channel)])
    }

    package static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM contact_changes WHERE account_id = $1", [.id(account)])
    }
}
