import Store

/// Reads a table page by page, in the order of its primary key.
///
/// That order is the engine's own. A key of another engine is only ever compared within this one.
struct TablePages {
    let table: StoredTable

    /// - Parameters:
    ///   - key: the primary key of the last row of the previous page; `nil` for the first page.
    ///   - limit: the most rows.
    func page(after key: [SQLValue]?, limit: Int, on connection: any SQLConnection) throws -> [SQLRow] {
        let columns = table.key.joined(separator: ", ")
        guard let key else {
            return try connection.query(
                "SELECT * FROM \(table.name) ORDER BY \(columns) LIMIT $1", [.integer(Int64(limit))])
        }
        let placeholders = table.key.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        return try connection.query(
            """
            SELECT * FROM \(table.name) WHERE (\(columns)) > (\(placeholders)) ORDER BY \(columns) LIMIT $\(key.count + 1)
            """, key + [.integer(Int64(limit))])
    }

    /// A row's primary key.
    func key(of row: SQLRow) throws -> [SQLValue] {
        try table.key.map { column in
            guard let place = row.columns.firstIndex(of: column) else {
                throw StoreError(.unexpectedRow, "no column named \(column) in \(table.name)")
            }
            return row.values[place]
        }
    }

    /// Writes rows with the same columns, many in one statement.
    /// - Throws: ``StoreError`` with code `conflict` if a row is there already.
    func insert(_ rows: [SQLRow], on connection: any SQLConnection) throws {
        guard let columns = rows.first?.columns else { return }
        // They become a part of the statement, and the source may be a file that someone else has written.
        for column in columns {
            guard column.utf8.allSatisfy(Self.isLetter) else {
                throw StoreError(.unexpectedRow, "\(table.name) has a column that is not this program's")
            }
        }
        var rest = rows[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.rowsInStatement(of: rest.count, columns: columns.count))
            rest = rest.dropFirst(part.count)
            let groups = (0..<part.count).map { row in
                let placeholders = columns.indices.map { "$\(row * columns.count + $0 + 1)" }
                return "(\(placeholders.joined(separator: ", ")))"
            }
            try connection.execute(
                "INSERT INTO \(table.name) (\(columns.joined(separator: ", "))) VALUES \(groups.joined(separator: ", "))",
                part.flatMap(\.values))
        }
    }

    /// The most placeholders of a statement. Engines allow tens of thousands.
    private static let mostPlaceholders = 1024

    /// A power of two, so that a table has few different statements.
    private static func rowsInStatement(of rows: Int, columns: Int) -> Int {
        let most = max(1, min(rows, mostPlaceholders / columns))
        var count = 1
        while count * 2 <= most { count *= 2 }
        return count
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

/// The rows of the next page: few at first, and more as long as they are small.
struct PageSize {
    private let most: Int
    private(set) var rows: Int

    /// The bytes of a page from which on pages become smaller.
    private static let bytes = 1 << 20

    init(most: Int) {
        self.most = max(1, most)
        rows = min(32, self.most)
    }

    mutating func adapt(to page: [SQLRow]) {
        let size = page.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.size } }
        if size > Self.bytes {
            rows = max(1, rows / 2)
        } else if size * 2 <= Self.bytes {
            rows = min(most, rows * 2)
        }
    }
}

extension SQLValue {
    fileprivate var size: Int {
        switch self {
        case .null, .integer: 8
        case .text(let text): text.utf8.count
        case .blob(let bytes): bytes.count
        }
    }
}
