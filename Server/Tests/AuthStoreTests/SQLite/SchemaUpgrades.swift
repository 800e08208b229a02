import AuthCore
import AuthStore
import AuthStoreSQLite
import Foundation
import Testing

/// Databases of the programs before the first release. `Fixtures/schema-33.sql` is one of the last of them.
@Suite struct SchemaUpgrades {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func formerDatabase() async throws -> SQLiteDatabase {
        let fixture = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/schema-33.sql")
        let lines = try String(contentsOf: fixture, encoding: .utf8).split(separator: "\n")
        let statements = lines.filter { !$0.hasPrefix("--") }.joined(separator: "\n").components(separatedBy: ";")
            .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { !$0.isEmpty }
        let database = try SQLiteDatabase.open(path: scratch.database)
        try await database.write { connection in
            for statement in statements {
                if statement.hasPrefix("INSERT") {
                    try connection.execute(statement, [])
                } else {
                    try connection.define(statement)
                }
            }
        }
        return database
    }

    /// The definitions of all tables and indexes by name, without the spaces and quotes that depend on whether `CREATE`
    /// or `ALTER` wrote them.
    private func definitions(of database: SQLiteDatabase) async throws -> [String: String] {
        try await database.read { connection in
            var definitions: [String: String] = [:]
            for row in try connection.query("SELECT name, COALESCE(sql, '') AS definition FROM sqlite_master", []) {
                definitions[try row.text("name")] = try row.text("definition").filter { !$0.isWhitespace && $0 != "\"" }
            }
            return definitions
        }
    }

    private func columns(of database: SQLiteDatabase) async throws -> [[SQLValue]] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT m.name, c.cid, c.name, c.type, c."notnull", c.dflt_value, c.pk
                FROM sqlite_master m JOIN pragma_table_xinfo(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid
                """, []
            ).map(\.values)
        }
    }

    @Test("A database of the last program before the first release becomes the same as a new one")
    func upgrade() async throws {
        let upgraded = try await formerDatabase()
        let reports = try await concurrently(8) { _ in try await Schema.migrate(upgraded, now: .start) }
        #expect(reports.allSatisfy { $0.to == Schema.newest })
        #expect(reports.contains { $0.from == 33 })
        let elsewhere = try Scratch()
        let new = try SQLiteDatabase.open(path: elsewhere.database)
        try await Schema.migrate(new, now: .start)
        let (found, expected) = (try await definitions(of: upgraded), try await definitions(of: new))
        #expect(Set(found.keys) == Set(expected.keys))
        for (name, definition) in expected { #expect(found[name] == definition) }
        let (foundColumns, expectedColumns) = (try await columns(of: upgraded), try await columns(of: new))
        #expect(foundColumns == expectedColumns)
        let report = try await upgraded.check()
        #expect(report.isSound)
        await upgraded.close()
        await new.close()
    }

    @Test("An upgrade keeps what was stored under the former names")
    func rows() async throws {
        let database = try await formerDatabase()
        try await Schema.migrate(database, now: .start)
        let (id, digest) = (Sample.account, [UInt8](repeating: 0, count: 32))
        try await database.read { connection in
            let account = try #require(try Accounts.find(id, on: connection))
            #expect(account.deactivatedBy == .failures)
            #expect(account.devicesDistrustedAt == Timestamp(milliseconds: 100))
            let device = try #require(try Devices.find(Sample.id(88), on: connection))
            #expect(device.deactivatedBy == .operator)
            let pin = try #require(try AccountPINs.find(id, on: connection))
            #expect(pin.failed == 2)
            #expect(pin.failedTotal == 7)
            let identity = try #require(try FederatedIdentities.find(digest, brand: "default", on: connection))
            #expect(!identity.assertsAddress)
            for (milliseconds, isDue) in [(Int64(499), false), (500, true)] {
                let due = try AppleGrants.isDue(now: Timestamp(milliseconds: milliseconds), on: connection)
                #expect(due.ask == isDue)
            }
            let operation = try #require(try WalletOperations.find("op-1", client: "shop", on: connection))
            #expect(operation.event.state == .verified(at: Timestamp(milliseconds: 600)))
            #expect(operation.issuer == nil, "it is unknown under which issuer the operation was requested")
            let attempts = try WalletOperations.attempts(of: Sample.id(3), on: connection)
            #expect(attempts.map(\.isRight) == [false, true])
            let history = try SCAHistory.find(id, on: connection)
            #expect(history.isIncomplete)
            for (milliseconds, isCooling) in [(Int64(899), true), (900, false)] {
                let now = Timestamp(milliseconds: milliseconds)
                #expect(try TOTPSecrets.isCooling(of: id, now: now, on: connection) == isCooling)
            }
            #expect(try UnreachableAccounts.contains(Sample.id(2), on: connection))
        }
        await database.close()
    }

    @Test("An upgrade that fails half way changes nothing, and can be repeated")
    func interrupted() async throws {
        let database = try await formerDatabase()
        let before = try await definitions(of: database)
        let predecessor = try #require(Migration.initial.predecessor)
        let broken = Migration(
            version: Migration.initial.version, name: "broken", statements: [],
            predecessor: Migration.Predecessor(
                version: predecessor.version,
                statements: predecessor.statements + ["ALTER TABLE no_such_table RENAME TO other"]))
        await #expect(throws: StoreError.self) {
            try await Schema.migrate(database, with: [broken], now: .start)
        }
        let after = try await definitions(of: database)
        #expect(after == before)
        let report = try await Schema.migrate(database, now: .start)
        #expect(report == Schema.Report(from: 33, to: Schema.newest))
        await database.close()
    }

    @Test("A database of an older program is refused with what to do, and left as it is")
    func older() async throws {
        let database = try await formerDatabase()
        try await database.write { connection in
            _ = try connection.execute("DELETE FROM schema_migrations WHERE version > 32", [])
        }
        let before = try await definitions(of: database)
        let error = await #expect(throws: StoreError.self) { try await Schema.migrate(database, now: .start) }
        #expect(error?.code == .olderSchema)
        #expect(error?.reason.contains("schema 32") == true)
        #expect(error?.reason.contains("run the last program with schema 33") == true)
        let after = try await definitions(of: database)
        #expect(after == before)
        let version = try await database.read { try Schema.version(on: $0) }
        #expect(version == 32)
        await database.close()
    }

    @Test("A backup of an older program is not restored")
    func olderBackup() async throws {
        let database = try await formerDatabase()
        try await database.write { connection in
            _ = try connection.execute("DELETE FROM schema_migrations WHERE version > 32", [])
        }
        let copy = scratch.path("copy.db")
        try await database.backup(to: copy)
        await database.close()
        let path = scratch.path("restored.db")
        let error = #expect(throws: StoreError.self) { _ = try SQLiteDatabase.restore(path, from: copy) }
        #expect(error?.code == .olderSchema)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("A backup of the last program before the first release is restored, and refused with a trigger in it")
    func formerBackup() async throws {
        let database = try await formerDatabase()
        let (copy, manipulated) = (scratch.path("copy.db"), scratch.path("manipulated.db"))
        try await database.backup(to: copy)
        try await database.write { connection in
            try connection.define("CREATE TRIGGER silent BEFORE INSERT ON meta BEGIN SELECT RAISE(IGNORE); END")
        }
        try await database.backup(to: manipulated)
        await database.close()
        let path = scratch.path("restored.db")
        let error = #expect(throws: StoreError.self) { _ = try SQLiteDatabase.restore(path, from: manipulated) }
        #expect(error?.reason == "the trigger silent is not this program's")
        #expect(!FileManager.default.fileExists(atPath: path))
        _ = try SQLiteDatabase.restore(path, from: copy)
        let restored = try SQLiteDatabase.open(path: path)
        let report = try await Schema.migrate(restored, now: .start)
        #expect(report == Schema.Report(from: 33, to: Schema.newest))
        await restored.close()
    }
}
