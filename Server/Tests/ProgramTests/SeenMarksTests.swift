import Core
import Foundation
import Testing

@testable import Store
@testable import walletauth

@Suite("What a machine has seen of a database")
struct SeenMarksTests {
    private static let now = Timestamp(seconds: 1_800_000_000)
    private static let mark = now.milliseconds - 1000

    private let seen = SeenMarks(database: "d", epoch: 5, marks: ["a": mark, "b": mark - 600_000])

    private func verdict(
        of database: String? = "d", epoch: Int64 = 5, isPending: Bool = false, _ marks: [String: Int64]
    ) -> SeenMarks.Verdict {
        let found = DatabaseMarks(database: database, epoch: epoch, isRestorePending: isPending, marks: marks)
        return seen.verdict(on: found, now: Self.now)
    }

    @Test("A database that has every mark, or newer ones, is current")
    func current() {
        #expect(verdict(seen.marks) == .current)
        #expect(verdict(["a": Self.mark + 1, "b": Self.mark, "c": 1]) == .current)
    }

    @Test("One that lacks a process's mark is older, and lacks writes of that time, although another process went on")
    func older() {
        let last = SeenMarks.Verdict.older(lacking: Timestamp(milliseconds: Self.mark))
        #expect(verdict(["a": Self.mark - 180_000, "b": Self.mark - 600_000]) == last)
        #expect(verdict(["a": Self.mark - 1, "b": Self.now.milliseconds]) == last)
        #expect(verdict(["b": Self.mark - 600_000]) == last)
        #expect(verdict([:]) == last)
        let other = SeenMarks.Verdict.older(lacking: Timestamp(milliseconds: Self.mark - 600_000))
        #expect(verdict(["a": Self.mark]) == other)
        #expect(verdict(of: nil, seen.marks) == .older(lacking: nil))
    }

    @Test("The time of what is lacking is named, and not how long ago the database's own last write was")
    func idleBefore() {
        // Nothing was written for an hour before the write that is lost.
        let found = verdict(["a": Self.mark - 3_420_000, "b": Self.mark - 600_000])
        let words = found.explanation(database: "w", at: nil, file: "walletauth.marks")
        #expect(words.contains("it lacks writes of about 2027-01-15T07:59:59Z"), "\(words)")
        #expect(!words.contains("minutes"))
    }

    @Test("After a declared restore, the marks of before do not count; before an earlier one, a database is older")
    func epochs() {
        #expect(verdict(epoch: 6, [:]) == .current)
        let last = SeenMarks.Verdict.older(lacking: Timestamp(milliseconds: Self.mark))
        #expect(verdict(epoch: 4, seen.marks) == last)
        #expect(verdict(epoch: 4, ["a": Self.mark - 60_000]) == last)
    }

    @Test("Another database, and one whose restore is not finished")
    func others() {
        #expect(verdict(of: "e", seen.marks) == .otherDatabase)
        #expect(verdict(isPending: true, seen.marks) == .restorePending)
    }

    @Test("A restore is doubted unless the database lacks what was seen, or is marked: declaring it signs everyone out")
    func doubt() throws {
        func isDoubted(_ seen: SeenMarks?, epoch: Int64 = 5, isPending: Bool = false, _ marks: [String: Int64]) -> Bool
        {
            let found = DatabaseMarks(database: "d", epoch: epoch, isRestorePending: isPending, marks: marks)
            return SeenMarks.verdict(on: found, seen: seen, now: Self.now) == .current
        }
        #expect(!isDoubted(seen, [:]))
        #expect(!isDoubted(seen, epoch: 4, seen.marks))
        #expect(!isDoubted(seen, isPending: true, seen.marks))
        #expect(!isDoubted(nil, isPending: true, [:]))
        #expect(isDoubted(seen, seen.marks))
        #expect(isDoubted(seen, epoch: 6, [:]))
        #expect(isDoubted(nil, seen.marks))
        #expect(
            !isDoubted(SeenMarks(database: "e", epoch: 5, marks: [:]), seen.marks), "it is refused as another database")
        let current = Fault.nothingLost(of: "w", unlessIn: nil).line
        #expect(current.contains("has everything that this machine has seen"))
        #expect(current.contains("--even-if-current"))
        #expect(
            Fault.nothingLost(of: "w", unlessIn: "walletauth.marks").line.contains("walletauth.marks does not exist"))
        #expect(SeenMarks.verdict(on: nil, seen: seen, now: Self.now) == .otherDatabase)
        #expect(SeenMarks.verdict(on: nil, seen: nil, now: Self.now) == .current)
    }

    @Test("A mark of more than a month ago is not compared: its row may be gone")
    func forgotten() {
        let later = Self.now + .days(31)
        #expect(seen.verdict(on: DatabaseMarks(database: "d", epoch: 5), now: later) == .current)
        #expect(SeenMarks.memory < SeenMarks.lifetime)
    }

    @Test("attack: a server that starts again and again leaves marks; the file has the newest, and can be read")
    func manyMarks() async throws {
        let folder = try TemporaryFolder()
        let file = SeenMarksFile(path: folder.path("walletauth.marks"))
        func marks(_ numbers: Range<Int64>) -> [String: Int64] {
            Dictionary(uniqueKeysWithValues: numbers.map { ("process-\(UInt64.max - UInt64($0))", Self.mark + $0) })
        }
        let limit = Int64(DatabaseMarks.limit)
        try await file.save(SeenMarks(database: "d", epoch: 5, marks: marks(0..<50_000)), now: Self.now)
        #expect(try file.read()?.marks == marks((50_000 - limit)..<50_000))
        try await file.save(SeenMarks(database: "d", epoch: 5, marks: marks(50_000..<50_001)), now: Self.now)
        let seen = try #require(try file.read())
        #expect(seen.marks == marks((50_001 - limit)..<50_001))

        // The database keeps the newest as well. This machine was away, and missed more processes than are kept.
        let others = marks(60_000..<(60_000 + limit))
        #expect(seen.verdict(on: DatabaseMarks(database: "d", epoch: 5, marks: others), now: Self.now) == .current)
        // One that lacks a newer mark is older all the same.
        let older = marks((50_000 - limit)..<50_000)
        #expect(
            seen.verdict(on: DatabaseMarks(database: "d", epoch: 5, marks: older), now: Self.now)
                == .older(lacking: Timestamp(milliseconds: Self.mark + 50_000)))
    }

    @Test("What two processes of a machine have seen is in one file; a damaged file is refused")
    func file() async throws {
        let folder = try TemporaryFolder()
        let file = SeenMarksFile(path: folder.path("walletauth.marks"))
        #expect(try file.read() == nil)
        try await file.save(seen, now: Self.now)
        #expect(FileStatus(path: file.path)?.isOpenToOthers == false)
        let other = SeenMarks(database: "d", epoch: 5, marks: ["a": Self.mark - 1, "c": Self.mark])
        try await file.save(other, now: Self.now)
        #expect(
            try file.read()?.marks == ["a": Self.mark, "b": Self.mark - 600_000, "c": Self.mark])
        // Of a process that has not learned of a restore yet.
        try await file.save(SeenMarks(database: "d", epoch: 6, marks: ["a": 1]), now: Self.now)
        try await file.save(seen, now: Self.now)
        #expect(try file.read()?.epoch == 6)
        _ = try folder.write("{\"data", to: "walletauth.marks")
        #expect(throws: Refusal.self) { try file.read() }
    }

    @Test("Processes that save at the same time lose no marks")
    func concurrentSaves() async throws {
        let folder = try TemporaryFolder()
        // They keep the lock busy all the time, on a disk that may be slow.
        let file = SeenMarksFile(path: folder.path("walletauth.marks"), patience: .seconds(600))
        let processes = (0..<8).map { "process-\($0)" }
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for process in processes {
                tasks.addTask {
                    for number in 0..<20 {
                        let marks = ["\(process)-\(number)": Self.mark]
                        try await file.save(SeenMarks(database: "d", epoch: 5, marks: marks), now: Self.now)
                    }
                }
            }
            try await tasks.waitForAll()
        }
        #expect(try file.read()?.marks.count == 160)
        #expect(FileStatus(path: file.path + ".lock")?.isOpenToOthers == false)
    }

    @Test("The number of a restore is higher than every one before, and two copies of one database get different ones")
    func numbers() {
        var known: Int64 = 0
        for _ in 0..<100 {
            let next = RestoreEpoch.next(after: known, now: Self.now)
            #expect(next > known)
            known = next
        }
        let random = Int64.max - 1 << 40
        #expect(RestoreEpoch.next(after: random, now: Self.now) > random)
        let drawn = (0..<100).map { _ in RestoreEpoch.next(after: 0, now: Self.now) }
        #expect(Set(drawn).count > 90)
        #expect(RestoreEpoch.next(after: .max, now: Self.now) > 0)
    }

    @Test("A SQLite database gets a higher number as well: copied to PostgreSQL, it must not look older than it is")
    func numbersInFile() throws {
        let folder = try TemporaryFolder()
        let epoch = RestoreEpoch(database: DatabaseLocation(path: folder.path("walletauth.db")))
        // The number of a PostgreSQL database that this one was copied from.
        var known = RestoreEpoch.next(after: 0, now: Self.now)
        for _ in 0..<20 {
            try epoch.renew(after: known, now: Self.now)
            #expect(try epoch.read() > known)
            known = try epoch.read()
            // The restored database is from before that.
            try epoch.renew(after: 0, now: Self.now)
            #expect(try epoch.read() > known)
            known = try epoch.read()
        }
        _ = try folder.write("damaged", to: "walletauth.db.epoch")
        try epoch.renew(after: known, now: Self.now)
        #expect(try epoch.read() > known)
    }
}
