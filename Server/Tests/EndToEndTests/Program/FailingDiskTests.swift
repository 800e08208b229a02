import Foundation
import Testing

/// What the program does about a disk that failed; what makes a disk fail is in `Torture`.
@Suite("The program on a disk that failed", .threat("Clocks, disks and crashes"))
struct FailingDiskTests {
    @Test(
        "A server whose disk failed three times within an hour stays down with status 78, and says why and what to do",
        .onlySQLite("PostgreSQL looks after its own disk: “A disk that is full” in ClusterDatabaseTests"))
    func outOfService() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let failures = folder.url.appending(path: "a.db.disk-failures")
        let lines = (0..<3).map { "\(1_800_000_000 + $0 * 60) 2027-01-15T08:0\($0):00Z disk I/O error (SQLite 1034)\n" }
        try lines.joined().write(to: failures, atomically: true, encoding: .utf8)
        let server = RunningServer(folder: folder.url, database: nil)
        let refused = try await server.administer(["serve", "--port", "0"])
        #expect(refused.ending == .exited(78))
        #expect(refused.errors.split(separator: "\n").count == 1, "\(refused.errors)")
        #expect(refused.errors.contains("last: 2027-01-15T08:02:00Z disk I/O error"))
        #expect(refused.errors.contains("remove \(failures.path)"))
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "a.db").path))

        // A person has looked, and it goes on.
        try FileManager.default.removeItem(at: failures)
        try await server.start()
        #expect(try await server.stop() == .exited(0))
    }

    @Test("A first start that is cut short leaves no copy of the master key behind the next one")
    func leftKey() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let server = try await RunningServer.onNewDatabase(folder: folder.url)
        let key = folder.url.appending(path: server.file("master-key"))
        let left = folder.url.appending(path: key.lastPathComponent + ".1234567890.new")
        try "c2VjcmV0IHNlY3JldCBzZWNyZXQgc2VjcmV0IHNlY3I=\n".write(to: left, atomically: true, encoding: .utf8)
        // With PostgreSQL, processes share the folder, and another one may be about to rename a younger file.
        let yesterday = Date(timeIntervalSinceNow: -86_400)
        try FileManager.default.setAttributes([.modificationDate: yesterday], ofItemAtPath: left.path)
        try await server.start()
        #expect(!FileManager.default.fileExists(atPath: left.path))
        #expect(FileManager.default.fileExists(atPath: key.path))
        #expect(try await server.stop() == .exited(0))
    }

    @Test(
        "A write-ahead log removed after a kill: the start is refused with status 65, until the operator declares the loss",
        .onlySQLite("PostgreSQL recovers its own log; commits that it lost: RestoredTests"))
    func removedLog() async throws {
        try await withServer { server in
            let client = StandardClient(try await server.makeRelyingApp(), at: server)
            let person = try await server.makeAccount()
            // A young database has all its tables in the log, and nothing to go on with.
            #expect(try await server.stop() == .exited(0))
            try await server.start()
            _ = try await client.signIn(person)
            await server.crash()
            try FileManager.default.removeItem(at: server.folder.appending(path: "a.db-wal"))
            let port = await server.port
            for _ in 0..<2 {
                let refused = try await ChildProcess.run(
                    Programs.walletauth, ["serve", "--port", "\(port)"], environment: server.environment,
                    folder: server.folder)
                #expect(refused.ending == .exited(65), "\(refused.errors)")
                #expect(refused.errors.contains("is older than what this machine has seen"), "\(refused.errors)")
                #expect(refused.errors.contains("a.db-wal"), "\(refused.errors)")
            }
            let command = try await server.administer(["account", "show", person.username])
            #expect(command.ending == .exited(65), "\(command.errors)")
            let restored = try await server.administer(["database", "restored"])
            #expect(restored.succeeded, "\(restored.errors)")
            try await server.start()
            // It says so once: what is there now was declared.
            #expect(try await server.stop() == .exited(0))
            try await server.start()
        }
    }

    @Test(
        "A write-ahead log removed after a kill is missed right after a restore too: the revocations in it are not undone",
        .onlySQLite("PostgreSQL recovers its own log; commits that it lost: RestoredTests"))
    func removedLogAfterRestore() async throws {
        try await withServer { server in
            let person = try await server.makeAccount()
            try await server.require(["database", "backup", "--to", "copy.db"])
            #expect(try await server.stop() == .exited(0))
            try await server.require(["database", "restore", "--from", "copy.db"])
            try await server.start()
            try await server.require(["account", "deactivate", person.username])
            await server.crash()
            try FileManager.default.removeItem(at: server.folder.appending(path: "a.db-wal"))
            let refused = try await server.administer(["account", "show", person.username])
            #expect(refused.ending == .exited(65), "\(refused.errors)")
            #expect(refused.errors.contains("is older than what this machine has seen"), "\(refused.errors)")
            try await server.require(["database", "restored"])
            try await server.start()
        }
    }

    @Test("Ready is what keeps a write, and a file of checkpoints that is gone is no record that holds")
    func checkpointsGone() async throws {
        try await withServer { server in
            let (web, ready) = (WebClient(ledger: server.ledger), await server.url("/health/ready"))
            try await eventually("the server to be ready") { try await web.get(ready).status == 200 }
            let made = try await server.administer(["audit", "checkpoint"])
            #expect(made.ending == .exited(0))
            let holds = try await server.administer(["audit", "verify"])
            #expect(holds.ending == .exited(0), "\(holds.output)")
            try FileManager.default.removeItem(at: server.folder.appending(path: server.file("checkpoints")))
            let lost = try await server.administer(["audit", "verify"])
            #expect(lost.ending == .exited(1))
            #expect(lost.output.contains("lacks the newest one that the database remembers"), "\(lost.output)")
            // PostgreSQL checks its own files.
            guard TestEngine.current == .sqlite else { return }
            let checked = try await server.administer(["database", "check"])
            #expect(checked.output.hasPrefix("The database is sound, and a write reached the disk."))
        }
    }
}
