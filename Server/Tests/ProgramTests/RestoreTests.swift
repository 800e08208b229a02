import ArgumentParser
import Foundation
import GRDB
import Kernel
import Logging
import Store
import StoreSQLite
import Testing

@testable import walletauth

@Suite("Restoring a backup", .covers("a backup defines only what the program creates"))
struct RestoreTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Opens the database, does something to it, and closes it.
    private func use(_ path: String, _ body: (SQLiteDatabase) async throws -> Void) async throws {
        let database = try SQLiteDatabase.open(path: path)
        try await Schema.migrate(database, now: SystemClock().now())
        try await body(database)
        await database.close()
    }

    private func note(_ path: String) async throws -> String? {
        var note: String?
        try await use(path) { database in
            note = try await database.read { try Meta.value("note", on: $0) }
        }
        return note
    }

    /// A database that says "later" and its backup that says "earlier".
    private func databaseAndBackup() async throws -> (database: String, backup: String) {
        let (path, copy) = (folder.path("walletauth.db"), folder.path("copy.db"))
        try await use(path) { database in
            try await database.write { try Meta.set("note", to: "earlier", on: $0) }
            try await database.backup(to: copy)
            try await database.write { try Meta.set("note", to: "later", on: $0) }
        }
        return (path, copy)
    }

    @Test("The copy takes the database's place, and the former database stays next to it, whole")
    func restores() async throws {
        let (path, copy) = try await databaseAndBackup()
        let renamed = try SQLiteDatabase.restore(path, from: copy)
        let former = try #require(renamed)
        #expect(try await note(path) == "earlier")
        #expect(try await note(former) == "later")
        #expect(FileStatus(path: path)?.mode == 0o600)
        #expect(FileStatus(path: copy) != nil)
    }

    @Test("A database that is lost is made from the copy")
    func restoresWhatIsLost() async throws {
        let (_, copy) = try await databaseAndBackup()
        let path = folder.path("other.db")
        let former = try SQLiteDatabase.restore(path, from: copy)
        #expect(former == nil)
        #expect(try await note(path) == "earlier")
    }

    @Test("A copy that is damaged, cut off, empty or no database of this program changes nothing")
    func refusesDamage() async throws {
        let (path, copy) = try await databaseAndBackup()
        let whole = try Data(contentsOf: URL(filePath: copy))
        var damaged = whole
        damaged.replaceSubrange(4096..<8192, with: Data(repeating: 0xff, count: 4096))
        for (name, bytes) in [("damaged", damaged), ("cut", whole.prefix(whole.count / 2)), ("empty", Data())] {
            let file = folder.path(name)
            try bytes.write(to: URL(filePath: file))
            #expect(throws: StoreError.self, "\(name)") {
                _ = try SQLiteDatabase.restore(path, from: file)
            }
        }
        #expect(try await note(path) == "later")
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!left.contains { $0.contains("before-restore") || $0.contains(".restoring") })
    }

    @Test(
        "attack: a backup with a trigger that swallows the mark, or with another definition of its own, is refused, and nothing is changed",
        arguments: [
            (
                [
                    """
                    CREATE TRIGGER swallowing BEFORE INSERT ON meta WHEN NEW.name = 'restore.pending'
                    BEGIN SELECT RAISE(IGNORE); END
                    """
                ], "the trigger swallowing is not this program's"
            ),
            (["CREATE VIEW names AS SELECT name FROM meta"], "the view names is not this program's"),
            (["CREATE TABLE more (id BIGINT NOT NULL PRIMARY KEY)"], "the table more is not this program's"),
            (["CREATE VIRTUAL TABLE searched USING fts5(words)"], "the table searched is not this program's"),
            (["CREATE INDEX meta_by_value ON meta (value)"], "the index meta_by_value is not this program's"),
            (
                ["ALTER TABLE meta ADD COLUMN twice TEXT AS (value || value) VIRTUAL"],
                "the table meta is not as this program defines it"
            ),
            (
                [
                    "DROP TABLE recovery_codes",
                    "CREATE TABLE recovery_codes (account_id BYTEA NOT NULL PRIMARY KEY, sealed BYTEA)",
                ], "the table recovery_codes is not as this program defines it"
            ),
            (["DROP INDEX sessions_by_device"], "the index sessions_by_device is missing"),
        ] as [([String], String)])
    func refusesOtherDefinitions(statements: [String], reason: String) async throws {
        let (path, copy) = try await databaseAndBackup()
        try await use(copy) { database in
            try await database.write { connection in
                for statement in statements { try connection.define(statement) }
            }
        }
        let error = #expect(throws: StoreError.self) { _ = try SQLiteDatabase.restore(path, from: copy) }
        #expect(error?.code == .damaged)
        #expect(error?.reason == reason)
        let kept = try await note(path)
        #expect(kept == "later")
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!left.contains { $0.contains("before-restore") || $0.contains(".restoring") }, "\(left)")
    }

    @Test("A database that a server has open is not replaced behind its back")
    func refusesWhileOpen() async throws {
        let (path, copy) = try await databaseAndBackup()
        try await use(path) { _ in
            let error = try #require(throws: StoreError.self) {
                _ = try SQLiteDatabase.restore(path, from: copy)
            }
            #expect(error.code == .owned)
        }
    }

    @Test("A restored database says that it is one, its backup and the former one do not, and no log is left behind it")
    func marks() async throws {
        let (path, copy) = try await databaseAndBackup()
        let former = try #require(try SQLiteDatabase.restore(path, from: copy))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!left.contains { $0.hasSuffix("-wal") || $0.hasSuffix("-shm") || $0.contains(".restoring") }, "\(left)")
        for (database, isRestored) in [(path, true), (copy, false), (former, false)] {
            try await use(database) { opened in
                let isPending = try await opened.read { try PendingRestore.isPending(on: $0) }
                #expect(isPending == isRestored, "\(database)")
            }
        }
    }

    @Test(
        "A restore that is cut short before the copy takes the place changes nothing, and one cut after it is a restore"
    )
    func cutShort() async throws {
        let (configuration, faults) = try await folder.read(["--issuer", "http://127.0.0.1:8730"])
        try #require(faults.isEmpty)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let epoch = RestoreEpoch(database: configuration.database)
        try await OpenedServer.open(configuration, logger: logger).close()
        let before = try epoch.read()
        let path = configuration.database.path
        let copy = folder.path("copy.db")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        // As far as it comes before the copy has its name.
        try FileManager.default.copyItem(atPath: copy, toPath: path + ".restoring")
        try await OpenedServer.open(configuration, logger: logger).close()
        #expect(try epoch.read() == before)
        #expect(FileStatus(path: path + ".restoring") == nil)

        _ = try SQLiteDatabase.restore(path, from: copy)
        #expect(try epoch.read() == before, "the next start chooses it")
        try await OpenedServer.open(configuration, logger: logger).close()
        let after = try epoch.read()
        #expect(after != before)
        try await OpenedServer.open(configuration, logger: logger).close()
        #expect(try epoch.read() == after)
    }

    @Test("A restore that was killed while it wrote its mark can be repeated, and its journal is not applied")
    func killedWhileMarking() async throws {
        let (path, copy) = try await databaseAndBackup()
        let (later, incoming) = (folder.path("later.db"), path + ".restoring")
        try await use(path) { try await $0.backup(to: later) }
        try await use(path) { database in
            try await database.write { try Meta.set("note", to: "latest", on: $0) }
        }
        let journal = try journalOfMarking(later)
        // Another backup than before: its pages are not those that the journal would put back.
        try FileManager.default.copyItem(atPath: copy, toPath: incoming)
        try journal.write(to: URL(filePath: incoming + "-journal"))
        let error = #expect(throws: DatabaseError.self) { try readAlone(incoming) }
        #expect(error?.resultCode == .SQLITE_READONLY, "the journal is one that SQLite would apply")

        _ = try SQLiteDatabase.restore(path, from: copy)
        #expect(FileStatus(path: incoming + "-journal") == nil)
        let restored = try await note(path)
        #expect(restored == "earlier")

        // A start that comes first also removes it.
        try FileManager.default.copyItem(atPath: copy, toPath: incoming)
        try journal.write(to: URL(filePath: incoming + "-journal"))
        try await use(path) { _ in }
        #expect(FileStatus(path: incoming) == nil)
        #expect(FileStatus(path: incoming + "-journal") == nil)
    }

    /// The journal next to a copy while the mark is being written.
    private func journalOfMarking(_ copy: String) throws -> Data {
        let queue = try DatabaseQueue(path: copy)
        return try queue.inDatabase { connection in
            // Without a wait for the disk, the journal counts as complete from its first page.
            try connection.execute(sql: "PRAGMA synchronous = OFF")
            var journal = Data()
            try connection.inTransaction(.immediate) {
                try connection.execute(sql: PendingRestore.marking)
                journal = try Data(contentsOf: URL(filePath: copy + "-journal"))
                return .rollback
            }
            return journal
        }
    }

    /// Opens a database that may not be changed.
    private func readAlone(_ path: String) throws {
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        try DatabaseQueue(path: path, configuration: configuration).close()
    }

    @Test(
        "A log that a lost database left is not applied to the copy that takes its place, and stays",
        .threat("Restored databases"))
    func leftLog() async throws {
        let (path, copy) = try await databaseAndBackup()
        let log = folder.path("log")
        try await use(path) { database in
            try await database.write { try Meta.set("note", to: "latest", on: $0) }
            try FileManager.default.copyItem(atPath: path + "-wal", toPath: log)
        }
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: log, toPath: path + "-wal")
        let former = try SQLiteDatabase.restore(path, from: copy)
        #expect(former == nil)
        #expect(FileStatus(path: path + ".before-restore-1-wal") != nil)
        let restored = try await note(path)
        #expect(restored == "earlier")
    }

    @Test("If what is there cannot be kept under another name, its log stays with it")
    func keepsLogOnFailure() async throws {
        let (_, copy) = try await databaseAndBackup()
        // A folder has no second name.
        let path = folder.path("folder.db")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        _ = try folder.write("a log", to: "folder.db-wal")
        #expect(throws: StoreError.self) { _ = try SQLiteDatabase.restore(path, from: copy) }
        #expect(FileStatus(path: path + "-wal") != nil)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!left.contains { $0.contains("before-restore") || $0.contains(".restoring") }, "\(left)")
    }

    @Test("What cannot be restored is reported by name and reason, and nothing is changed")
    func wording() async throws {
        let (path, _) = try await databaseAndBackup()
        let text = try folder.write("no database at all, but long enough to be looked at", to: "text")
        for (from, reason) in [
            (folder.path("none.db"), "there is no backup at"), (folder.url.path, "is not a file"),
            (text, "is not an intact backup of a walletauth database"),
        ] {
            let flags = try SettingFlags(taking: Settings.locating, from: ["--database", "sqlite:\(path)"])
            let command = try #require(
                try WalletAuthCommand.parseAsRoot(["database", "restore", "--from", from]) as? DatabaseRestore)
            await #expect {
                try await command.run(in: Invocation(flags: flags, environment: [:]))
            } throws: { error in
                "\(error)".contains(reason) && "\(error)".contains(from) && "\(error)".contains("nothing was changed")
            }
        }
        #expect(try await note(path) == "later")
    }

    @Test("A backup that the configured master key does not open is refused by both names, and nothing is changed")
    func otherMasterKey() async throws {
        let issuer = ["--issuer", "http://127.0.0.1:8700"]
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let (configuration, faults) = try await folder.read(issuer, for: .administering)
        try #require(faults.isEmpty)
        try await OpenedServer.open(configuration, logger: logger).close()
        let (path, copy) = try await databaseAndBackup()
        let other = try folder.write(sampleMasterKey, to: "other.key")
        let command = try #require(
            try WalletAuthCommand.parseAsRoot(["database", "restore", "--from", copy]) as? DatabaseRestore)
        let wrong = Invocation(flags: try folder.flags(issuer + ["--master-key-file", other]), environment: [:])
        let refusal = await #expect(throws: Refusal.self) { try await command.run(in: wrong) }
        let text = "\(try #require(refusal))"
        #expect(text.contains("wrapped under the master key ") && text.contains("; the configured one is "), "\(text)")
        #expect(text.contains("nothing was changed"))
        #expect(try await note(path) == "later")
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
        #expect(!left.contains { $0.contains("before-restore") || $0.contains(".restoring") }, "\(left)")
        try await command.run(in: Invocation(flags: try folder.flags(issuer), environment: [:]))
        #expect(try await note(path) == "earlier")
    }

    @Test("`database restored` refuses a SQLite database, and names the command for it")
    func restored() async throws {
        let flags = try SettingFlags(
            taking: Settings.locating, from: ["--database", "sqlite:\(folder.path("walletauth.db"))"])
        let command = try #require(
            try WalletAuthCommand.parseAsRoot(["database", "restored"]) as? DatabaseRestored)
        await #expect {
            try await command.run(in: Invocation(flags: flags, environment: [:]))
        } throws: { error in
            "\(error)".contains("`walletauth database restore --from FILE`")
                && "\(error)".contains("nothing was changed")
        }
    }
}
