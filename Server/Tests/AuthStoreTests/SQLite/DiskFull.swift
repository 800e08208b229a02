import Core
import Foundation
import Kernel
import SignIn
import Store
import Testing

@testable import StoreSQLite

@Suite(.threat("Clocks, disks and crashes")) struct DiskFull {
    @Test("A database that is full in the middle of a batch keeps what it acknowledged, fails the rest, and goes on")
    func pageLimit() async throws {
        let scratch = try Scratch()
        let database = try SQLiteDatabase.open(path: scratch.database, options: SQLiteOptions(pageLimit: 200))
        let kept = try await fill(database)
        try await goOn(database, sweeping: kept)
    }

    /// With WALLETAUTH_TEST_SMALL_DISK naming a folder on a file system of about 6 MiB: the log itself runs out of room,
    /// and it is the commit that fails.
    @Test(
        "A disk that is full in the middle of a batch keeps what was acknowledged, fails the rest, and goes on",
        .enabled(if: ProcessInfo.processInfo.environment["WALLETAUTH_TEST_SMALL_DISK"] != nil))
    func smallDisk() async throws {
        let folder = ProcessInfo.processInfo.environment["WALLETAUTH_TEST_SMALL_DISK"] ?? ""
        let scratch = try Scratch(in: folder)
        let ballast = scratch.path("ballast")
        try Data(count: 3 << 20).write(to: URL(fileURLWithPath: ballast))
        let database = try SQLiteDatabase.open(path: scratch.database)
        let kept = try await fill(database)
        // Room is made, and nothing is restarted.
        try FileManager.default.removeItem(atPath: ballast)
        try await goOn(database, sweeping: kept)
        await database.close()
    }

    /// Writes until nothing more goes in.
    ///
    /// - Returns: how many writes were acknowledged.
    private func fill(_ database: SQLiteDatabase) async throws -> Int {
        try await Schema.migrate(database, now: .start)
        try await database.write { try Sample.furnish($0) }
        let runs = LockedValue<[Int: Int]>([:])
        let kept = try await concurrently(400) { number -> Bool in
            do {
                try await database.write { connection in
                    runs.withLock { $0[number, default: 0] += 1 }
                    // Small ones among large ones, so that some can still be kept when others cannot.
                    let size = number % 4 == 0 ? 30_000 : 20
                    try StoredCodes.keep(
                        Sample.digest(number), sealed: [UInt8](repeating: 1, count: size), until: .start + .days(1),
                        on: connection)
                }
                return true
            } catch let error as StoreError {
                #expect(error.code == .full, "\(error)")
                return false
            }
        }
        let acknowledged = try await database.read { connection in
            try connection.query("SELECT id, length(sealed) FROM stored_codes", []).map { try $0.blob("id") }
        }
        let outcomes = try await concurrently(400) { number in
            try await database.read { try StoredCodes.find(Sample.digest(number), now: .start, on: $0) != nil }
        }
        #expect(kept.filter { $0 }.count == acknowledged.count)
        #expect(outcomes.filter { $0 }.count == acknowledged.count)
        #expect(kept.contains(true))
        #expect(kept.contains(false))
        #expect(runs.withLock { $0.values.contains { $0 > 1 } }, "no batch was cut through")
        return acknowledged.count
    }

    /// The engine is what it was before: what needs no room is done, and room that is made is used.
    private func goOn(_ database: SQLiteDatabase, sweeping count: Int) async throws {
        let rotated = try await database.write {
            try Sessions.rotate(
                Sample.session, from: 0, attemptHash: nil, now: .start, expiresAt: .start + .days(30),
                countingUntil: .start, on: $0)
        }
        #expect(rotated)
        let removed = try await Sweep.run(database, now: .start + .days(2), batch: 10)
        #expect(removed == count)
        try await database.write {
            try StoredCodes.keep(
                Sample.digest(0), sealed: [UInt8](repeating: 1, count: 30_000), until: .start, on: $0)
        }
        let report = try await database.check()
        #expect(report.isSound, "\(report.problems)")
    }

    @Test("A body that swallows the error of a full disk fails no other body of its batch")
    func swallowed() async throws {
        let scratch = try Scratch()
        let database = try SQLiteDatabase.open(path: scratch.database, options: SQLiteOptions(pageLimit: 200))
        try await Schema.migrate(database, now: .start)
        let outcomes = try await concurrently(64) { number -> StoreError.Code? in
            do {
                try await database.write { connection in
                    if number % 8 == 0 {
                        for part in 0..<20 {
                            try? StoredCodes.keep(
                                Sample.digest(1000 * number + part), sealed: [UInt8](repeating: 1, count: 65_000),
                                until: .start, on: connection)
                        }
                    } else {
                        try Meta.set("name-\(number)", to: "value", on: connection)
                    }
                }
                return nil
            } catch let error as StoreError {
                return error.code
            }
        }
        // What SQLite rolled back under the body is never acknowledged; everybody else is kept.
        #expect(outcomes.filter { $0 == nil }.count == 56)
        #expect(outcomes.compactMap { $0 } == Array(repeating: .unavailable, count: 8))
        let (names, codes) = try await database.read { connection in
            (
                try connection.row("SELECT COUNT(*) AS number FROM meta", [])?.integer("number"),
                try connection.row("SELECT COUNT(*) AS number FROM stored_codes", [])?.integer("number")
            )
        }
        #expect(names == 56)
        #expect(codes == 0)
    }
}
