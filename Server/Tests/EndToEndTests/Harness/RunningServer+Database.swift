import Foundation
import Testing

extension RunningServer {
    /// Writes into the database, while the server runs, what no command does.
    nonisolated func write(_ sql: String) async throws {
        let script = """
            import sqlite3, sys
            with sqlite3.connect(sys.argv[1], timeout=20) as database:
                database.executescript(sys.argv[2])
            """
        let result = try await ChildProcess.run(
            URL(filePath: "/usr/bin/env"), ["python3", "-c", script, folder.appending(path: "a.db").path, sql],
            folder: folder)
        #expect(result.succeeded, "\(result.errors)")
    }
}
