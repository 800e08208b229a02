package import Core
package import Store
package import WalletAuthWire

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

    /// The columns that ``init(_:)`` reads.
    fileprivate enum Column: Int, RecordColumn {
        case brandID, id, kind, settings, secret, createdAt
    }

    fileprivate static let columns = Column.list()
}

extension IdentityProviderRecord {
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

/// Reads and stores the providers of brands and seals their secrets.
package struct ProviderVault: Sendable {
    private let vault: Vault<ProviderField>
    private let database: any Database
    private let vendors: ProviderVendors

    init(database: any Database, sealing: SealingKeys, vendors: ProviderVendors) {
        vault = Vault(sealing)
        self.database = database
        self.vendors = vendors
    }
}

package enum ProviderField: String, SealedField {
    case secret = "identity_providers|secret"

    package typealias Row = (brand: String, id: String)

    package var purpose: KeyPurpose { .provider }

    package static func id(of row: Row) -> String { "\(row.brand)|\(row.id)" }
}

extension ProviderVault {
    /// Finds a brand's provider by name; `nil` if there is none.
    /// - Throws: ``StoreError``, or a decoding error for a damaged row.
    package func find(_ id: ProviderID, brand: BrandID) async throws -> IdentityProvider? {
        let record = try await database.read {
            try IdentityProviders.find(id.rawValue, brand: brand.rawValue, on: $0)
        }
        return try record.map { try open($0) }
    }

    package func open(_ record: IdentityProviderRecord) throws -> IdentityProvider {
        let opened = try record.secret.map { sealed in
            guard let secret = vault.openBytes(sealed, .secret, of: (record.brandID, record.id)) else {
                throw IdentityProvider.Damaged(provider: record.id)
            }
            return secret
        }
        return try IdentityProvider(record, secret: opened, vendors: vendors)
    }

    package func seal(_ provider: IdentityProvider, now: Timestamp) throws -> IdentityProviderRecord {
        let (name, settings) = try provider.kind.written()
        var secret: [UInt8]?
        switch provider.kind {
        case .openID(_, let clientSecret?), .introspection(_, let clientSecret?):
            secret = Array(clientSecret.reveal().utf8)
        case .openID, .introspection, .repository, .vendor: break
        }
        return try record(
            kind: name, id: provider.id, brand: provider.brand, settings: String(decoding: settings, as: UTF8.self),
            secret: secret, now: now)
    }

    /// Creates a row with a sealed secret.
    /// - Parameters:
    ///   - settings: JSON for the code of this kind.
    ///   - secret: this server's credential at the provider; `nil` if it needs none.
    package func record(
        kind: String, id: ProviderID, brand: BrandID, settings: String, secret: [UInt8]?, now: Timestamp
    ) throws -> IdentityProviderRecord {
        IdentityProviderRecord(
            brandID: brand.rawValue, id: id.rawValue, kind: kind, settings: settings,
            secret: try secret.map { try vault.seal($0, .secret, of: (brand.rawValue, id.rawValue)) }, createdAt: now)
    }
}
