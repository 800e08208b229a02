import AuthCore
import AuthFoundation
import AuthStore
import AuthStorePostgreSQL
import AuthStoreSQLite
import Foundation
import Logging
import Testing

@testable import walletauth

/// The engine does not matter to it: the database here is a file, and `EndToEndTests/PostgreSQL` has a PostgreSQL server.
@Suite("A process and the age of its database")
struct MarkKeeperTests {
    private final class Endings: Sendable {
        let all = LockedValue<[MarkKeeper.Ending]>([])
        var count: Int { all.withLock { $0.count } }
    }

    let folder: TemporaryFolder
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    private let endings = Endings()

    init() throws {
        folder = try TemporaryFolder()
    }

    private var file: SeenMarksFile { SeenMarksFile(path: folder.path("walletauth.marks")) }

    private func database() async throws -> SQLiteDatabase {
        let database = try SQLiteDatabase.open(path: folder.path("walletauth.db"))
        try await Schema.migrate(database, now: SystemClock().now())
        _ = try await database.write { try DatabaseMarks.establish("d", on: $0) }
        return database
    }

    private func keeper(
        _ process: String, of database: SQLiteDatabase, reading late: LateSnapshots? = nil,
        saving file: SeenMarksFile? = nil, logger: Logger? = nil
    ) async throws -> MarkKeeper {
        let found = try await database.read { try DatabaseMarks.read(on: $0) }
        return MarkKeeper(
            process: process, database: late ?? database, shown: "postgresql://db/w",
            file: file ?? self.file, seen: SeenMarks(database: "d", epoch: found.epoch, marks: found.marks),
            savesFile: true, logger: logger ?? self.logger
        ) { [endings] ending in endings.all.withLock { $0.append(ending) } }
    }

    private func marks(of database: SQLiteDatabase) async throws -> [String: Int64] {
        try await database.read { try DatabaseMarks.read(on: $0).marks }
    }

    @Test("Marks that rise while an older snapshot is on its way make no database older")
    func lateSnapshot() async throws {
        let (database, now) = (try await database(), SystemClock().now())
        for process in ["a", "b"] {
            _ = try await database.write { try DatabaseMarks.raise(process, after: nil, now: now, on: $0) }
        }
        let late = LateSnapshots(database)
        let keeper = try await keeper("a", of: database, reading: late)
        late.meanwhile.withLock { meanwhile in
            meanwhile = {
                for process in ["a", "b"] {
                    _ = try await database.write {
                        try DatabaseMarks.raise(process, after: nil, now: now + .seconds(3), on: $0)
                    }
                }
                try await keeper.observe()
            }
        }
        try await keeper.observe()
        #expect(endings.count == 0)
        #expect(try await database.read { try !PendingRestore.isPending(on: $0) })
    }

    @Test("attack: a write that reached an older server before the loss was noticed does not hide it by a new mark")
    func noMarkOverALoss() async throws {
        let database = try await database()
        let keeper = try await keeper("a", of: database)
        let marked = MarkedDatabase(database, keeper: keeper)
        try await marked.write { try Meta.set("name", to: "value", on: $0) }
        await keeper.tick()
        let mark = try #require(try await marks(of: database)["a"])
        try await database.write { try Meta.set("mark.a", to: String(mark - 1), on: $0) }
        try await marked.write { try Meta.set("name", to: "other", on: $0) }
        await keeper.tick()
        #expect(try await marks(of: database)["a"] == mark - 1)
        #expect(keeper.isSuspicious)
        await keeper.tick()
        #expect(endings.count == 1)
        await database.close()
    }

    @Test("attack: the old primary answers, and then the new one: the new one is not marked as restored")
    func markingTheWrongServer() async throws {
        let database = try await database()
        let late = LateSnapshots(database)
        let keeper = try await keeper("a", of: database, reading: late)
        try await MarkedDatabase(late, keeper: keeper).write { try Meta.set("name", to: "value", on: $0) }
        await keeper.finish()
        let mark = try #require(try await marks(of: database)["a"])
        try await database.write { try Meta.set("mark.a", to: String(mark - 1), on: $0) }
        // The read has an answer of the old primary; what follows reaches the new one.
        late.meanwhile.withLock { meanwhile in
            meanwhile = { try await database.write { try Meta.set("mark.a", to: String(mark), on: $0) } }
        }
        try await keeper.observe()
        #expect(endings.count == 1)
        #expect(try await database.read { try !PendingRestore.isPending(on: $0) })
        await database.close()
    }

    @Test("The mark rises after a write, and not without one; at the end it is in the file")
    func raises() async throws {
        let database = try await database()
        let keeper = try await keeper("a", of: database)
        let marked = MarkedDatabase(database, keeper: keeper)
        await keeper.tick()
        #expect(try await marks(of: database).isEmpty)
        _ = try await marked.read { try Meta.value("name", on: $0) }
        await keeper.tick()
        #expect(try await marks(of: database).isEmpty)
        try await marked.write { try Meta.set("name", to: "value", on: $0) }
        await keeper.tick()
        let first = try #require(try await marks(of: database)["a"])
        await keeper.tick()
        #expect(try await marks(of: database)["a"] == first)
        try await marked.write { try Meta.set("name", to: "other", on: $0) }
        await keeper.finish()
        let last = try #require(try await marks(of: database)["a"])
        #expect(last > first)
        #expect(try file.read()?.marks == ["a": last])
        #expect(endings.count == 0)
        await database.close()
    }

    @Test(
        """
        attack: a standby without the last commits takes over, and what they revoked would be honored: the process ends, \
        the next start is refused, and the others learn of it
        """)
    func lostCommits() async throws {
        let database = try await database()
        let (one, two) = (try await keeper("a", of: database), try await keeper("b", of: database))
        one.noteWrite()
        try await one.raise()
        try await one.observe()
        // The standby lacks the mark. The other process continues there first.
        _ = try await database.write { try $0.execute("DELETE FROM meta WHERE name = 'mark.a'", []) }
        two.noteLoss()
        two.noteReturn()
        try await two.observe()
        two.noteWrite()
        try await two.raise()
        #expect(endings.count == 0)
        one.noteLoss()
        one.noteReturn()
        try await one.observe()
        guard case .older(let reason)? = endings.all.withLock({ $0.last }) else {
            Issue.record("it goes on")
            return
        }
        #expect(reason.contains("is older than what this machine has seen"))
        #expect(reason.contains("`walletauth database restored`"))
        #expect(reason.contains("an old primary that runs again after a failover, stop it"))
        let found = try await database.read { try DatabaseMarks.read(on: $0) }
        let seen = try #require(try file.read())
        #expect(found.isRestorePending)
        #expect(seen.marks["a"] != nil)
        // The other one sees the sign.
        try await two.observe()
        #expect(endings.count == 2)
        await database.close()
    }

    @Test("attack: a command after a lossy failover does not hide that the mark of an earlier command is missing")
    func commands() async throws {
        let database = try await database()
        let server = try await keeper("a", of: database)
        let early = try await keeper(MarkKeeper.command(0), of: database)
        early.noteWrite()
        await early.finish()
        try await server.observe()
        _ = try await database.write {
            try $0.execute("DELETE FROM meta WHERE name = $1", [.text("mark.\(MarkKeeper.command(0))")])
        }
        let late = try await keeper(MarkKeeper.command(1), of: database)
        late.noteWrite()
        await late.finish()
        try await server.observe()
        guard case .older? = endings.all.withLock({ $0.last }) else {
            Issue.record("it goes on")
            return
        }
        let names = (0..<10_000).map { _ in MarkKeeper.command() }
        #expect(Set(names).count <= MarkKeeper.commandMarks)
        #expect(MarkKeeper.commandMarks * 2 < DatabaseMarks.limit, "the marks of servers have room")
        await database.close()
    }

    @Test(
        "A process that is stopped while it saves does not stop the others: that is logged once, and saved later",
        .enabled(if: StoppedProcess.canLock, "takes flock of util-linux"))
    func stoppedWhileSaving() async throws {
        let database = try await database()
        let levels = LockedValue<[Logger.Level]>([])
        let keeper = try await keeper(
            "a", of: database, saving: SeenMarksFile(path: file.path, patience: .milliseconds(50)),
            logger: Logger(label: "test") { _ in LevelRecorder(levels: levels) })
        let other = try StoppedProcess(locking: file.path + ".lock")
        defer { other.end() }
        keeper.noteWrite()
        try await keeper.raise()
        for _ in 1...3 { await keeper.save() }
        #expect(levels.withLock { $0 } == [.error])
        #expect(try file.read() == nil)
        let refused = await #expect(throws: FileLock.Held.self) {
            try await FileLock.holding(file.path + ".lock", within: .milliseconds(50)) {}
        }
        #expect(refused?.description.contains("the lock \(file.path).lock") == true)

        other.end()
        try await FileLock.holding(file.path + ".lock", within: .seconds(60)) {}
        await keeper.save()
        #expect(try file.read()?.marks.keys.sorted() == ["a"])
        #expect(levels.withLock { $0 } == [.error])
        await database.close()
    }

    @Test("A refusal names the host and port that answered, of those in the URL")
    func answeringServer() {
        for verdict in [SeenMarks.Verdict.older(nil), .restorePending, .otherDatabase] {
            let reason = verdict.explanation(
                database: "postgresql://w@a,b/w", at: "a, port 5432", file: "walletauth.marks")
            #expect(reason.contains("The server that answered is a, port 5432. "))
        }
    }

    @Test(
        """
        attack: an old primary that waits for its missing standby: the process says why, names the host that answered, and \
        ends, also if another host answers meanwhile
        """)
    func hangingWrites() async throws {
        let database = try await database()
        let now = SystemClock().now()
        _ = try await database.write { try DatabaseMarks.raise("a", after: nil, now: now, on: $0) }
        let hanging = HangingWrites(database)
        let (levels, writesAtCritical) = (LockedValue<[Logger.Level]>([]), LockedValue(0))
        let keeper = MarkKeeper(
            process: "b", database: hanging, shown: "postgresql://old,new/w", file: file,
            seen: SeenMarks(
                database: "d", epoch: try await database.read { try DatabaseMarks.read(on: $0).epoch },
                marks: ["a": (now + .seconds(60)).milliseconds]),
            savesFile: false, timeToTell: .milliseconds(50),
            logger: Logger(label: "test") { _ in
                LevelRecorder(levels: levels, writesAtCritical: writesAtCritical, writes: hanging.writes)
            }
        ) { [endings] ending in endings.all.withLock { $0.append(ending) } }
        try await keeper.observe()
        guard case .older(let reason)? = endings.all.withLock({ $0.last }) else {
            Issue.record("it goes on")
            return
        }
        #expect(reason.contains("The server that answered is old, port 5432. "), "\(reason)")
        #expect(hanging.writes.withLock { $0 } == 1)
        #expect(levels.withLock { $0 } == [.critical, .error])
        #expect(writesAtCritical.withLock { $0 } == 0, "the reason is logged before the others are told")
        // A second call is not a second end.
        try await keeper.observe()
        #expect(endings.count == 1)
        hanging.release()
        await database.close()
    }

    @Test("That writes are accepted again is logged after the comparison, and not for an older database")
    func comparedFirst() async throws {
        let database = try await database()
        let levels = LockedValue<[Logger.Level]>([])
        let keeper = try await keeper(
            "a", of: database,
            logger: Logger(label: "test") { _ in
                LevelRecorder(levels: levels)
            })
        keeper.noteWrite()
        try await keeper.raise()
        try await keeper.observe()
        #expect(levels.withLock { $0 }.isEmpty)
        keeper.noteLoss()
        try await keeper.observe()
        #expect(levels.withLock { $0 }.isEmpty, "while away, writes are refused")
        keeper.noteReturn()
        try await keeper.observe()
        #expect(levels.withLock { $0 } == [.notice])
        _ = try await database.write { try $0.execute("DELETE FROM meta WHERE name = 'mark.a'", []) }
        keeper.noteLoss()
        keeper.noteReturn()
        try await keeper.observe()
        #expect(levels.withLock { $0 } == [.notice, .critical])
        await database.close()
    }

    @Test("A restore whose declaration was not confirmed says so, names the host, and when to run the command again")
    func undecidedRestore() {
        let line = Fault.undecidedRestore(
            of: "postgresql://w@a,b/w", "the answer to a commit at a, port 5432 did not arrive"
        ).line
        #expect(line.contains("may be declared, or not: the answer to a commit at a, port 5432 did not arrive. "))
        #expect(line.contains("If that server is an old primary that runs again after a failover, stop it"))
        #expect(line.contains("Otherwise run the command again once the standby is there"))
    }

    @Test("Until the database was examined after a loss, nothing is read from or written to one that is older")
    func suspicion() async throws {
        let database = try await database()
        let keeper = try await keeper("a", of: database)
        let marked = MarkedDatabase(database, keeper: keeper)
        try await marked.write { try Meta.set("name", to: "value", on: $0) }
        try await keeper.raise()
        keeper.noteLoss()
        #expect(try await marked.read { try Meta.value("name", on: $0) } == "value")
        try await marked.write { try Meta.set("name", to: "again", on: $0) }
        _ = try await database.write { try $0.execute("DELETE FROM meta WHERE name = 'mark.a'", []) }
        let read = await #expect(throws: StoreError.self) {
            try await marked.read { try Meta.value("name", on: $0) }
        }
        #expect(read?.code == .unavailable)
        let written = await #expect(throws: StoreError.self) {
            try await marked.write { try Meta.set("name", to: "late", on: $0) }
        }
        #expect(written?.code == .unavailable)
        let guarded = await #expect(throws: StoreError.self) {
            try await marked.write(isolation: .guardedStatement) { try Meta.set("name", to: "late", on: $0) }
        }
        #expect(guarded?.code == .unavailable)
        #expect(try await database.read { try Meta.value("name", on: $0) } == "again")
        await database.close()
    }

    @Test(
        """
        attack: while the group is away, a comparison finds the new primary current, and then the group joins the old one: \
        nothing is read from it or written to it
        """)
    func currentWhileAway() async throws {
        let database = try await database()
        let keeper = try await keeper("a", of: database)
        let marked = MarkedDatabase(database, keeper: keeper)
        try await marked.write { try Meta.set("name", to: "value", on: $0) }
        try await keeper.raise()
        let mark = try #require(try await marks(of: database)["a"])
        keeper.noteLoss()
        try await keeper.observe()
        #expect(keeper.isSuspicious)
        keeper.noteReturn()
        try await database.write { try Meta.set("mark.a", to: String(mark - 1), on: $0) }
        let written = await #expect(throws: StoreError.self) {
            try await marked.write { try Meta.set("name", to: "late", on: $0) }
        }
        #expect(written?.code == .unavailable)
        let read = await #expect(throws: StoreError.self) {
            try await marked.read { try Meta.value("name", on: $0) }
        }
        #expect(read?.code == .unavailable)
        #expect(endings.count == 0)
        #expect(try await database.read { try Meta.value("name", on: $0) } == "value")
        await database.close()
    }

    @Test("A comparison that began before the group's session was back clears nothing, and one that began later does")
    func comparedTooEarly() async throws {
        let database = try await database()
        let late = LateSnapshots(database)
        let keeper = try await keeper("a", of: database, reading: late)
        keeper.noteLoss()
        late.meanwhile.withLock { meanwhile in
            meanwhile = { keeper.noteReturn() }
        }
        try await keeper.observe()
        #expect(keeper.isSuspicious)
        try await keeper.observe()
        #expect(!keeper.isSuspicious)
        await database.close()
    }

    @Test(
        """
        attack: while the group is away, a comparison finds the old primary, or another restore, and then the group joins the new \
        one: the process does not end, and nothing is read meanwhile
        """)
    func olderWhileAway() async throws {
        let database = try await database()
        let keeper = try await keeper("a", of: database)
        let marked = MarkedDatabase(database, keeper: keeper)
        try await marked.write { try Meta.set("name", to: "value", on: $0) }
        try await keeper.raise()
        let mark = try #require(try await marks(of: database)["a"])
        let epoch = try await database.read { try DatabaseMarks.read(on: $0).epoch }
        keeper.noteLoss()
        for (name, other, own) in [
            ("mark.a", String(mark - 1), String(mark)), (DatabaseMarks.epochName, String(epoch + 1), String(epoch)),
        ] {
            try await database.write { try Meta.set(name, to: other, on: $0) }
            try await keeper.observe()
            let read = await #expect(throws: StoreError.self) {
                try await marked.read { try Meta.value("name", on: $0) }
            }
            #expect(read?.code == .unavailable)
            try await database.write { try Meta.set(name, to: own, on: $0) }
        }
        keeper.noteReturn()
        try await keeper.observe()
        #expect(endings.count == 0)
        #expect(!keeper.isSuspicious)
        #expect(try await marked.read { try Meta.value("name", on: $0) } == "value")
        #expect(try await database.read { try !PendingRestore.isPending(on: $0) })
        await database.close()
    }

    @Test("A comparison with an older database that began before the group's session was back does not end the process")
    func olderTooEarly() async throws {
        let database = try await database()
        let late = LateSnapshots(database)
        let keeper = try await keeper("a", of: database, reading: late)
        try await MarkedDatabase(database, keeper: keeper).write { try Meta.set("name", to: "value", on: $0) }
        try await keeper.raise()
        let mark = try #require(try await marks(of: database)["a"])
        keeper.noteLoss()
        try await database.write { try Meta.set("mark.a", to: String(mark - 1), on: $0) }
        late.meanwhile.withLock { meanwhile in
            meanwhile = {
                try await database.write { try Meta.set("mark.a", to: String(mark), on: $0) }
                keeper.noteReturn()
            }
        }
        try await keeper.observe()
        #expect(keeper.isSuspicious)
        try await keeper.observe()
        #expect(!keeper.isSuspicious)
        #expect(endings.count == 0)
        await database.close()
    }

    @Test("A loss before the marks are watched is made up for, also if the group's session is already back")
    func lostEarly() async throws {
        let database = try await database()
        for isBack in [false, true] {
            let report = PostgreSQLReport(logger: logger)
            let regained = PostgreSQLEvent.membershipRegained(server: "db", unasked: [])
            report.take(.membershipLost(StoreError(.unavailable, "it is away")))
            if isBack { report.take(regained) }
            let keeper = try await keeper("a", of: database)
            report.inform(keeper)
            #expect(keeper.isSuspicious)
            try await keeper.observe()
            #expect(keeper.isSuspicious == !isBack)
            report.take(regained)
            try await keeper.observe()
            #expect(!keeper.isSuspicious)
        }
        await database.close()
    }

    @Test(
        "attack: while the process saves before its end, nothing is read from or written to the older database",
        .enabled(if: StoppedProcess.canLock, "takes flock of util-linux"))
    func callsBeforeTheEnd() async throws {
        let database = try await database()
        let (lines, source) = AsyncStream.makeStream(of: Void.self)
        let keeper = try await keeper(
            "a", of: database, saving: SeenMarksFile(path: file.path, patience: .seconds(60)),
            logger: Logger(label: "test") { _ in CriticalLines(source: source) })
        let marked = MarkedDatabase(database, keeper: keeper)
        try await marked.write { try Meta.set("name", to: "value", on: $0) }
        try await keeper.raise()
        let mark = try #require(try await marks(of: database)["a"])
        try await database.write { try Meta.set("mark.a", to: String(mark - 1), on: $0) }
        let other = try StoppedProcess(locking: file.path + ".lock")
        defer { other.end() }
        let leaving = Task {
            defer { source.finish() }
            try await keeper.observe()
        }
        for await _ in lines { break }
        let read = await #expect(throws: StoreError.self) {
            try await marked.read { try Meta.value("name", on: $0) }
        }
        #expect(read?.code == .unavailable)
        let written = await #expect(throws: StoreError.self) {
            try await marked.write { try Meta.set("name", to: "late", on: $0) }
        }
        #expect(written?.code == .unavailable)
        #expect(endings.count == 0)
        other.end()
        try await leaving.value
        #expect(endings.count == 1)
        #expect(try await database.read { try Meta.value("name", on: $0) } == "value")
        await database.close()
    }

    @Test("attack: a call that waits while the connection is lost does not read from or write to an older database")
    func suspicionWhileWaiting() async throws {
        for isWrite in [false, true] {
            let database = try await database()
            let keeper = try await keeper("a", of: database)
            keeper.noteWrite()
            try await keeper.raise()
            let late = LateDatabase(database: database) {
                _ = try await database.write { try $0.execute("DELETE FROM meta WHERE name = 'mark.a'", []) }
                keeper.noteLoss()
            }
            let marked = MarkedDatabase(late, keeper: keeper)
            #expect(!keeper.isSuspicious)
            let error = await #expect(throws: StoreError.self) {
                guard !isWrite else { return try await marked.write { try Meta.set("name", to: "late", on: $0) } }
                _ = try await marked.read { try Meta.value("name", on: $0) }
            }
            #expect(error?.code == .unavailable)
            #expect(try await database.read { try Meta.value("name", on: $0) } == nil)
            await database.close()
        }
    }

    @Test("A process that was away during a declared restore starts again: what it has sealed opens no more")
    func restored() async throws {
        let database = try await database()
        let keeper = try await keeper("a", of: database)
        try await database.write { try Meta.set(DatabaseMarks.epochName, to: "9", on: $0) }
        try await keeper.observe()
        guard case .restored? = endings.all.withLock({ $0.last }) else {
            Issue.record("it goes on")
            return
        }
        await database.close()
    }
}
