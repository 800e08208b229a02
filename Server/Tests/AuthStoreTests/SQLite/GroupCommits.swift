import Store
import Testing

@testable import StoreSQLite

@Suite struct GroupCommits {
    private struct Refusal: Error {}

    @Test(
        "attack: a caller whose writes throw again and again does not make everyone else's run twice",
        .threat("Clocks, disks and crashes"))
    func thrownAgainAndAgain() async throws {
        let scratch = try Scratch()
        let database = try SQLiteDatabase.open(path: scratch.database, options: SQLiteOptions(batch: 16))
        try await Schema.migrate(database, now: .start)
        let runs = LockedValue(0)
        let count = 2000
        let kept = try await concurrently(count) { number -> Bool in
            do {
                try await database.write { connection in
                    runs.withLock { $0 += 1 }
                    try Meta.set("name-\(number)", to: "value", on: connection)
                    if number % 8 == 0 { throw Refusal() }
                }
                return true
            } catch is Refusal { return false }
        }
        let rows = try await database.read { try $0.row("SELECT COUNT(*) AS number FROM meta", [])?.integer("number") }
        #expect(kept.filter { $0 }.count == count * 7 / 8)
        #expect(rows == Int64(count * 7 / 8))
        // A batch is of two calls at least and of sixteen at most, and after one that ran twice 64 do not.
        let ranTwice = count / 2 / 65 + 1
        let ran = runs.withLock { $0 }
        #expect(ran <= count + 16 * ranTwice)
        await database.close()
    }

    @Test(
        "A body that throws leaves nothing of any of its runs, and everybody else is answered by the run that was kept")
    func keptRuns() async throws {
        let scratch = try Scratch()
        let database = try SQLiteDatabase.open(path: scratch.database)
        try await Schema.migrate(database, now: .start)
        let seen = try await concurrently(256) { number -> Int64? in
            do {
                return try await database.write { connection in
                    // What is answered is what the run that was kept has written: each number once.
                    let next = try (Meta.value("count", on: connection).flatMap { Int64($0) } ?? 0) + 1
                    try Meta.set("count", to: String(next), on: connection)
                    if number % 5 == 0 { throw Refusal() }
                    return next
                }
            } catch is Refusal { return nil }
        }
        let numbers = seen.compactMap { $0 }.sorted()
        #expect(numbers == Array(1...Int64(numbers.count)))
        #expect(numbers.count == 256 - 52)
        await database.close()
    }
}
