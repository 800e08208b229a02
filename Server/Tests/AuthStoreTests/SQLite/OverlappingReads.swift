import Kernel
import Store
import Testing

@testable import StoreSQLite

@Suite("Write-ahead log while reads overlap")
struct OverlappingReads {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let threshold = 50
    /// Ten times the size from which it is started again, in bytes: under load, a reader may take long.
    private static let limit = Int64(10 * 4 * threshold * 4096)

    @Test("The write-ahead log starts again although reads overlap all the time")
    func startsAgain() async throws {
        let options = SQLiteOptions(checkpointPages: Self.threshold, logLimitPages: 1_000_000)
        let database = try SQLiteDatabase.open(path: scratch.database, options: options)
        try await Schema.migrate(database, now: .start)
        let largest = try await withThrowingTaskGroup { group in
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
            let largest = try await Self.largestLog(of: database)
            group.cancelAll()
            try await group.waitForAll()
            return largest
        }
        #expect(largest < Self.limit)
        await database.close()
    }

    /// The largest size of the log at writes that are four times as long together as it may become.
    private static func largestLog(of database: SQLiteDatabase) async throws -> Int64 {
        var largest: Int64 = 0
        // SQLite does not write a page that stays the same.
        let values = ["x", "y"].map { String(repeating: $0, count: 32_768) }
        for number in 0..<Int(4 * limit) / 32_768 {
            try await database.write { try Meta.set("name", to: values[number % 2], on: $0) }
            largest = max(largest, database.log.bytes)
        }
        return largest
    }
}
