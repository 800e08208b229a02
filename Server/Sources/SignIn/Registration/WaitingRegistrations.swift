package import Core
package import Store

/// A registration that waits for its code.
package struct WaitingRegistration: Sendable, Hashable {
    /// 16 random bytes.
    package var id: UniqueID
    package var code: OpenFactorRecord.Code
    /// The answers reserved.
    package var tries: Int64 = 0
    package var expiresAt: Timestamp

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case id, codeMAC, macKeyID, codeExpiresAt, tries, expiresAt
    }

    static let columns = Column.list()
}

extension WaitingRegistration {
    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            id: try row.id(.id),
            code: OpenFactorRecord.Code(
                mac: try row.blob(.codeMAC), keyID: KeyID(UInt32(clamping: try row.integer(.macKeyID))),
                expiresAt: try row.time(.codeExpiresAt)),
            tries: try row.integer(.tries), expiresAt: try row.time(.expiresAt))
    }
}

/// Reads and writes registrations that wait for their code. It owns the `registrations` table.
package enum WaitingRegistrations {
    /// The answers of one registration that are compared; the schema has the same number.
    static let mostTries: Int64 = 5

    /// - Returns: whether it is new; `false` if there is one with this id.
    @discardableResult
    package static func open(_ registration: WaitingRegistration, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO registrations (\(WaitingRegistration.columns)) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (id) DO NOTHING
            """,
            [
                .id(registration.id), .blob(registration.code.mac), .integer(Int64(registration.code.keyID.value)),
                .time(registration.code.expiresAt), .integer(registration.tries), .time(registration.expiresAt),
            ]) == 1
    }

    /// Removes a registration that has expired, before the sweep does, so that its id can be used again.
    static func removeExpired(_ id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM registrations WHERE id = $1 AND expires_at <= $2", [.id(id), .time(now)])
    }

    /// Whether a registration waits.
    package static func exists(_ id: UniqueID, now: Timestamp, on connection: any SQLConnection) throws -> Bool {
        try connection.row(
            "SELECT 1 FROM registrations WHERE id = $1 AND expires_at > $2", [.id(id), .time(now)]) != nil
    }

    /// Reserves one of a registration's attempts before any comparison: of a thousand concurrent answers five get an attempt.
    /// - Returns: the registration with the attempt counted; `nil` if none is left or it has ended.
    package static func reserveTry(
        _ id: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> WaitingRegistration? {
        try connection.row(
            """
            UPDATE registrations SET tries = tries + 1 WHERE id = $1 AND tries < $2 AND expires_at > $3
            RETURNING \(WaitingRegistration.columns)
            """, [.id(id), .integer(mostTries), .time(now)]
        ).map(WaitingRegistration.init)
    }
}
