import Foundation
import Testing

extension RunningServer {
    /// A server on a new database of the engine under test.
    static func onNewDatabase(folder: URL, arguments: [String] = []) async throws -> RunningServer {
        RunningServer(folder: folder, arguments: arguments, database: try await TestEngine.newDatabase())
    }

    /// Writes into the server's database, while it runs, what no command does.
    nonisolated func write(_ sql: String) async throws {
        let result = try await onDatabase(databaseName, sql)
        #expect(result.succeeded, "\(result.errors)")
    }

    /// Starts to watch a query of the server's database, and kills a process at the moment that it yields another number than 0. Ends
    /// then.
    nonisolated func startKilling(_ processID: Int32, once query: String) async throws -> ChildProcess {
        let watcher = try ChildProcess(
            Programs.python, Self.script + [databaseName, query, String(processID)], folder: folder,
            log: folder.appending(path: "watcher.log"))
        let begins = try await within(.patience, "the watch over the database") {
            for await line in watcher.lines where line == "watching" { return true }
            return false
        } otherwise: {
            watcher.send(SIGKILL)
        }
        try #require(begins, "watcher.log says why")
        return watcher
    }

    private static var script: [String] { [Programs.peers.appending(path: "database.py").path] }

    private nonisolated func onDatabase(_ arguments: String...) async throws -> CommandResult {
        try await ChildProcess.run(Programs.python, Self.script + arguments, folder: folder)
    }
}
