package import AuthCore

/// A row of a data key, wrapped under the master key and useless without it.
package struct DataKeyRecord: Sendable, Hashable {
    package var purpose: String
    /// Its id within the purpose, from 1.
    package var kid: Int64
    package var wrapped: [UInt8]
    package var createdAt: Timestamp
    /// When it stopped sealing; a retired key only opens. `nil` for the active one.
    package var retiredAt: Timestamp?

    package init(purpose: String, kid: Int64, wrapped: [UInt8], createdAt: Timestamp, retiredAt: Timestamp? = nil) {
        self.purpose = purpose
        self.kid = kid
        self.wrapped = wrapped
        self.createdAt = createdAt
        self.retiredAt = retiredAt
    }
}

/// Reads and writes data keys. It owns the `data_keys` table.
package enum DataKeys {
    /// Every data key, including retired ones, by purpose and id.
    package static func all(on connection: any SQLConnection) throws -> [DataKeyRecord] {
        try connection.query(
            "SELECT purpose, kid, wrapped, created_at, retired_at FROM data_keys ORDER BY purpose, kid", []
        ).map { row in
            DataKeyRecord(
                purpose: try row.text(0), kid: try row.integer(1), wrapped: try row.blob(2),
                createdAt: try row.time(3), retiredAt: try row.optionalTime(4))
        }
    }

    /// Adds a key and retires the active one of its purpose.
    /// - Returns: `false` if the id is taken, because another process rotated first; nothing was written then.
    package static func add(_ key: DataKeyRecord, on connection: any SQLConnection) throws -> Bool {
        let added = try connection.execute(
            """
            INSERT INTO data_keys (purpose, kid, wrapped, created_at, retired_at) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (purpose, kid) DO NOTHING
            """,
            [.text(key.purpose), .integer(key.kid), .blob(key.wrapped), .time(key.createdAt), .time(key.retiredAt)])
        guard added == 1 else { return false }
        try connection.execute(
            "UPDATE data_keys SET retired_at = $3 WHERE purpose = $1 AND kid <> $2 AND retired_at IS NULL",
            [.text(key.purpose), .integer(key.kid), .time(key.createdAt)])
        return true
    }
}
