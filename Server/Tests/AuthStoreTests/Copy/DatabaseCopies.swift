import Core
import Foundation
import Operations
import Store
import StorePostgreSQL
import StoreSQLite
import TestSupport
import Testing

@Suite(.covers("a database is copied to the other engine")) struct DatabaseCopies {
    private struct Interruption: Error {}

    private let here: Scratch
    private let there: Scratch

    init() throws {
        here = try Scratch()
        there = try Scratch()
    }

    /// A SQLite database with rows in every table.
    private func filled(_ count: Int = 12) async throws -> SQLiteDatabase {
        let database = try SQLiteDatabase.open(path: here.database)
        try await Schema.migrate(database, now: .start)
        try await RandomRows.fill(database, count)
        return database
    }

    private func copy(
        _ source: any Database, to destination: any Database, isEmpty: Bool = true, rowsInPage: Int = 500
    ) async throws -> [DatabaseCopy.ComparedTable] {
        let copy = try await DatabaseCopy.begin(
            from: source, to: destination, isEmpty: isEmpty, rowsInPage: rowsInPage, now: .start)
        try await copy.copyTables { _ in }
        let tables = try await copy.compareTables { _ in }
        try await copy.finish(now: .start)
        return tables
    }

    /// Copies a few pages, and stops.
    private func begin(
        _ source: any Database, to destination: any Database, isEmpty: Bool = true, pages: Int = 5
    ) async throws {
        let copy = try await DatabaseCopy.begin(from: source, to: destination, isEmpty: isEmpty, now: .start)
        let left = LockedValue(pages)
        await #expect(throws: Interruption.self) {
            try await copy.copyTables { _ in
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                if isLast { throw Interruption() }
            }
        }
    }

    private func isUnfinished(_ database: any Database) async throws -> Bool {
        try await database.read { try DatabaseCopy.isUnfinished(on: $0) }
    }

    /// What SQLite itself prints of each row, byte by byte.
    private func dump(_ database: SQLiteDatabase) async throws -> [String: [[UInt8]]] {
        try await database.read { connection in
            var dump: [String: [[UInt8]]] = [:]
            for table in Schema.tables {
                let columns = try connection.query(
                    "SELECT name FROM pragma_table_info('\(table.name)') ORDER BY name", []
                ).map { try $0.text("name") }
                let printed = columns.map { "quote(\($0))" }.joined(separator: " || ',' || ")
                // The copy's own notes.
                let condition = table.name == "meta" ? "WHERE name NOT LIKE 'copy.%'" : ""
                dump[table.name] = try connection.query(
                    """
                    SELECT \(printed) AS line FROM \(table.name) \(condition)
                    ORDER BY \(table.key.joined(separator: ", "))
                    """, []
                ).map { Array(try $0.text("line").utf8) }
            }
            return dump
        }
    }

    /// A program that another test starts at this moment has the file's lock until it replaces itself.
    private func openedAgain(_ engine: EngineUnderTest) async throws -> any Database {
        let end = ContinuousClock.now + .seconds(300)
        while true {
            do { return try await engine.open(there) } catch let error as StoreError where error.code == .owned {
                guard ContinuousClock.now < end else { throw error }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    // MARK: Whole copies

    @Test("A database with rows of all kinds in every table is copied to PostgreSQL and back, and equals itself")
    func thereAndBack() async throws {
        let source = try await filled()
        let postgres = try await PostgreSQLServer.shared().open(there)
        let tables = try await copy(source, to: postgres)
        #expect(tables.map(\.name) == Schema.tables.map(\.name))
        for table in tables { #expect(table.digest.rows > 0, "\(table.name)") }
        #expect(try await !isUnfinished(postgres))
        let elsewhere = try Scratch()
        let back = try SQLiteDatabase.open(path: elsewhere.database)
        #expect(try await back.isEmpty())
        #expect(try await copy(postgres, to: back, rowsInPage: 7) == tables)
        let (expected, found) = (try await dump(source), try await dump(back))
        for table in Schema.tables { #expect(found[table.name] == expected[table.name], "\(table.name)") }
        let report = try await back.check()
        #expect(report.isSound, "\(report.problems)")
        await postgres.close()
    }

    @Test(
        """
        A copy that is interrupted after every page, or every ninth one on PostgreSQL, and whose database is closed each time, \
        goes on to the end
        """,
        arguments: EngineUnderTest.all)
    func interrupted(engine: EngineUnderTest) async throws {
        let source = try await filled(8)
        let untouched = try await dump(source)
        // A connection to a server takes longer than a page.
        let stride = engine.testDescription == "SQLite" ? 1 : 9
        var (runs, isFinished) = (0, false)
        while !isFinished {
            let destination = try await openedAgain(engine)
            let pages = LockedValue(0)
            let copy = try await DatabaseCopy.begin(
                from: source, to: destination, isEmpty: runs == 0, rowsInPage: 6, now: .start)
            do {
                try await copy.copyTables { _ in
                    let count = pages.withLock { pages in
                        pages += 1
                        return pages
                    }
                    if count == stride { throw Interruption() }
                }
                isFinished = true
                let tables = try await copy.compareTables { _ in }
                #expect(tables.count == Schema.tables.count)
                #expect(try await isUnfinished(destination))
                try await copy.finish(now: .start)
                #expect(try await !isUnfinished(destination))
            } catch is Interruption {
                runs += 1
                #expect(try await isUnfinished(destination))
            }
            try await engine.close(destination)
        }
        // Each table has more than one page of six rows, or one.
        #expect(runs * stride > Schema.tables.count)
        #expect(try await dump(source) == untouched, "a copy changes nothing in its source")
    }

    @Test("A commit whose response is lost interrupts the copy, and its page is not written twice")
    func lostAnswer() async throws {
        let source = try await filled()
        let server = try await PostgreSQLServer.shared()
        let direct = try await server.open(there)
        let proxy = try CuttingProxy(server.folder + "/.s.PGSQL.5432")
        let string = server.string(
            schema: PostgreSQLServer.schema(of: there), host: "127.0.0.1", "port=\(proxy.port) sslmode=disable")
        let proxied = try await PostgreSQLDatabase.open(string, options: .tests)
        let copy = try await DatabaseCopy.begin(from: source, to: proxied, isEmpty: true, rowsInPage: 4, now: .start)
        let error = await #expect(throws: StoreError.self) {
            try await copy.copyTables { step in
                // The destination's next transaction writes the next page.
                if case .copied("accounts", 4, false) = step { proxy.bring(.cutAfter, at: "COMMIT") }
            }
        }
        #expect(error?.code == .outcomeUnknown)
        await proxied.close()
        let tables = try await self.copy(source, to: direct, isEmpty: false)
        #expect(tables.count == Schema.tables.count)
        await direct.close()
    }

    // MARK: Refusals

    @Test("A destination that holds anything else is refused and left as it is", arguments: EngineUnderTest.all)
    func taken(engine: EngineUnderTest) async throws {
        let source = try await filled(2)
        let destination = try await engine.furnished(there)
        let before = try await digests(of: destination)
        await #expect(throws: CopyRefusal.destinationIsTaken) {
            try await copy(source, to: destination, isEmpty: false)
        }
        #expect(try await digests(of: destination) == before)
        #expect(try await !isUnfinished(destination))
        // Of another version of the program.
        let future = Migration(
            version: Schema.newest + 1, name: "future", statements: ["CREATE TABLE future (id BIGINT PRIMARY KEY)"])
        try await Schema.migrate(destination, with: Schema.migrations + [future], now: .start)
        await #expect(throws: CopyRefusal.destinationIsTaken) {
            try await copy(source, to: destination, isEmpty: false)
        }
        try await engine.close(destination)
    }

    private func digests(of database: any Database) async throws -> [TableDigest] {
        try await database.read { connection in
            try Schema.tables.map { table in
                var digest = TableDigest()
                digest.add(try connection.query("SELECT * FROM \(table.name)", []))
                return digest
            }
        }
    }

    @Test(
        "A finished copy is not copied onto again; an unfinished one only by its own source",
        arguments: EngineUnderTest.all)
    func marked(engine: EngineUnderTest) async throws {
        let source = try await filled(4)
        let elsewhere = try Scratch()
        let other = try SQLiteDatabase.open(path: elsewhere.database)
        try await Schema.migrate(other, now: .start)
        try await RandomRows.fill(other, 4, seed: 2)
        let destination = try await engine.open(there)
        try await begin(source, to: destination)
        await #expect(throws: CopyRefusal.copyOfAnother) { try await copy(other, to: destination, isEmpty: false) }
        _ = try await copy(source, to: destination, isEmpty: false)
        for database in [source, other] {
            await #expect(throws: CopyRefusal.copyIsFinished(Timestamp.start)) {
                try await copy(database, to: destination, isEmpty: false)
            }
        }
        try await engine.close(destination)
    }

    @Test("An interrupted copy whose source was used in between is refused at once, or at the latest by the comparison")
    func sourceUsed() async throws {
        let source = try await filled(4)
        let elsewhere = try Scratch()
        let destination = try SQLiteDatabase.open(path: elsewhere.database)
        try await begin(source, to: destination, pages: 12)
        // What the digest of the source does not cover, in a table that is copied already.
        try await source.write { _ = try $0.execute("UPDATE accounts SET locale = 'bg'", []) }
        await #expect(throws: CopyRefusal.differs(tables: ["accounts"])) {
            try await copy(source, to: destination, isEmpty: false)
        }
        #expect(try await isUnfinished(destination))
        try await source.write { try Meta.set("sample", to: "1", on: $0) }
        await #expect(throws: CopyRefusal.copyOfAnother) { try await copy(source, to: destination, isEmpty: false) }
    }

    @Test(
        "attack: a row of the destination that was changed, removed or added before the copy was finished is found",
        arguments: [
            "UPDATE brands SET settings = 'changed'", "DELETE FROM seen_jtis",
            "INSERT INTO merchants (id, name, created_at) VALUES ('added', 'Added', 0)",
        ])
    func tampered(statement: String) async throws {
        let source = try await filled(4)
        let destination = try await PostgreSQLServer.shared().open(there)
        let copy = try await DatabaseCopy.begin(from: source, to: destination, isEmpty: true, now: .start)
        try await copy.copyTables { _ in }
        try await destination.write { _ = try $0.execute(statement, []) }
        let error = await #expect(throws: CopyRefusal.self) { try await copy.compareTables { _ in } }
        guard case .differs(let tables) = error, tables.count == 1, statement.contains(tables[0]) else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try await isUnfinished(destination))
        await destination.close()
    }

    @Test("A row that something else wrote where the copy goes on is a conflict, and no row is replaced")
    func conflicting() async throws {
        let source = try await filled(4)
        let destination = try SQLiteDatabase.open(path: there.database)
        try await begin(source, to: destination, pages: 1)
        let merchant = try await source.read { try $0.query("SELECT id FROM merchants LIMIT 1", []).map(\.values) }
        try await destination.write { connection in
            _ = try connection.execute(
                "INSERT INTO merchants (id, name, created_at) VALUES ($1, 'mine', 0)", merchant.first ?? [])
        }
        await #expect(throws: CopyRefusal.destinationChanged(table: "merchants")) {
            try await copy(source, to: destination, isEmpty: false)
        }
        let names = try await destination.read { try $0.query("SELECT name FROM merchants", []).map(\.values) }
        #expect(names == [["mine"]])
    }

    @Test("A source without this program's tables, with another schema, unfinished, or restored is refused")
    func sources() async throws {
        let elsewhere = try Scratch()
        let destination = try SQLiteDatabase.open(path: elsewhere.database)
        let source = try SQLiteDatabase.open(path: here.database)
        await #expect(throws: CopyRefusal.noSource) { try await copy(source, to: destination) }
        try await Schema.migrate(source, now: .start)
        try await RandomRows.fill(source, 2)
        try await source.write { _ = try $0.execute(PendingRestore.marking, []) }
        await #expect(throws: CopyRefusal.sourceIsRestored) { try await copy(source, to: destination) }
        try await source.write { try PendingRestore.settle(on: $0) }
        try await begin(source, to: destination)
        let third = try SQLiteDatabase.open(path: there.database)
        await #expect(throws: CopyRefusal.sourceIsUnfinished) { try await copy(destination, to: third) }
        try await source.write { connection in
            _ = try connection.execute(
                "INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, 'future', 0)",
                [.integer(Schema.newest + 1)])
        }
        let error = await #expect(throws: StoreError.self) { try await copy(source, to: third) }
        #expect(error?.code == .newerSchema)
        #expect(try await third.isEmpty())
    }

    @Test("A text with U+0000, which PostgreSQL does not store, is named; without it the copy goes on")
    func zero() async throws {
        let source = try await filled(4)
        try await source.write { _ = try $0.execute("UPDATE merchants SET name = $1", ["a\u{0}b"]) }
        let destination = try await PostgreSQLServer.shared().open(there)
        await #expect(throws: CopyRefusal.textWithZero(table: "merchants", column: "name")) {
            try await copy(source, to: destination)
        }
        try await source.write { _ = try $0.execute("UPDATE merchants SET name = 'ab'", []) }
        #expect(try await copy(source, to: destination, isEmpty: false).count == Schema.tables.count)
        await destination.close()
    }

    @Test("What was made only to examine a database cannot write to it")
    func examined() async throws {
        let source = try await filled(1)
        let examined = ExaminedDatabase(source)
        #expect(try await examined.read { try Schema.version(on: $0) } == Schema.newest)
        let error = await #expect(throws: StoreError.self) {
            try await examined.write { try Meta.set("name", to: "value", on: $0) }
        }
        #expect(error?.code == .readOnly)
    }
}
