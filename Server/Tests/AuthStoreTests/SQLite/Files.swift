import Core
import Foundation
import Kernel
import Store
import Testing

@testable import StoreSQLite

@Suite(.covers("a database or backup of an older program is refused", "a backup defines only what the program creates"))
struct Files {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func furnished() async throws -> SQLiteDatabase {
        let database = try SQLiteDatabase.open(path: scratch.database)
        try await Schema.migrate(database, now: .start)
        try await database.write { try Sample.furnish($0) }
        return database
    }

    /// Every row of every table of the schema.
    private func contents(of database: SQLiteDatabase) async throws -> [String: [SQLRow]] {
        try await database.read { connection in
            let tables = try connection.query("SELECT name FROM sqlite_master WHERE type = 'table'", [])
            return try tables.reduce(into: [:]) { contents, table in
                let name = try table.text("name")
                contents[name] = try connection.query("SELECT * FROM \(name) ORDER BY 1", [])
            }
        }
    }

    @Test("The writer is found durable: WAL, synchronous FULL, foreign keys on")
    func durable() async throws {
        let database = try SQLiteDatabase.open(path: scratch.database)
        #expect(database.durability == Durability(journalMode: "wal", synchronous: 2, foreignKeys: 1))
    }

    @Test(
        "Anything less durable is refused before the first write",
        arguments: [
            Durability(journalMode: "delete", synchronous: 2, foreignKeys: 1),
            Durability(journalMode: "wal", synchronous: 1, foreignKeys: 1),
            Durability(journalMode: "wal", synchronous: nil, foreignKeys: 1),
            Durability(journalMode: "wal", synchronous: 2, foreignKeys: 0),
        ])
    func notDurable(found: Durability) throws {
        let error = #expect(throws: StoreError.self) { try found.verify() }
        #expect(error?.code == .notDurable)
    }

    @Test("A second opener is refused by the name of the first, also through a symbolic link, until it closes")
    func owner() async throws {
        let database = try await furnished()
        let link = scratch.path("link.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: scratch.database)
        for path in [scratch.database, link] {
            let error = #expect(throws: StoreError.self) { try SQLiteDatabase.open(path: path) }
            #expect(error?.code == .owned)
            #expect(error?.reason.contains("process \(ProcessInfo.processInfo.processIdentifier)") == true)
        }
        // The refused opener must not have cost the first its own locks.
        try await database.write { try Meta.set("still", to: "mine", on: $0) }
        await database.close()
        let second = try SQLiteDatabase.open(path: link)
        let value = try await second.read { try Meta.value("still", on: $0) }
        #expect(value == "mine")
    }

    @Test("A closed database opens at once, even while a child process still has the descriptor of its lock")
    func inheritedLock() throws {
        let lock = try OwnerLock(beside: scratch.database)
        // As a fork does: another descriptor of the same open file.
        var file = stat()
        #expect(stat(scratch.database + ".lock", &file) == 0)
        let held = (3..<1_024).first { descriptor in
            var found = stat()
            return fstat(CInt(descriptor), &found) == 0 && found.st_dev == file.st_dev && found.st_ino == file.st_ino
        }
        let inherited = dup(CInt(try #require(held)))
        defer { close(inherited) }
        lock.release()
        try OwnerLock(beside: scratch.database).release()
    }

    @Test("Everything made is readable for its owner alone")
    func permissions() async throws {
        let database = try await furnished()
        try await database.backup(to: scratch.path("copy.db"))
        for name in try FileManager.default.contentsOfDirectory(atPath: scratch.folder) {
            let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path(name))
            #expect((attributes[.posixPermissions] as? Int) == 0o600, "\(name)")
        }
    }

    @Test("What was acknowledged is in the files at that moment: a copy taken then opens with it")
    func crashImage() async throws {
        let database = try await furnished()
        for generation in Int64(0)..<20 {
            let rotated = try await database.write {
                try Sessions.rotate(
                    Sample.session, from: generation, attemptHash: nil, now: .start, expiresAt: .start + .days(30),
                    countingUntil: .start,
                    on: $0)
            }
            #expect(rotated)
            let image = scratch.path("image-\(generation).db")
            for suffix in ["", "-wal"] {
                try FileManager.default.copyItem(atPath: scratch.database + suffix, toPath: image + suffix)
            }
            let copy = try SQLiteDatabase.open(path: image)
            let session = try await copy.read { try Sessions.find(Sample.session, on: $0) }
            #expect(session?.generation == generation + 1)
            await copy.close()
        }
    }

    @Test("A log deleted while it is open gets no further writes, and a kill then loses nothing that was acknowledged")
    func deletedLog() async throws {
        let database = try await furnished()
        try await database.write { try Meta.set("first", to: "acknowledged", on: $0) }
        try FileManager.default.removeItem(atPath: scratch.database + "-wal")
        for _ in 0..<2 {
            let error = await #expect(throws: StoreError.self) {
                try await database.write { try Meta.set("second", to: "refused", on: $0) }
            }
            #expect(error?.code == .fileLost)
            #expect(error?.reason.contains("wallet.db-wal was deleted or replaced") == true)
        }
        // What a kill at this moment leaves.
        let image = scratch.path("image.db")
        try FileManager.default.copyItem(atPath: scratch.database, toPath: image)
        await database.close()
        for path in [image, scratch.database] {
            let reopened = try SQLiteDatabase.open(path: path)
            let (first, second) = try await reopened.read {
                try (Meta.value("first", on: $0), Meta.value("second", on: $0))
            }
            #expect(first == "acknowledged")
            #expect(second == nil)
            await reopened.close()
        }
    }

    @Test("A database file moved away or replaced while it is open gets no further writes until it is back")
    func movedDatabase() async throws {
        let database = try await furnished()
        let moved = scratch.path("moved.db")
        try FileManager.default.moveItem(atPath: scratch.database, toPath: moved)
        for isReplaced in [false, true] {
            if isReplaced { try FileManager.default.copyItem(atPath: moved, toPath: scratch.database) }
            let error = await #expect(throws: StoreError.self) {
                try await database.write { try Meta.set("name", to: "value", on: $0) }
            }
            #expect(error?.code == .fileLost)
            #expect(error?.reason.contains("wallet.db was deleted or replaced") == true)
        }
        try FileManager.default.removeItem(atPath: scratch.database)
        try FileManager.default.moveItem(atPath: moved, toPath: scratch.database)
        try await database.write { try Meta.set("name", to: "value", on: $0) }
        await database.close()
    }

    @Test("A backup made under load opens, is sound, and holds everything acknowledged before it")
    func backup() async throws {
        let database = try await furnished()
        let copyPath = scratch.path("copy.db")
        try await database.write { connection in
            for number in 0..<500 {
                _ = try Sessions.open(Sample.newSession(Sample.id(9000 + number)), on: connection)
            }
        }
        let before = try await contents(of: database)
        try await database.backup(to: copyPath)
        let copy = try SQLiteDatabase.open(path: copyPath)
        let copied = try await contents(of: copy)
        #expect(copied == before)
        let report = try await copy.check()
        #expect(report.isSound)
        let migration = try await Schema.migrate(copy, now: .start)
        #expect(migration.from == Schema.newest)

        async let written: Void = {
            for number in 0..<200 {
                try await database.write { try Meta.set("name-\(number)", to: "value", on: $0) }
            }
        }()
        try await database.backup(to: scratch.path("busy.db"))
        try await written
        let busy = try SQLiteDatabase.open(path: scratch.path("busy.db"))
        let busyReport = try await busy.check()
        #expect(busyReport.isSound)
    }

    @Test("A backup overwrites nothing and leaves no part behind")
    func backupRefused() async throws {
        let database = try await furnished()
        let path = scratch.path("copy.db")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
        await #expect(throws: StoreError.self) { try await database.backup(to: path) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
        #expect(!FileManager.default.fileExists(atPath: path + ".partial"))
    }

    @Test("A check tells of a damaged page and finds nothing in a sound file")
    func damage() async throws {
        let database = try await furnished()
        try await database.write { connection in
            for number in 0..<2000 {
                _ = try Sessions.open(Sample.newSession(Sample.id(9000 + number)), on: connection)
            }
        }
        let sound = try await database.check()
        #expect(sound.isSound)
        await database.close()

        let file = try FileHandle(forUpdating: URL(fileURLWithPath: scratch.database))
        let size = try file.seekToEnd()
        try file.seek(toOffset: size / 4096 / 2 * 4096)
        try file.write(contentsOf: Data(repeating: 0x5A, count: 4096))
        try file.close()

        let damaged = try SQLiteDatabase.open(path: scratch.database)
        let report = try await damaged.check()
        #expect(!report.isSound)
    }

    @Test("`database check` reports what the program did not create")
    func otherDefinitions() async throws {
        let database = try await furnished()
        try await database.write { connection in
            try connection.define(
                """
                CREATE TRIGGER warm AFTER UPDATE OF cooling_until ON passkeys WHEN NEW.cooling_until > 0
                BEGIN UPDATE passkeys SET cooling_until = 0 WHERE id = NEW.id; END
                """)
            try connection.define("ALTER TABLE meta ADD COLUMN more TEXT")
        }
        let report = try await database.check()
        #expect(
            report.problems == [
                "the trigger warm is not this program's", "the table meta is not as this program defines it",
            ])
        await database.close()
    }

    @Test("A backup of an older program is not restored")
    func olderBackup() async throws {
        let database = try SQLiteDatabase.open(path: scratch.database)
        try await Schema.migrate(database, with: [.initial], now: .start)
        try await database.write { _ = try $0.execute("UPDATE schema_migrations SET version = version - 1", []) }
        let (copy, path) = (scratch.path("copy.db"), scratch.path("restored.db"))
        try await database.backup(to: copy)
        await database.close()
        let error = #expect(throws: StoreError.self) { _ = try SQLiteDatabase.restore(path, from: copy) }
        #expect(error?.code == .olderSchema)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("A file that is no database is refused as such, and a folder that is missing is named")
    func noDatabase() throws {
        try Data(repeating: 0x41, count: 8192).write(to: URL(fileURLWithPath: scratch.database))
        let error = #expect(throws: StoreError.self) { try SQLiteDatabase.open(path: scratch.database) }
        #expect(error?.code == .damaged)
        let missing = #expect(throws: StoreError.self) { try SQLiteDatabase.open(path: scratch.path("no/where.db")) }
        #expect(missing?.code == .file)
        #expect(missing?.reason.contains("no/where.db") == true)
    }

    @Test("A session costs at most 400 bytes of the file, indexes included, and refreshing it again and again no more")
    func rowSize() async throws {
        let count = 20_000
        var database = try await furnished()
        await database.close()
        let empty = try size()

        database = try SQLiteDatabase.open(path: scratch.database)
        for first in stride(from: 0, to: count, by: 500) {
            try await database.write { connection in
                for number in first..<first + 500 {
                    let random = Sample.digest(number &* 2_654_435_761)
                    let id = UniqueID.timeOrdered(.start + .milliseconds(number), random.prefix(16))
                    _ = try Sessions.open(Sample.newSession(id ?? Sample.session), on: connection)
                }
            }
        }
        // The first refreshes fill in the attempt's hash and lengthen the generation's number.
        for generation in Int64(0)...1 { try await rotateAll(database, from: generation) }
        await database.close()
        let opened = try size()
        #expect((opened - empty) / count <= 400, "\((opened - empty) / count) bytes for a session")

        database = try SQLiteDatabase.open(path: scratch.database)
        for generation in Int64(2)...5 { try await rotateAll(database, from: generation) }
        await database.close()
        let refreshed = try size()
        // A page or two may split where rows of a page changed their lengths by a byte.
        #expect(abs(refreshed - opened) <= opened / 200, "\(refreshed - opened) bytes more")
    }

    private func rotateAll(_ database: SQLiteDatabase, from generation: Int64) async throws {
        try await database.write { connection in
            for session in try Sessions.list(of: Sample.account, limit: 100_000, on: connection) {
                _ = try Sessions.rotate(
                    session.id, from: generation, attemptHash: Sample.digest(Int(generation)),
                    now: .start + .days(1), expiresAt: .start + .days(31), countingUntil: .start, on: connection)
            }
        }
    }

    private func size() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.database)
        return (attributes[.size] as? Int) ?? 0
    }
}
