package import AuthCore

/// A brand: whose look the pages wear, and within which user names are unique.
package struct BrandRecord: Sendable, Hashable {
    /// Its identity, as it stands in paths.
    package var id: String
    /// Its name for people.
    package var name: String
    /// Its settings, JSON that the use cases own.
    package var settings: String
    /// When it was made.
    package var createdAt: Timestamp

    /// Each parameter is the property of its name.
    package init(id: String, name: String, settings: String, createdAt: Timestamp) {
        self.id = id
        self.name = name
        self.settings = settings
        self.createdAt = createdAt
    }

    init(_ row: SQLRow) throws {
        self.init(
            id: try row.text(0), name: try row.text(1), settings: try row.text(2), createdAt: try row.time(3))
    }
}

/// The facts of brands.
package enum Brands {
    /// Makes a brand.
    ///
    /// - Returns: `false` when the id is taken; nothing was written then.
    /// - Throws: ``StoreError``.
    package static func create(_ brand: BrandRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO brands (id, name, settings, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING
            """, [.text(brand.id), .text(brand.name), .text(brand.settings), .time(brand.createdAt)]) == 1
    }

    /// The brand of an id.
    package static func find(_ id: String, on connection: any SQLConnection) throws -> BrandRecord? {
        try connection.row("SELECT id, name, settings, created_at FROM brands WHERE id = $1", [.text(id)])
            .map(BrandRecord.init)
    }

    /// A page of brands by id, after the given one.
    package static func list(
        after: String = "", limit: Int, on connection: any SQLConnection
    ) throws -> [BrandRecord] {
        try connection.query(
            "SELECT id, name, settings, created_at FROM brands WHERE id > $1 ORDER BY id LIMIT $2",
            [.text(after), .integer(Int64(limit))]
        ).map(BrandRecord.init)
    }

    /// Replaces a brand's name and settings.
    ///
    /// - Returns: whether there is such a brand.
    /// - Throws: ``StoreError``.
    package static func update(
        _ id: String, name: String, settings: String, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "UPDATE brands SET name = $2, settings = $3 WHERE id = $1",
            [.text(id), .text(name), .text(settings)]) == 1
    }
}
