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

    /// The same in another SQLite file of the server's folder, such as a backend's ledger.
    nonisolated func write(_ sql: String, to file: String) async throws {
        let result = try await onDatabase(folder.appending(path: file).path, sql)
        #expect(result.succeeded, "\(result.errors)")
    }

    /// Kills a process at the moment that a query of the server's database yields another number than 0.
    nonisolated func kill(_ processID: Int32, once query: String) async throws -> CommandResult {
        try await onDatabase(databaseName, query, String(processID))
    }

    private nonisolated func onDatabase(_ arguments: String...) async throws -> CommandResult {
        try await ChildProcess.run(
            Programs.python, [Programs.peers.appending(path: "database.py").path] + arguments, folder: folder)
    }
}
