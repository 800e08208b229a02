import ArgumentParser
import Core
import Foundation
import Kernel
import Logging
import Operations
import Store
import StoreSQLite
import Testing

@testable import walletauth

@Suite("Copying a database", .covers("an unfinished copy is not served"))
struct DatabaseCopyTests {
    let folder: TemporaryFolder
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A sandbox's configuration, whose database exists.
    private func configuration() async throws -> ServerConfiguration {
        let (configuration, faults) = try await folder.read(["--issuer", "http://127.0.0.1:8730"])
        try #require(faults.isEmpty)
        try await OpenedServer.open(configuration, logger: logger).close()
        return configuration
    }

    private func run(_ arguments: [String]) async throws {
        let command = try #require(
            try WalletAuthCommand.parseAsRoot(["database", "copy"] + arguments) as? DatabaseCopyCommand)
        let flags = try SettingFlags(
            taking: Settings.locating, from: ["--database", "sqlite:\(folder.path("walletauth.db"))"])
        try await command.run(in: Invocation(flags: flags, environment: [:]))
    }

    @Test("A file is not copied to a file; a destination that is no database is a mistake on the command line")
    func usage() async throws {
        _ = try await configuration()
        await #expect {
            try await run(["--to", "sqlite:\(folder.path("copy.db"))"])
        } throws: { "\($0)".contains("walletauth database backup") }
        await #expect {
            try await run(["--to", folder.path("copy.db")])
        } throws: { error in
            "\(error)".contains("--to must be sqlite:PATH")
                && WalletAuthCommand.exitCode(for: error) == .validationFailure
        }
        #expect(throws: (any Error).self) { try WalletAuthCommand.parseAsRoot(["database", "copy"]) }
    }

    @Test(
        "attack: in production, a copy is not sent to a server that the network can read or redirect",
        arguments: [("", false), ("?sslmode=require", false), ("?sslmode=verify-full", true)])
    func unprotected(parameters: String, isPrivate: Bool) async throws {
        let key = try folder.write(sampleMasterKey, to: "key")
        let copying = ["database", "copy", "--to", "postgresql://w@db.example.com/w" + parameters]
        let command = try #require(try WalletAuthCommand.parseAsRoot(copying) as? DatabaseCopyCommand)
        for environment in ["production", "sandbox"] {
            let flags = try SettingFlags(
                taking: Settings.locating,
                from: [
                    "--environment", environment, "--master-key-file", key, "--database",
                    "sqlite:\(folder.path("none.db"))",
                ])
            // Without the rule, the next thing is that there is no source.
            let reason =
                environment == "sandbox" || isPrivate ? "there is no database" : "Add sslmode=verify-full to --to"
            await #expect {
                try await command.run(in: Invocation(flags: flags, environment: [:]))
            } throws: {
                "\($0)".contains(reason)
            }
        }
    }

    @Test("Both ends of a copy are judged as a server's database is: by clock and, in production, by protection")
    func examination() {
        func fault(_ difference: Duration, isPrivate: Bool, _ environment: ServerSettings.Environment) -> Fault? {
            OpenedEngine.fault(clockDifference: difference, isPrivate: isPrivate, in: environment, setting: "--to")
        }
        #expect(fault(.seconds(2), isPrivate: true, .production) == nil)
        // Of a broken server.
        for difference in [Duration.milliseconds(Int64.min), .milliseconds(Int64.max)] {
            #expect(fault(difference, isPrivate: true, .sandbox) == .differentClocks(difference))
        }
        // Measured in milliseconds, and said as a person would.
        let days = Fault.differentClocks(.milliseconds(-3_455_999_999))
        #expect(days.problem == "the clock of the database's server is 40 days behind this machine's")
        #expect(fault(.seconds(2), isPrivate: false, .sandbox) == nil)
        #expect(fault(.zero, isPrivate: false, .production) == .unprotectedDatabase(in: "--to"))
        for environment in [ServerSettings.Environment.production, .sandbox] {
            #expect(fault(.seconds(-3), isPrivate: true, environment) == .differentClocks(.seconds(-3)))
        }
    }

    @Test("Only tables that have many rows or take long get lines, and those go on while they last")
    func progress() {
        let start = ContinuousClock.now
        var lines = CopyLines(at: start)
        func line(_ progress: DatabaseCopy.Progress, after seconds: Int) -> String? {
            lines.line(for: progress, at: start + .seconds(seconds))
        }
        #expect(line(.copied(table: "accounts", rows: 500, isComplete: false), after: 1) == nil)
        #expect(line(.copied(table: "accounts", rows: 501, isComplete: true), after: 2) == nil)
        #expect(line(.copied(table: "slow", rows: 1, isComplete: false), after: 6) == nil)
        #expect(line(.copied(table: "slow", rows: 2, isComplete: false), after: 7) == "copying slow: 2 rows so far")
        #expect(line(.copied(table: "slow", rows: 3, isComplete: true), after: 8) == "copied slow: 3 rows")
        #expect(line(.copied(table: "large", rows: 4_999, isComplete: false), after: 8) == nil)
        #expect(
            line(.copied(table: "large", rows: 5_000, isComplete: false), after: 8)
                == "copying large: 5000 rows so far")
        #expect(line(.copied(table: "large", rows: 9_999, isComplete: false), after: 8) == nil)
        #expect(line(.copied(table: "large", rows: 10_000, isComplete: true), after: 8) == "copied large: 10000 rows")
        #expect(line(.compared(table: "accounts", rows: 501), after: 9) == nil)
        #expect(line(.compared(table: "slow", rows: 1), after: 14) == "compared slow: 1 row, all the same")
    }

    @Test("An unfinished copy opens for no server and no command, and the doctor names it; a finished one opens")
    func unfinished() async throws {
        let configuration = try await configuration()
        var copied = configuration
        copied.database = DatabaseLocation(path: folder.path("copy.db"))
        let source = try SQLiteDatabase.open(path: configuration.database.path)
        let destination = try SQLiteDatabase.open(path: copied.database.path)
        _ = try await DatabaseCopy.begin(from: source, to: destination, isEmpty: true, now: SystemClock().now())
        await destination.close()
        await #expect {
            try await OpenedServer.open(copied, logger: logger).close()
        } throws: { error in
            error is Refusal && "\(error)".contains("unfinished copy") && "\(error)".contains("database copy")
        }
        let findings = await DatabaseFindings.read(copied)
        #expect(findings.contains { $0.status == .fail && $0.detail.contains("unfinished copy") }, "\(findings)")

        let again = try SQLiteDatabase.open(path: copied.database.path)
        let rest = try await DatabaseCopy.begin(from: source, to: again, isEmpty: false, now: SystemClock().now())
        try await rest.copyTables { _ in }
        let tables = try await rest.compareTables { _ in }
        #expect(tables.contains { $0.name == "data_keys" && $0.digest.rows > 0 })
        try await rest.finish(now: SystemClock().now())
        await again.close()
        await source.close()
        try await OpenedServer.open(copied, logger: logger).close()
    }

    @Test("Files next to the destination that belong to another database are not replaced; its own are")
    func files() async throws {
        var configuration = try await configuration()
        let other = folder.url.appending(path: "other")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
        let destination = DatabaseLocation(postgreSQL: SecretText("postgresql://db/wallet"), folder: other.path)
        _ = try folder.write("line\n", to: "walletauth.db.checkpoints")
        let files = CopyFiles(configuration, to: destination)
        try files.requireMasterKey()
        try files.requirePlace(epoch: 7)
        // Twice, as after an interruption.
        for _ in 1...2 { try files.write(epoch: 7) }
        try files.requirePlace(epoch: 7)
        #expect(FileStatus(path: destination.epochPath) == nil, "PostgreSQL keeps it in the database")
        let key = try Data(contentsOf: URL(filePath: configuration.database.generatedMasterKeyPath))
        #expect(try Data(contentsOf: URL(filePath: destination.generatedMasterKeyPath)) == key)
        #expect(FileStatus(path: destination.generatedMasterKeyPath)?.mode == 0o600)
        #expect(files.copiedCheckpoints == destination.checkpointsPath)
        for path in [destination.checkpointsPath, destination.generatedMasterKeyPath] {
            let own = try Data(contentsOf: URL(filePath: path))
            try Data("another database's".utf8).write(to: URL(filePath: path))
            let error = #expect(throws: Refusal.self) { try files.requirePlace(epoch: 7) }
            #expect(error?.description.contains(path) == true)
            try own.write(to: URL(filePath: path))
        }
        // A database that was served from this folder before.
        try Data("{}".utf8).write(to: URL(filePath: destination.marksPath))
        #expect(throws: Refusal.self) { try files.requirePlace(epoch: 7) }
        try FileManager.default.removeItem(atPath: destination.marksPath)
        // Configured files stay where they are.
        configuration.auditCheckpoints = folder.path("elsewhere")
        configuration.masterKey = .file(configuration.database.generatedMasterKeyPath)
        let kept = CopyFiles(configuration, to: destination)
        #expect(kept.copiedCheckpoints == folder.path("elsewhere"))
        try Data("another database's".utf8).write(to: URL(filePath: destination.checkpointsPath))
        try kept.requirePlace(epoch: 7)
    }

    @Test("A finished copy says when it was made, and is not recommended if anything was served from the source since")
    func finishedCopy() {
        let (source, copy) = (
            DatabaseLocation(path: "walletauth.db"),
            DatabaseLocation(postgreSQL: SecretText("postgresql://db/wallet"), folder: ".")
        )
        let dated = CopyRefusal.copyIsFinished(Timestamp(seconds: 0)).explanation(from: source, to: copy)
        #expect(dated.contains("already a finished copy, of 1970-01-01T00:00:00Z: serve it only if nothing was served"))
        #expect(dated.contains("from sqlite:walletauth.db since; for another copy, name an empty database"))
        let undated = CopyRefusal.copyIsFinished(nil).explanation(from: source, to: copy)
        #expect(undated.contains("is already a finished copy: serve it only if"))
    }

    @Test("The restore epoch is next to a file, and one of another database there is not replaced")
    func epoch() async throws {
        let configuration = try await configuration()
        let other = folder.url.appending(path: "other")
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
        let destination = DatabaseLocation(path: other.appending(path: "wallet.db").path)
        let files = CopyFiles(configuration, to: destination)
        for _ in 1...2 { try files.write(epoch: 7) }
        #expect(try RestoreEpoch(database: destination).read() == 7)
        try files.requirePlace(epoch: 7)
        #expect(throws: Refusal.self) { try files.requirePlace(epoch: 8) }
    }

    @Test("A database that was restored and not served since is not copied, or ended sessions would live in the copy")
    func restored() async throws {
        let configuration = try await configuration()
        let destination = DatabaseLocation(postgreSQL: SecretText("postgresql://db/wallet"), folder: folder.url.path)
        let files = CopyFiles(configuration, to: destination)
        let source = try SQLiteDatabase.open(path: configuration.database.path)
        #expect(try await files.epoch(of: source) == 0)
        try RestoreEpoch(database: configuration.database).renew(after: 0, now: SystemClock().now())
        await #expect(throws: CopyRefusal.sourceIsRestored) { _ = try await files.epoch(of: source) }
        await source.close()
        try await OpenedServer.open(configuration, logger: logger).close()
        let served = try SQLiteDatabase.open(path: configuration.database.path)
        #expect(try await files.epoch(of: served) == RestoreEpoch(database: configuration.database).read())
        await served.close()
    }

    @Test(
        """
        attack: a PostgreSQL database that was restored, and no one declared it, is not copied: the copy would honor what \
        was revoked
        """)
    func undeclaredRestore() async throws {
        var configuration = try await configuration()
        // The engine does not matter to the comparison.
        let source = try SQLiteDatabase.open(path: configuration.database.path)
        configuration.database = DatabaseLocation(
            postgreSQL: SecretText("postgresql://db/wallet"), folder: folder.url.path)
        let destination = DatabaseLocation(path: folder.path("back.db"))
        let files = CopyFiles(configuration, to: destination)
        let marks = configuration.database.marksPath
        try await files.requireCurrent(source)
        #expect(files.lines(epoch: 0).contains { $0.contains("There is no \(marks)") })
        try files.requireMarks(in: .sandbox)
        let blind = #expect(throws: Refusal.self) { try files.requireMarks(in: .production) }
        #expect(blind?.description.contains("could not be noticed") == true)

        let now = SystemClock().now()
        try await source.write { connection in
            _ = try DatabaseMarks.establish("d", on: connection)
            _ = try DatabaseMarks.raise("a", after: nil, now: now, on: connection)
            try Meta.set(DatabaseMarks.epochName, to: "5", on: connection)
        }
        func see(_ database: String = "d", epoch: Int64 = 5, mark: Timestamp) async throws {
            try? FileManager.default.removeItem(atPath: marks)
            let seen = SeenMarks(database: database, epoch: epoch, marks: ["a": mark.milliseconds])
            try await SeenMarksFile(path: marks).save(seen, now: now)
        }
        try await see(mark: now)
        try await files.requireCurrent(source)
        #expect(!files.lines(epoch: 0).contains { $0.contains(marks) })
        try await see(mark: now + .seconds(1))
        await #expect(throws: CopyRefusal.sourceIsRestored) { try await files.requireCurrent(source) }
        let explanation = CopyRefusal.sourceIsRestored.explanation(from: configuration.database, to: destination)
        #expect(explanation.contains("`walletauth database restored`"))
        try await see(epoch: 6, mark: now)
        await #expect(throws: CopyRefusal.sourceIsRestored) { try await files.requireCurrent(source) }
        // Declared on another machine: declaring it again would end sessions for nothing.
        try await see(epoch: 4, mark: now)
        let away = await #expect(throws: Refusal.self) { try await files.requireCurrent(source) }
        #expect(away?.description.contains("start the server here once") == true)
        try await see("e", mark: now)
        let other = await #expect(throws: Refusal.self) { try await files.requireCurrent(source) }
        #expect(other?.description.contains("belongs to a database other than") == true)
        await source.close()
    }
}
