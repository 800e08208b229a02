import Foundation
import Kernel
import Logging
import Operations
import Store
import StoreSQLite
import Testing

@testable import walletauth

@Suite(
    "A SQLite database that lacks what was acknowledged", .threat("Restored databases"),
    .covers("SQLite: a log that was removed"))
struct LostLogTests {
    private let folder: TemporaryFolder
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// The bytes of SQLite's header, with the counters of its opener.
    private static let header = 100

    init() throws { folder = try TemporaryFolder() }

    private func configuration(_ name: String) async throws -> ServerConfiguration {
        let flags = try SettingFlags(
            taking: Settings.all,
            from: [
                "--database", "sqlite:\(folder.path(name))", "--master-key-file", folder.path("key"),
            ])
        return try await ServerConfiguration.read(for: .administering, flags: flags, environment: [:])
    }

    /// Serves a database for a moment, ends without closing it, and leaves what was on the disk then.
    /// - Parameters:
    ///   - suffixes: of the files that are left.
    ///   - isYoung: whether its tables are still in the log.
    private func crash(leaving suffixes: [String], whileYoung isYoung: Bool = false) async throws {
        _ = try folder.write(sampleMasterKey, to: "key")
        if !isYoung { await (try await OwnedDatabase.open(try await configuration("served.db"))).close() }
        let owned = try await OwnedDatabase.open(try await configuration("served.db"))
        _ = try await owned.database.write { try Meta.set("note", to: "acknowledged", on: $0) }
        await owned.keeper?.save()
        for suffix in suffixes {
            try FileManager.default.copyItem(
                atPath: folder.path("served.db" + suffix), toPath: folder.path("left.db" + suffix))
        }
        await owned.close()
    }

    private func note() async throws -> String? {
        let owned = try await OwnedDatabase.open(try await configuration("left.db"))
        let note = try await owned.database.read { try Meta.value("note", on: $0) }
        await owned.close()
        return note
    }

    @Test("A log that a crash left is applied; without it the start is refused, however often it is repeated")
    func removedLog() async throws {
        try await crash(leaving: ["", "-wal", ".marks"])
        try FileManager.default.moveItem(atPath: folder.path("left.db-wal"), toPath: folder.path("kept"))
        for use in [DatabaseUse.serving, .administering] {
            let error = await #expect(throws: OlderDatabase.self) {
                _ = try await OwnedDatabase.open(try await configuration("left.db"), for: use)
            }
            for words in ["older than what this machine has seen", "left.db-wal", "`walletauth database restored`"] {
                #expect(error?.description.contains(words) == true, "\(words): \(error?.description ?? "")")
            }
        }
        let findings = await DatabaseFindings.read(try await configuration("left.db"))
        #expect(findings.contains { $0.status == .fail && $0.detail.contains("older than") }, "\(findings)")
        #expect(!findings.contains { $0.detail.contains("its schema") }, "no migration helps: \(findings)")
        // Put back, nothing is missing.
        try? FileManager.default.removeItem(atPath: folder.path("left.db-wal"))
        try FileManager.default.moveItem(atPath: folder.path("kept"), toPath: folder.path("left.db-wal"))
        #expect(try await note() == "acknowledged")
    }

    @Test("`database restored` goes on without what is missing, and refuses a database that lacks nothing")
    func declared() async throws {
        try await crash(leaving: ["", ".marks"])
        let configuration = try await configuration("left.db")
        let use = DatabaseUse.declaringRestore(evenIfCurrent: false, evenIfAway: [])
        let opened = try await OpenedServer.open(configuration, for: use, logger: logger)
        #expect(opened.server.context.restoredAt != nil)
        await opened.close()
        #expect(try await note() == nil)
        await #expect(throws: Refusal.self) { _ = try await OwnedDatabase.open(configuration, for: use) }
        #expect(try await note() == nil)
    }

    @Test(
        "`database restored` refuses a file without tables, whose log had everything, and says what to put back",
        arguments: [false, true])
    func noTables(evenIfCurrent: Bool) async throws {
        try await crash(leaving: ["", ".marks"], whileYoung: true)
        let before = try #require(FileManager.default.contents(atPath: folder.path("left.db")))
        try #require(!before.isEmpty)
        let use = DatabaseUse.declaringRestore(evenIfCurrent: evenIfCurrent, evenIfAway: [])
        let configuration = try await configuration("left.db")
        let refusal = await #expect(throws: Refusal.self) { _ = try await OwnedDatabase.open(configuration, for: use) }
        for words in ["left.db has no tables of walletauth", "nothing was changed", "left.db-wal", "left.db.marks"] {
            #expect(refusal?.description.contains(words) == true, "\(words): \(refusal?.description ?? "")")
        }
        let after = FileManager.default.contents(atPath: folder.path("left.db"))
        #expect(after?.dropFirst(Self.header) == before.dropFirst(Self.header), "beyond SQLite's own counters")
        await #expect(throws: OlderDatabase.self) { _ = try await OwnedDatabase.open(configuration) }
    }

    @Test("`database restored` on an empty file says so and changes nothing")
    func emptyFile() async throws {
        let path = folder.path("left.db")
        #expect(
            FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]))
        _ = try folder.write(sampleMasterKey, to: "key")
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let use = DatabaseUse.declaringRestore(evenIfCurrent: true, evenIfAway: [])
        let configuration = try await configuration("left.db")
        let before = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        let refusal = await #expect(throws: Refusal.self) { _ = try await OwnedDatabase.open(configuration, for: use) }
        #expect(refusal?.description.contains("left.db is empty") == true)
        #expect(refusal?.description.contains("nothing was changed") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == before)
        #expect(FileManager.default.contents(atPath: path)?.isEmpty == true)
    }

    @Test("A database file of another user is named with its owner and a remedy, and the server stays down")
    func foreignFile() async throws {
        _ = try folder.write(sampleMasterKey, to: "key")
        let path = try folder.write("", to: "left.db", mode: 0o600)
        let location = try await configuration("left.db").database
        let owner = try #require(FileStatus(path: path)).owner
        #expect(location.ownerFault(for: owner) == nil)
        let fault = try #require(location.ownerFault(for: owner + 1))
        #expect(fault.problem.hasSuffix("left.db belongs to user \(owner), but this is user \(owner + 1)"))
        #expect(fault.remedy.contains("Run this as the user who runs the server"))
        let closed = StoreError(.file, "cannot be opened")
        #expect(location.explained(closed) is StoreError)
        guard Ownership.isRoot else { return }
        try #require(Ownership.give(path, to: Ownership.stranger))
        #expect((location.explained(closed) as? Refusal)?.status == ExitStatus.outOfService)
    }

    @Test("attack: an older copy in the place of the database is refused; restored by the command, it is served")
    func olderCopy() async throws {
        _ = try folder.write(sampleMasterKey, to: "key")
        let configuration = try await configuration("left.db")
        let path = folder.path("left.db")
        func serve() async throws {
            let owned = try await OwnedDatabase.open(configuration)
            _ = try await owned.database.write { try Meta.set("note", to: "\(UUID())", on: $0) }
            await owned.close()
        }
        try await serve()
        try FileManager.default.copyItem(atPath: path, toPath: folder.path("copy"))
        try await serve()
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: folder.path("copy"), toPath: path)
        await #expect(throws: OlderDatabase.self) { try await serve() }
        _ = try SQLiteDatabase.restore(path, from: folder.path("copy"))
        let opened = try await OpenedServer.open(configuration, logger: logger)
        #expect(opened.server.context.restoredAt != nil)
        await opened.close()
        for _ in 0..<2 { try await serve() }
    }

    @Test("A database that was removed is no older one: the sandbox begins another")
    func removedDatabase() async throws {
        try await crash(leaving: [".marks"])
        #expect(try await note() == nil)
        #expect(try await note() == nil)
    }
}
