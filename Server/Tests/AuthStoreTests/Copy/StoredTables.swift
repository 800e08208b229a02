import StoreSQLite
import Testing

@testable import Operations
@testable import Store

@Suite struct StoredTables {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("Every table of a database is known with its primary key, on each engine", arguments: EngineUnderTest.all)
    func keys(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        var found = try await Self.keys(of: database)
        found["schema_migrations"] = nil
        let known = Dictionary(Schema.tables.map { ($0.name, $0.key) }, uniquingKeysWith: { first, _ in first })
        #expect(known.count == Schema.tables.count)
        for table in Set(found.keys).union(known.keys).sorted() where found[table] != known[table] {
            Issue.record(
                """
                \(table) has the key \(found[table] ?? []) in the database, and `StoredTable` reads \(known[table] ?? []) \
                from the migrations: a copy would miss its rows
                """)
        }
    }

    private static func keys(of database: any Database) async throws -> [String: [String]] {
        let query =
            database is SQLiteDatabase
            ? """
            SELECT m.name AS name, c.name AS part FROM sqlite_master m JOIN pragma_table_info(m.name) c
            WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND c.pk > 0 ORDER BY m.name, c.pk
            """
            : """
            SELECT c.relname AS name, a.attname AS part
            FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indrelid
                JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (number, place)
                JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
            WHERE i.indisprimary AND n.nspname = current_schema() ORDER BY c.relname, k.place
            """
        return try await database.read { connection in
            var keys: [String: [String]] = [:]
            for row in try connection.query(query, []) {
                let (table, part) = (try row.text("name"), try row.text("part"))
                keys[table, default: []].append(part)
            }
            return keys
        }
    }

    @Test("A digest tells rows apart that look alike, and does not depend on the order of rows or columns")
    func digests() {
        let columns = ["a", "b"]
        let rows: [[SQLValue]] = [
            ["ab", "c"], ["a", "bc"], ["abc", ""], ["", "abc"], [nil, "abc"], ["abc", nil], [nil, nil], ["", ""],
            [.blob([0x61]), ""], ["a", ""], [1, ""], ["1", ""], [.integer(.min), ""], [.integer(.max), ""],
            [.integer(-1), ""], ["\u{e9}", ""], ["e\u{301}", ""], [.blob([]), ""], [.blob([0]), ""],
        ]
        var digests: Set<[UInt8]> = []
        for row in rows { digests.insert(Self.digest([SQLRow(columns: columns, values: row)]).bytes) }
        #expect(digests.count == rows.count)
        let table = rows.map { SQLRow(columns: columns, values: $0) }
        let turned = rows.reversed().map { SQLRow(columns: ["b", "a"], values: $0.reversed()) }
        #expect(Self.digest(table) == Self.digest(turned))
        #expect(Self.digest(table).rows == Int64(rows.count))
        #expect(Self.digest(table) != Self.digest(Array(table.dropLast())))
        // Twice the same row is not no row.
        #expect(Self.digest([table[0], table[0]]).bytes != TableDigest().bytes)
        #expect(Self.digest([]).text == String(repeating: "0", count: 64))
    }

    @Test("Pages grow to their limit while rows are small, and shrink to a row while rows are large")
    func pages() {
        func page(_ rows: Int, _ bytes: Int) -> [SQLRow] {
            let row = SQLRow(columns: ["a"], values: [.blob([UInt8](repeating: 0, count: bytes))])
            return Array(repeating: row, count: rows)
        }
        var size = PageSize(most: 500)
        #expect(size.rows == 32)
        for _ in 1...5 { size.adapt(to: page(size.rows, 100)) }
        #expect(size.rows == 500)
        for _ in 1...10 { size.adapt(to: page(size.rows, 2_000_000)) }
        #expect(size.rows == 1)
        #expect(PageSize(most: 0).rows == 1)
    }

    @Test("A position in a table is read as it was written")
    func positions() {
        let keys: [[SQLValue]?] = [
            nil, [.blob([])], [.blob([0, 255]), "e\u{301} 🔑"], [""], [.integer(.min), .integer(.max)],
        ]
        for key in keys {
            let position = CopyPosition(rows: 12, last: key)
            #expect(CopyPosition(text: position.text) == position)
        }
        for text in ["", "x", "-1", "1 ", "1 b0", "1 bg0", "1 ix", "1 x00", "1  b00"] {
            #expect(CopyPosition(text: text) == nil, "\(text)")
        }
    }

    private static func digest(_ rows: [SQLRow]) -> TableDigest {
        var digest = TableDigest()
        digest.add(rows)
        return digest
    }
}
