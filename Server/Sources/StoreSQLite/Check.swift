import Dispatch
import GRDB
package import Store

extension SQLiteDatabase: DatabaseMaintenance {
    /// Compares the definitions with the program's own and reads the whole file (`integrity_check`,
    /// `foreign_key_check`) on a connection of its own, while all work goes on.
    /// - Throws: ``Store/StoreError`` if the file cannot be read.
    package func check() async throws -> IntegrityReport {
        try await onOwnConnection { connection in
            var problems: [String] = []
            let definitions = try Definitions(of: connection)
            // The next start migrates an older database, and only a newer program knows a newer one.
            if let version = try definitions.version(on: connection),
                (Migration.initial.version...Schema.newest).contains(version)
            {
                problems += definitions.differences(from: try Definitions(ofMigrationsUpTo: version))
            }
            problems += try String.fetchAll(connection, sql: "PRAGMA integrity_check(100)").filter { $0 != "ok" }
            // One at a time: a damaged database may have any number of them.
            let dangling = try Row.fetchCursor(connection, sql: "PRAGMA foreign_key_check")
            while problems.count < 100, let row = try dangling.next() {
                let table: String? = row[0]
                let parent: String? = row[2]
                problems.append("a row of \(table ?? "a table") refers to a missing row of \(parent ?? "another")")
            }
            return IntegrityReport(problems: Array(problems.prefix(100)))
        } orDamage: { error in
            IntegrityReport(problems: [error.reason])
        }
    }

    /// Runs long work on its own connection and thread, so that neither the writer nor the readers wait for it.
    func onOwnConnection<Value: Sendable>(
        _ work: @escaping @Sendable (GRDB.Database) throws -> Value,
        orDamage: @escaping @Sendable (StoreError) throws -> Value = { throw $0 }
    ) async throws -> Value {
        let path = path
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async {
                continuation.resume(
                    with: Result {
                        do {
                            var configuration = GRDB.Configuration.distrusting
                            configuration.readonly = true
                            configuration.busyMode = .timeout(SQLiteDatabase.lockTimeout / .seconds(1))
                            let queue = try DatabaseQueue(path: path, configuration: configuration)
                            defer { try? queue.close() }
                            return try queue.inDatabase(work)
                        } catch let error as DatabaseError {
                            let named = StoreError(error)
                            guard named.code == .damaged else { throw named }
                            return try orDamage(named)
                        }
                    })
            }
        }
    }
}
