import Store
import Testing

@testable import StoreSQLite

@Suite("Write-ahead log while reads overlap")
struct OverlappingReads {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let threshold = 50
    /// Of the writes together, in bytes, if the log does not start again: far more than a second's, for which one attempt in vain puts the
    /// next one off.
    private static let most = 100 << 20

    @Test("The write-ahead log starts again although reads overlap all the time")
    func startsAgain() async throws {
        let options = SQLiteOptions(checkpointPages: Self.threshold, logLimitPages: 1_000_000)
        let database = try SQLiteDatabase.open(path: scratch.database, options: options)
        try await Schema.migrate(database, now: .start)
        let restarts = try await withThrowingTaskGroup { group in
            for _ in 0..<2 * options.readers {
                group.addTask {
                    while !Task.isCancelled {
                        _ = try await database.read { connection in
                            try connection.query(
                                """
                                SELECT (SELECT COUNT(*) FROM meta) + (
                                    WITH RECURSIVE numbers (number) AS (
                                        SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 5000)
                                    SELECT COUNT(*) FROM numbers)
                                """, [])
                        }
                    }
                }
            }
            let restarts = try await Self.restarts(upTo: 10, of: database)
            group.cancelAll()
            try await group.waitForAll()
            return restarts
        }
        #expect(restarts == 10)
        await database.close()
    }

    /// Writes until the log has started again so many times.
    private static func restarts(upTo limit: Int, of database: SQLiteDatabase) async throws -> Int {
        var (restarts, size): (Int, Int64) = (0, 0)
        // SQLite does not write a page that stays the same.
        let values = ["x", "y"].map { String(repeating: $0, count: 32_768) }
        for number in 0..<most / 32_768 where restarts < limit {
            try await database.write { try Meta.set("name", to: values[number % 2], on: $0) }
            let now = database.log.bytes
            // It is 0 between a copy of the log and the next commit, which need not start it again.
            guard now > 0 else { continue }
            if now < size { restarts += 1 }
            size = now
        }
        return restarts
    }
}
