package import Core
package import Store

/// A row of an identity provider.
package struct IdentityProviderRecord: Sendable, Hashable {
    package let brandID: String
    /// Its id among the brand's providers.
    package let id: String
    package let kind: String
    package let settings: String
    /// The server's client secret there, sealed.
    package let secret: [UInt8]?
    package let createdAt: Timestamp

    package init(
        brandID: String, id: String, kind: String, settings: String, secret: [UInt8]?, createdAt: Timestamp
    ) {
        self.brandID = brandID
        self.id = id
        self.kind = kind
        self.settings = settings
        self.secret = secret
        self.createdAt = createdAt
    }

    /// The columns that ``init(_:)`` reads.
    fileprivate enum Column: Int, RecordColumn {
        case brandID, id, kind, settings, secret, createdAt
    }

    fileprivate static let columns = Column.list()

    fileprivate init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            brandID: try row.text(.brandID), id: try row.text(.id), kind: try row.text(.kind),
            settings: try row.text(.settings), secret: try row.optionalBlob(.secret),
            createdAt: try row.time(.createdAt))
    }
}

/// Reads and writes identity providers. It owns the `identity_providers` table.
package enum IdentityProviders {
    /// - Returns: whether the brand had no provider of that id; nothing was written otherwise.
    package static func add(_ provider: IdentityProviderRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO identity_providers (\(IdentityProviderRecord.columns)) VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (brand_id, id) DO NOTHING
            """,
            [
                .text(provider.brandID), .text(provider.id), .text(provider.kind), .text(provider.settings),
                .optional(provider.secret), .time(provider.createdAt),
            ]) == 1
    }

    /// One point read.
    package static func find(
        _ id: String, brand: String, on connection: any SQLConnection
    ) throws -> IdentityProviderRecord? {
        try connection.row(
            "SELECT \(IdentityProviderRecord.columns) FROM identity_providers WHERE brand_id = $1 AND id = $2",
            [.text(brand), .text(id)]
        ).map(IdentityProviderRecord.init)
    }

    /// A page of providers after the given one, in the order of brand and id.
    package static func list(
        after last: IdentityProviderRecord? = nil, limit: Int, on connection: any SQLConnection
    ) throws -> [IdentityProviderRecord] {
        try connection.query(
            """
            SELECT \(IdentityProviderRecord.columns) FROM identity_providers
            WHERE brand_id > $1 OR (brand_id = $1 AND id > $2) ORDER BY brand_id, id LIMIT $3
            """, [.text(last?.brandID ?? ""), .text(last?.id ?? ""), .integer(Int64(limit))]
        ).map(IdentityProviderRecord.init)
    }

    /// The providers of one kind, of all brands.
    package static func list(
        kind: String, limit: Int, on connection: any SQLConnection
    ) throws -> [IdentityProviderRecord] {
        try connection.query(
            """
            SELECT \(IdentityProviderRecord.columns) FROM identity_providers
            WHERE kind = $1 ORDER BY brand_id, id LIMIT $2
            """, [.text(kind), .integer(Int64(limit))]
        ).map(IdentityProviderRecord.init)
    }

    /// The providers of one brand, in the order in which they were added.
    package static func list(
        brand: String, limit: Int, on connection: any SQLConnection
    ) throws -> [IdentityProviderRecord] {
        try connection.query(
            """
            SELECT \(IdentityProviderRecord.columns) FROM identity_providers
            WHERE brand_id = $1 ORDER BY created_at, id LIMIT $2
            """, [.text(brand), .integer(Int64(limit))]
        ).map(IdentityProviderRecord.init)
    }

    /// Removes a provider. Its identities stay linked, but cannot be used while there is no such provider.
    /// - Returns: whether there was one.
    package static func remove(_ id: String, brand: String, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "DELETE FROM identity_providers WHERE brand_id = $1 AND id = $2", [.text(brand), .text(id)]) == 1
    }
}
