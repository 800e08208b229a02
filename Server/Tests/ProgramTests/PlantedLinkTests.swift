import Foundation
import Store
import StoreSQLite
import Testing

@testable import walletauth

/// What an attacker who may write to the database's folder prepares there, for the server to write through.
@Suite("Attack: links planted next to the database", .threat("A stolen database or file system access"))
struct PlantedLinkTests {
    let folder: TemporaryFolder
    private let victim: String
    private static let content = "another file"

    init() throws {
        folder = try TemporaryFolder()
        victim = try folder.write(Self.content, to: "victim")
    }

    private func plant(_ name: String, to target: String? = nil) throws -> String {
        let path = folder.path(name)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target ?? victim)
        return path
    }

    private func expectUntouched() throws {
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == Self.content)
        #expect(FileStatus(path: victim)?.mode == 0o600)
    }

    private func isLink(_ path: String) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
    }

    @Test("An unfinished file is written exclusively: a link under its name is refused, dangling or not")
    func unfinished() throws {
        let data = Data("secret".utf8)
        let path = try plant("epoch.1.new")
        #expect(throws: DurableFile.Failure.self) { try DurableFile.write(data, toNew: path) }
        try expectUntouched()
        let dangling = try plant("epoch.2.new", to: folder.path("made"))
        #expect(throws: DurableFile.Failure.self) { try DurableFile.write(data, toNew: dangling) }
        #expect(FileStatus(path: folder.path("made")) == nil)
    }

    @Test("A replaced file takes the link's place, and what the link led to stays")
    func replaced() throws {
        let path = try plant("walletauth.db.epoch")
        try DurableFile.replace(path, with: Data("1\n".utf8))
        #expect(!isLink(path))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "1\n")
        try expectUntouched()
    }

    @Test("A file that is made only where there is none writes through no link")
    func created() throws {
        let path = try plant("walletauth.db.master-key", to: folder.path("made"))
        try DurableFile.create(path, with: Data("key".utf8))
        #expect(isLink(path))
        #expect(FileStatus(path: folder.path("made")) == nil)
    }

    @Test("The owner's lock is not taken through a link, which would empty the file behind it")
    func lock() throws {
        _ = try plant("walletauth.db.lock")
        #expect(throws: StoreError.self) { _ = try SQLiteDatabase.open(path: folder.path("walletauth.db")) }
        try expectUntouched()
    }

    @Test("A backup writes through no link, neither under its own name nor under that of its unfinished part")
    func backup() async throws {
        let database = try SQLiteDatabase.open(path: folder.path("walletauth.db"))
        let taken = try plant("a.db", to: folder.path("made"))
        await #expect(throws: StoreError.self) { try await database.backup(to: taken) }
        #expect(FileStatus(path: folder.path("made")) == nil)
        _ = try plant("b.db.partial")
        try await database.backup(to: folder.path("b.db"))
        #expect(!isLink(folder.path("b.db")))
        try expectUntouched()
        await database.close()
    }
}
