import CFaultyDisk
import Foundation
import GRDB
import Store
import Testing

@testable import StoreSQLite

/// SQLite's result codes, whose macros do not cross into Swift.
private enum Code {
    static let ioWrite: CInt = 10 | 3 << 8
    static let ioFsync: CInt = 10 | 4 << 8
    static let ioTruncate: CInt = 10 | 6 << 8
    static let ioRead: CInt = 10 | 1 << 8
    static let full: CInt = 13
    /// The mode of a checkpoint.
    static let restart: CInt = 2
}

@Suite struct FailingDisk {
    let scratch: Scratch
    private let events = LockedValue<[StorageEvent]>([])

    init() throws {
        faulty_disk_install()
        scratch = try Scratch()
    }

    private var log: String { scratch.database + "-wal" }

    /// A database with a schema whose log is copied after few pages, and whose limit is soon reached.
    private func opened(logLimitPages: Int = 250) async throws -> SQLiteDatabase {
        let events = events
        let options = SQLiteOptions(
            checkpointPages: 50, logLimitPages: logLimitPages, report: { event in events.withLock { $0.append(event) } }
        )
        let database = try SQLiteDatabase.open(path: scratch.database, options: options)
        try await Schema.migrate(database, now: .start)
        return database
    }

    private func write(_ number: Int, to database: SQLiteDatabase) async throws {
        try await database.write { connection in
            try Meta.set("name-\(number)", to: String(repeating: "x", count: 3000), on: connection)
        }
    }

    /// Writes until something is reported or so many writes were acknowledged.
    /// - Returns: how many were, and what the first that was not threw.
    private func write(
        upTo limit: Int, to database: SQLiteDatabase
    ) async throws -> (acknowledged: Int, failure: StoreError?) {
        for number in 0..<limit {
            do { try await write(number, to: database) } catch let error as StoreError { return (number, error) }
        }
        return (limit, nil)
    }

    /// What a restart would find: the files as they are, opened by an engine that shares nothing with the one before.
    private func countAfterRestart() async throws -> Int64? {
        let image = scratch.path("image.db")
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: scratch.database + suffix) {
            try FileManager.default.copyItem(atPath: scratch.database + suffix, toPath: image + suffix)
        }
        let copy = try SQLiteDatabase.open(path: image)
        let count = try await copy.read {
            try $0.row("SELECT COUNT(*) AS number FROM meta WHERE name LIKE 'name-%'", [])?.integer("number")
        }
        let report = try await copy.check()
        #expect(report.isSound, "\(report.problems)")
        await copy.close()
        return count
    }

    private var diskFailures: [StoreError] {
        events.withLock { events in
            events.compactMap { if case .diskFailed(let error) = $0 { error } else { nil } }
        }
    }

    @Test(
        "A sync of the database file that fails is the last: nothing is acknowledged after it, and the log stays",
        .threat("Clocks, disks and crashes"))
    func failedSyncOfTheDatabase() async throws {
        let database = try await opened()
        faulty_disk_fail(scratch.database, FAULTY_SYNC, Code.ioFsync, 1)
        let outcome = try await write(upTo: 500, to: database)
        #expect(outcome.failure?.code == .diskFailed || outcome.failure?.code == .closed)
        #expect(diskFailures.count == 1)
        await database.close()
        // The disk would take a second sync, and it is not asked for one.
        #expect(faulty_disk_asked(scratch.database, FAULTY_SYNC) == 1)
        #expect(FileManager.default.fileExists(atPath: log))
        let found = try await countAfterRestart()
        #expect(found == Int64(outcome.acknowledged))
    }

    @Test(
        "A sync that fails after a part of the log was copied without one loses nothing, though the disk lost that part"
    )
    func failedSyncAfterPartialCopy() async throws {
        let database = try await opened(logLimitPages: 1_000_000)
        try await write(0, to: database)
        // What the disk has of the database file for certain.
        let disk = scratch.path("disk")
        try FileManager.default.copyItem(atPath: scratch.database, toPath: disk)
        let reader = try await StayingReader.enter(database)
        for number in 1...40 { try await write(number, to: database) }
        let changed = FileManager.default.contentsEqual(atPath: scratch.database, andPath: disk)
        #expect(!changed, "no part was copied")
        faulty_disk_fail(scratch.database, FAULTY_SYNC, Code.ioFsync, 1)
        try await reader.leave()
        var acknowledged = 41
        do {
            while acknowledged < 10_000 {
                try await write(acknowledged, to: database)
                acknowledged += 1
            }
        } catch is StoreError {}
        #expect(diskFailures.count == 1)
        await database.close()
        try FileManager.default.removeItem(atPath: scratch.database)
        try FileManager.default.copyItem(atPath: disk, toPath: scratch.database)
        let found = try await countAfterRestart()
        #expect(found == Int64(acknowledged))
    }

    @Test("A commit whose sync fails is not acknowledged and not tried again, and the engine ends")
    func failedSyncOfTheLog() async throws {
        let database = try await opened()
        try await write(0, to: database)
        faulty_disk_fail(log, FAULTY_SYNC, Code.ioFsync, 1)
        let runs = LockedValue(0)
        let error = await #expect(throws: StoreError.self) {
            try await database.write { connection in
                runs.withLock { $0 += 1 }
                try Meta.set("lost", to: "value", on: connection)
            }
        }
        #expect(error?.code == .diskFailed)
        #expect(runs.withLock { $0 } == 1)
        let later = await #expect(throws: StoreError.self) { try await write(1, to: database) }
        #expect(later?.code == .closed)
        #expect(faulty_disk_asked(log, FAULTY_SYNC) == 1)
        #expect(diskFailures.count == 1)
        await database.close()
    }

    @Test(
        "An input/output error of a checkpoint ends the engine, whichever call meets it",
        arguments: [(FAULTY_WRITE, Code.ioWrite), (FAULTY_TRUNCATE, Code.ioTruncate), (FAULTY_SYNC, Code.ioFsync)])
    func failedCheckpoint(operation: faulty_operation, code: CInt) async throws {
        let database = try await opened()
        faulty_disk_fail(scratch.database, operation, code, -1)
        let outcome = try await write(upTo: 500, to: database)
        #expect(outcome.failure != nil)
        #expect(diskFailures.count == 1)
        await database.close()
        let found = try await countAfterRestart()
        #expect(found == Int64(outcome.acknowledged))
    }

    @Test("A checkpoint without room is reported, and writes go on until the log has reached its limit")
    func noRoomForCheckpoints() async throws {
        let database = try await opened(logLimitPages: 512)
        faulty_disk_fail(scratch.database, FAULTY_WRITE, Code.full, -1)
        let outcome = try await write(upTo: 2000, to: database)
        #expect(outcome.failure?.code == .full)
        #expect(outcome.failure?.reason.hasPrefix("the write-ahead log has reached its limit of 2 MiB: ") == true)
        #expect(outcome.acknowledged > 20)
        let log = database.log
        #expect(log.refusesWrites)
        #expect(log.failure != nil)
        #expect(log.failedCheckpoints > 0)
        #expect(log.bytes >= 512 * 4096)
        let told = events.withLock { $0 }
        #expect(told.contains { if case .checkpointFailed = $0 { true } else { false } })
        #expect(told.contains { if case .writesRefused = $0 { true } else { false } })
        #expect(diskFailures.isEmpty)

        // Reading needs no room.
        let count = try await database.read { try $0.row("SELECT COUNT(*) AS number FROM meta", [])?.integer("number") }
        #expect((count ?? 0) >= Int64(outcome.acknowledged))

        // Room is made, and no restart is needed.
        faulty_disk_heal(scratch.database)
        var refused = 0
        while true {
            do {
                try await write(5000, to: database)
                break
            } catch let error as StoreError where error.code == .full {
                refused += 1
                await Task.yield()
            }
        }
        #expect(refused > 0)
        #expect(!database.log.refusesWrites)
        #expect(database.log.failure == nil)
        #expect(events.withLock { $0.contains { if case .checkpointRecovered = $0 { true } else { false } } })
        await database.close()
        let found = try await countAfterRestart()
        #expect(found == Int64(outcome.acknowledged) + 1)
    }

    @Test("A reader that stays keeps the log from its start, and once it is gone the log is copied whole")
    func stayingReader() async throws {
        let database = try await opened(logLimitPages: 1_000_000)
        try await write(0, to: database)
        let reader = try await StayingReader.enter(database)
        let began = database.log.lastWholeCheckpoint
        for number in 1...40 { try await write(number, to: database) }
        #expect(database.log.bytes > 50 * 4096)
        #expect(database.log.lastWholeCheckpoint == began)
        try await reader.leave()
        var number = 41
        while database.log.lastWholeCheckpoint == began {
            try await write(number % 100, to: database)
            number += 1
        }
        #expect(database.log.failedCheckpoints == 0)
        #expect(diskFailures.isEmpty)
    }

    @Test("A log that is copied whole, and not started again because of a reader, is no complete checkpoint")
    func readerOfTheLog() async throws {
        let database = try await opened(logLimitPages: 1_000_000)
        for number in 0..<3 { try await write(number, to: database) }
        // It needs no older snapshot, but reads the log.
        let reader = try await StayingReader.enter(database)
        let found = try restartLog()
        #expect(found == [true, false])
        try await reader.leave()
        let later = try restartLog()
        #expect(later == [true, true])
        await database.close()
    }

    /// - Returns: whether the log is copied whole, and whether it starts again.
    private func restartLog() throws -> [Bool] {
        try DatabaseQueue(path: scratch.database).inDatabase { connection in
            let checkpoint = try SQLiteConnection(connection).checkpoint(Code.restart, waiting: .milliseconds(1))
            return [checkpoint.isWhole, checkpoint.isComplete]
        }
    }

    @Test("A write that fails is refused, undoes itself, and the next one is kept")
    func failedWrite() async throws {
        let database = try await opened()
        try await write(0, to: database)
        faulty_disk_fail(log, FAULTY_WRITE, Code.ioWrite, 1)
        let error = await #expect(throws: StoreError.self) {
            try await write(1, to: database)
        }
        #expect(error?.code == .unavailable)
        try await write(2, to: database)
        await database.close()
        let found = try await countAfterRestart()
        #expect(found == 2)
    }

    @Test("A log left by a process is rewritten, then copied into the database before anything is served")
    func leftLog() async throws {
        let database = try await opened()
        for number in 0..<10 { try await write(number, to: database) }
        let image = scratch.path("image.db")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: scratch.database + suffix, toPath: image + suffix)
        }
        let before = try FileManager.default.attributesOfItem(atPath: image + "-wal")[.systemFileNumber] as? Int
        let held = FileHandle(forReadingAtPath: image + "-wal")
        let copy = try SQLiteDatabase.open(path: image)
        let count = try await copy.read {
            try $0.row("SELECT COUNT(*) AS number FROM meta WHERE name LIKE 'name-%'", [])?.integer("number")
        }
        #expect(count == 10)
        let after = try FileManager.default.attributesOfItem(atPath: image + "-wal")
        #expect(after[.systemFileNumber] as? Int != before)
        #expect(after[.size] as? Int == 0)
        #expect(!FileManager.default.fileExists(atPath: image + "-wal.renewed"))
        #expect(copy.log.bytes == 0)
        try held?.close()
        await copy.close()
    }

    @Test("A log of before that cannot be copied keeps the database closed, and stays")
    func leftLogOnFailingDisk() async throws {
        let database = try await opened()
        for number in 0..<10 { try await write(number, to: database) }
        let image = scratch.path("image.db")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: scratch.database + suffix, toPath: image + suffix)
        }
        faulty_disk_fail(image, FAULTY_SYNC, Code.ioFsync, 1)
        let error = #expect(throws: StoreError.self) { try SQLiteDatabase.open(path: image) }
        #expect(error?.code == .diskFailed)
        let size = try FileManager.default.attributesOfItem(atPath: image + "-wal")[.size] as? Int
        #expect((size ?? 0) > 0)
    }

    #if os(Linux)
        @Test("A write that finds no room is reported as a full disk, even while the disk's own numbers show room")
        func noRoomDespiteFreeSpace() throws {
            let source = scratch.path("source")
            try Data(repeating: 1, count: 4096).write(to: URL(fileURLWithPath: source))
            let copying = #expect(throws: StoreError.self) { try PrivateFile.copy(source, to: "/dev/full") }
            #expect(copying?.code == .full, "\(copying?.reason ?? "")")
            let rewriting = #expect(throws: StoreError.self) { try PrivateFile.rewrite("/dev/full") }
            #expect(rewriting?.code == .full, "\(rewriting?.reason ?? "")")
        }
    #endif

    @Test("A path that is there and cannot be opened is not said to be impossible to create")
    func unopened() throws {
        let folder = scratch.path("folder")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let present = #expect(throws: StoreError.self) { try PrivateFile.create(folder, existing: .kept) }
        #expect(present?.reason.hasPrefix("cannot open \(folder): ") == true, "\(present?.reason ?? "")")
        let absent = folder + "/none/file"
        let missing = #expect(throws: StoreError.self) { try PrivateFile.create(absent, existing: .kept) }
        #expect(missing?.reason.hasPrefix("cannot create \(absent): ") == true, "\(missing?.reason ?? "")")
    }

    @Test("A database that another program has open is not opened, and that program is named, until it ends")
    func otherProgram() async throws {
        let database = try await opened()
        try await write(0, to: database)
        await database.close()
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        program.arguments = [
            "python3", "-c",
            """
            import sqlite3, sys
            c = sqlite3.connect(sys.argv[1])
            c.execute("SELECT COUNT(*) FROM meta").fetchall()
            print("open", flush=True)
            sys.stdin.read()
            """, scratch.database,
        ]
        let (input, output) = (Pipe(), Pipe())
        (program.standardInput, program.standardOutput) = (input, output)
        try program.run()
        let said = output.fileHandleForReading.availableData
        #expect(String(decoding: said, as: UTF8.self).hasPrefix("open"))
        let error = #expect(throws: StoreError.self) { try SQLiteDatabase.open(path: scratch.database) }
        #expect(error?.code == .owned)
        #expect(error?.reason.contains("process \(program.processIdentifier)") == true, "\(error?.reason ?? "")")
        try input.fileHandleForWriting.close()
        program.waitUntilExit()
        let again = try SQLiteDatabase.open(path: scratch.database)
        await again.close()
    }
}

/// A reader that keeps its snapshot until it is let go.
private struct StayingReader {
    private let release = DispatchSemaphore(value: 0)
    private let task: Task<Void, any Error>

    private init(_ database: SQLiteDatabase, _ entered: AsyncStream<Void>.Continuation) {
        let release = release
        task = Task {
            try await database.onOwnConnection { connection in
                try connection.execute(sql: "BEGIN")
                _ = try String.fetchAll(connection, sql: "SELECT name FROM meta")
                entered.finish()
                release.wait()
                try connection.execute(sql: "COMMIT")
            }
        }
    }

    /// Returns when the reader has its snapshot.
    static func enter(_ database: SQLiteDatabase) async throws -> StayingReader {
        let (entered, continuation) = AsyncStream<Void>.makeStream()
        let reader = StayingReader(database, continuation)
        for await _ in entered {}
        return reader
    }

    func leave() async throws {
        release.signal()
        try await task.value
    }
}
