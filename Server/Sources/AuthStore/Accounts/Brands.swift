package import AuthCore

/// A brand: the look of its pages, and the scope of user names.
package struct BrandRecord: Sendable, Hashable {
    /// As in paths.
    package var id: String
    package var name: String
    /// JSON that AuthFoundation defines.
    package var settings: String
    package var createdAt: Timestamp

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

package enum Brands {
    /// - Returns: `false` if the id is taken; nothing was written then.
    package static func create(_ brand: BrandRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO brands (id, name, settings, created_at) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING
            """, [.text(brand.id), .text(brand.name), .text(brand.settings), .time(brand.createdAt)]) == 1
    }

    package static func find(_ id: String, on connection: any SQLConnection) throws -> BrandRecord? {
        try connection.row("SELECT id, name, settings, created_at FROM brands WHERE id = $1", [.text(id)])
            .map(BrandRecord.init)
    }

    /// A page of brands after the given id, in the order of ids.
    package static func list(
        after: String = "", limit: Int, on connection: any SQLConnection
    ) throws -> [BrandRecord] {
        try connection.query(
            "SELECT id, name, settings, created_at FROM brands WHERE id > $1 ORDER BY id LIMIT $2",
            [.text(after), .integer(Int64(limit))]
        ).map(BrandRecord.init)
    }

    /// - Returns: whether there is such a brand.
    package static func update(
        _ id: String, name: String, settings: String, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "UPDATE brands SET name = $2, settings = $3 WHERE id = $1",
            [.text(id), .text(name), .text(settings)]) == 1
    }
}
