package import Core
package import Store

/// A brand: the look of its pages, and the scope of user names.
package struct BrandRecord: Sendable, Hashable {
    /// As in paths.
    package var id: String
    package var name: String
    package var settings: String
    package var createdAt: Timestamp

    package init(id: String, name: String, settings: String, createdAt: Timestamp) {
        self.id = id
        self.name = name
        self.settings = settings
        self.createdAt = createdAt
    }

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case id, name, settings, createdAt
    }

    static let columns = Column.list()

    init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            id: try row.text(.id), name: try row.text(.name), settings: try row.text(.settings),
            createdAt: try row.time(.createdAt))
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
        try connection.row("SELECT \(BrandRecord.columns) FROM brands WHERE id = $1", [.text(id)])
            .map(BrandRecord.init)
    }

    /// A page of brands after the given id, in the order of ids.
    package static func list(
        after: String = "", limit: Int, on connection: any SQLConnection
    ) throws -> [BrandRecord] {
        try connection.query(
            "SELECT \(BrandRecord.columns) FROM brands WHERE id > $1 ORDER BY id LIMIT $2",
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

package enum BrandSettings {
    /// The brand in every new database.
    package static let defaultBrand = "default"
}
