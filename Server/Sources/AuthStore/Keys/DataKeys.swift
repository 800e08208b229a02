package import AuthCore

/// A data key as it stands in its row: wrapped under the master key, of no use without it.
package struct DataKeyRecord: Sendable, Hashable {
    /// What the key is for.
    package var purpose: String
    /// Its id within the purpose, from 1.
    package var kid: Int64
    /// The key, wrapped under the master key.
    package var wrapped: [UInt8]
    /// When it was made.
    package var createdAt: Timestamp
    /// Since when it only opens and no longer seals, or `nil`.
    package var retiredAt: Timestamp?

    /// Each parameter is the property of its name.
    package init(purpose: String, kid: Int64, wrapped: [UInt8], createdAt: Timestamp, retiredAt: Timestamp? = nil) {
        self.purpose = purpose
        self.kid = kid
        self.wrapped = wrapped
        self.createdAt = createdAt
        self.retiredAt = retiredAt
    }
}

/// The facts of data keys.
package enum DataKeys {
    /// Every data key, retired ones included, by purpose and id.
    package static func all(on connection: any SQLConnection) throws -> [DataKeyRecord] {
        try connection.query(
            "SELECT purpose, kid, wrapped, created_at, retired_at FROM data_keys ORDER BY purpose, kid", []
        ).map { row in
            DataKeyRecord(
                purpose: try row.text(0), kid: try row.integer(1), wrapped: try row.blob(2),
                createdAt: try row.time(3), retiredAt: try row.optionalTime(4))
        }
    }

    /// Adds a key and retires those of its purpose that seal so far.
    ///
    /// - Returns: `false` when the id is taken (another process rotated first); nothing was written then.
    /// - Throws: ``StoreError``.
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
