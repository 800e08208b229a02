import Foundation
import Testing

extension RunningServer {
    /// Writes into a database, while its program runs, what no command does.
    /// - Parameter file: the database's file in the server's folder: the server's own, or the ledger of a backend in the same folder.
    nonisolated func write(_ sql: String, to file: String = "a.db") async throws {
        let script = """
            import sqlite3, sys
            with sqlite3.connect(sys.argv[1], timeout=20) as database:
                database.executescript(sys.argv[2])
            """
        let result = try await ChildProcess.run(
            URL(filePath: "/usr/bin/env"), ["python3", "-c", script, folder.appending(path: file).path, sql],
            folder: folder)
        #expect(result.succeeded, "\(result.errors)")
    }
}
