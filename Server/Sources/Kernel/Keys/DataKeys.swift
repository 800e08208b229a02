package import Core
package import Store

/// A row of a data key, wrapped under a master key and useless without it.
package struct DataKeyRecord: Sendable, Hashable {
    package var purpose: String
    /// Its id within the purpose, from 1.
    package var kid: Int64
    package var wrapped: [UInt8]
    package var createdAt: Timestamp
    /// When it stopped sealing; a retired key only opens. `nil` for the active one.
    package var retiredAt: Timestamp?

    /// The id of the master key that wrapped it; ``MasterKey/unnamed`` from before they had ids.
    var wrappingID: KeyID? { Sealing.keyID(of: wrapped) }

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case purpose, kid, wrapped, createdAt, retiredAt
    }

    static let columns = Column.list()
}

extension DataKeyRecord {
    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            purpose: try row.text(.purpose), kid: try row.integer(.kid), wrapped: try row.blob(.wrapped),
            createdAt: try row.time(.createdAt), retiredAt: try row.optionalTime(.retiredAt))
    }
}

/// Reads and writes data keys. It owns the `data_keys` table.
package enum DataKeys {
    /// Every data key, including retired ones, by purpose and id.
    package static func all(on connection: any SQLConnection) throws -> [DataKeyRecord] {
        try connection.query("SELECT \(DataKeyRecord.columns) FROM data_keys ORDER BY purpose, kid", [])
            .map(DataKeyRecord.init)
    }

    /// What became of a new key.
    package enum Addition: Sendable, Hashable {
        case added
        /// The id is taken, because another process rotated first.
        case taken
        /// The others are wrapped under another master key, because it has just been rotated.
        case wrappedDifferently
    }

    /// Adds a key and retires the active one of its purpose, or writes nothing.
    package static func add(_ key: DataKeyRecord, on connection: any SQLConnection) throws -> Addition {
        // In the transaction that inserts: otherwise a key that was wrapped before a rotation of the master key would come after it.
        let isWrappedAlike = try all(on: connection).allSatisfy { $0.wrappingID == key.wrappingID }
        guard isWrappedAlike else { return .wrappedDifferently }
        let added = try connection.execute(
            """
            INSERT INTO data_keys (\(DataKeyRecord.columns)) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (purpose, kid) DO NOTHING
            """,
            [.text(key.purpose), .integer(key.kid), .blob(key.wrapped), .time(key.createdAt), .time(key.retiredAt)])
        guard added == 1 else { return .taken }
        try connection.execute(
            "UPDATE data_keys SET retired_at = $3 WHERE purpose = $1 AND kid <> $2 AND retired_at IS NULL",
            [.text(key.purpose), .integer(key.kid), .time(key.createdAt)])
        return .added
    }

    /// Wraps a key another time. The key itself stays the same.
    static func rewrap(_ key: DataKeyRecord, as wrapped: [UInt8], on connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE data_keys SET wrapped = $3 WHERE purpose = $1 AND kid = $2",
            [.text(key.purpose), .integer(key.kid), .blob(wrapped)])
    }
}
