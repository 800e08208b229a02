import Core
import Foundation
import Kernel
import Logging
import Store
import StoreSQLite
import TestSupport
import Testing

@testable import walletauth

/// The engine does not matter to it: the database here is a file, and `EndToEndTests/PostgreSQL` has a PostgreSQL server.
@Suite(
    "A process and the age of its database", .threat("Restored databases"),
    .covers("a stopped process does not hold up others"))
struct MarkKeeperTests {
    private let watched: WatchedDatabase

    init() throws {
        watched = try WatchedDatabase()
    }

    @Test("Marks that rise while an older snapshot is on its way make no database older")
    func lateSnapshot() async throws {
        let (database, now) = (try await watched.database(), SystemClock().now())
        for process in ["a", "b"] {
            _ = try await database.write { try DatabaseMarks.raise(process, after: nil, now: now, on: $0) }
        }
        let late = LateSnapshots(database)
        let keeper = try await watched.keeper("a", of: database, reading: late)
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
        #expect(watched.endings.count == 0)
        #expect(try await database.read { try !PendingRestore.isPending(on: $0) })
    }

    @Test("attack: a write that reached an older server before the loss was noticed does not hide it by a new mark")
    func noMarkOverALoss() async throws {
        let database = try await watched.database()
        let keeper = try await watched.keeper("a", of: database)
        let marked = MarkedDatabase(database, keeper: keeper)
        try await marked.write { try Meta.set("name", to: "value", on: $0) }
        await keeper.tick()
        let mark = try #require(try await watched.marks(of: database)["a"])
        try await database.write { try Meta.set("mark.a", to: String(mark - 1), on: $0) }
        try await marked.write { try Meta.set("name", to: "other", on: $0) }
        await keeper.tick()
        #expect(try await watched.marks(of: database)["a"] == mark - 1)
        #expect(keeper.isSuspicious)
        await keeper.tick()
        #expect(watched.endings.count == 1)
        await database.close()
    }

    @Test("attack: the old primary answers, and then the new one: the new one is not marked as restored")
    func markingTheWrongServer() async throws {
        let database = try await watched.database()
        let late = LateSnapshots(database)
        let keeper = try await watched.keeper("a", of: database, reading: late)
        try await MarkedDatabase(late, keeper: keeper).write { try Meta.set("name", to: "value", on: $0) }
        await keeper.finish()
        let mark = try #require(try await watched.marks(of: database)["a"])
        try await database.write { try Meta.set("mark.a", to: String(mark - 1), on: $0) }
        // The read has an answer of the old primary; what follows reaches the new one.
        late.meanwhile.withLock { meanwhile in
            meanwhile = { try await database.write { try Meta.set("mark.a", to: String(mark), on: $0) } }
        }
        try await keeper.observe()
        #expect(watched.endings.count == 1)
        #expect(try await database.read { try !PendingRestore.isPending(on: $0) })
        await database.close()
    }

    @Test("The mark rises after a write, and not without one; at the end it is in the file")
    func raises() async throws {
        let database = try await watched.database()
        let keeper = try await watched.keeper("a", of: database)
        let marked = MarkedDatabase(database, keeper: keeper)
        await keeper.tick()
        #expect(try await watched.marks(of: database).isEmpty)
        _ = try await marked.read { try Meta.value("name", on: $0) }
        await keeper.tick()
        #expect(try await watched.marks(of: database).isEmpty)
        try await marked.write { try Meta.set("name", to: "value", on: $0) }
        await keeper.tick()
        let first = try #require(try await watched.marks(of: database)["a"])
        await keeper.tick()
        #expect(try await watched.marks(of: database)["a"] == first)
        try await marked.write { try Meta.set("name", to: "other", on: $0) }
        await keeper.finish()
        let last = try #require(try await watched.marks(of: database)["a"])
        #expect(last > first)
        #expect(try watched.file.read()?.marks == ["a": last])
        #expect(watched.endings.count == 0)
        await database.close()
    }

    @Test(
        """
        attack: a standby without the last commits takes over, and what they revoked would be honored: the process ends, \
        the next start is refused, and the others learn of it
        """)
    func lostCommits() async throws {
        let database = try await watched.database()
        let (one, two) = (try await watched.keeper("a", of: database), try await watched.keeper("b", of: database))
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
        #expect(watched.endings.count == 0)
        one.noteLoss()
        one.noteReturn()
        try await one.observe()
        guard case .older(let reason)? = watched.endings.all.withLock({ $0.last }) else {
            Issue.record("it goes on")
            return
        }
        #expect(reason.contains("is older than what this machine has seen"))
        #expect(reason.contains("`walletauth database restored`"))
        #expect(reason.contains("an old primary that runs again after a failover, stop it"))
        let found = try await database.read { try DatabaseMarks.read(on: $0) }
        let seen = try #require(try watched.file.read())
        #expect(found.isRestorePending)
        #expect(seen.marks["a"] != nil)
        // The other one sees the sign.
        try await two.observe()
        #expect(watched.endings.count == 2)
        await database.close()
    }

    @Test("attack: a command after a lossy failover does not hide that the mark of an earlier command is missing")
    func commands() async throws {
        let database = try await watched.database()
        let server = try await watched.keeper("a", of: database)
        let early = try await watched.keeper(MarkKeeper.command(0), of: database)
        early.noteWrite()
        await early.finish()
        try await server.observe()
        _ = try await database.write {
            try $0.execute("DELETE FROM meta WHERE name = $1", [.text("mark.\(MarkKeeper.command(0))")])
        }
        let late = try await watched.keeper(MarkKeeper.command(1), of: database)
        late.noteWrite()
        await late.finish()
        try await server.observe()
        guard case .older? = watched.endings.all.withLock({ $0.last }) else {
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
        let database = try await watched.database()
        let log = LogRecorder()
        let keeper = try await watched.keeper(
            "a", of: database, saving: SeenMarksFile(path: watched.file.path, patience: .milliseconds(50)),
            logger: Logger(label: "test") { _ in log.handler })
        let other = try StoppedProcess(locking: watched.file.path + ".lock")
        defer { other.end() }
        keeper.noteWrite()
        try await keeper.raise()
        for _ in 1...3 { await keeper.save() }
        #expect(log.levels(from: .notice) == [.error])
        #expect(try watched.file.read() == nil)
        let refused = await #expect(throws: FileLock.Held.self) {
            try await FileLock.holding(watched.file.path + ".lock", within: .milliseconds(50)) {}
        }
        #expect(refused?.description.contains("the lock \(watched.file.path).lock") == true)

        other.end()
        try await FileLock.holding(watched.file.path + ".lock", within: .seconds(300)) {}
        await keeper.save()
        #expect(try watched.file.read()?.marks.keys.sorted() == ["a"])
        #expect(log.levels(from: .notice) == [.error])
        await database.close()
    }

    @Test("A refusal names the host and port that answered, of those in the URL")
    func answeringServer() {
        for verdict in [SeenMarks.Verdict.older(lacking: nil), .restorePending, .otherDatabase] {
            let reason = verdict.explanation(
                database: "postgresql://w@a,b/w", at: "a, port 5432", file: "walletauth.marks")
            #expect(reason.contains("The server that responded is a, port 5432. "))
        }
    }

    @Test(
        """
        attack: an old primary that waits for its missing standby: the process says why, names the host that answered, and \
        ends, also if another host answers meanwhile
        """)
    func hangingWrites() async throws {
        let database = try await watched.database()
        let now = SystemClock().now()
        _ = try await database.write { try DatabaseMarks.raise("a", after: nil, now: now, on: $0) }
        let hanging = HangingWrites(database)
        let writesAtCritical = LockedValue(0)
        let log = LogRecorder { [writes = hanging.writes] level in
            guard level == .critical else { return }
            let begun = writes.withLock { $0 }
            writesAtCritical.withLock { $0 = begun }
        }
        let keeper = MarkKeeper(
            process: "b", database: hanging, shown: "postgresql://old,new/w", file: watched.file,
            seen: SeenMarks(
                database: "d", epoch: try await database.read { try DatabaseMarks.read(on: $0).epoch },
                marks: ["a": (now + .seconds(60)).milliseconds]),
            savesFile: false, timeToTell: .milliseconds(50),
            logger: Logger(label: "test") { _ in log.handler }
        ) { [endings = watched.endings] ending in endings.all.withLock { $0.append(ending) } }
        try await keeper.observe()
        guard case .older(let reason)? = watched.endings.all.withLock({ $0.last }) else {
            Issue.record("it goes on")
            return
        }
        #expect(reason.contains("The server that responded is old, port 5432. "), "\(reason)")
        // Once, or not at all: on a busy machine the time to tell the others may be over before that begins.
        #expect(hanging.writes.withLock { $0 } <= 1)
        #expect(log.levels(from: .notice) == [.critical, .error])
        #expect(writesAtCritical.withLock { $0 } == 0, "the reason is logged before the others are told")
        // A second call is not a second end.
        try await keeper.observe()
        #expect(watched.endings.count == 1)
        hanging.release()
        await database.close()
    }

    @Test("That writes are accepted again is logged after the comparison, and not for an older database")
    func comparedFirst() async throws {
        let database = try await watched.database()
        let log = LogRecorder()
        let keeper = try await watched.keeper(
            "a", of: database,
            logger: Logger(label: "test") { _ in log.handler })
        keeper.noteWrite()
        try await keeper.raise()
        try await keeper.observe()
        #expect(log.levels(from: .notice).isEmpty)
        keeper.noteLoss()
        try await keeper.observe()
        #expect(log.levels(from: .notice).isEmpty, "while away, writes are refused")
        keeper.noteReturn()
        try await keeper.observe()
        #expect(log.levels(from: .notice) == [.notice])
        _ = try await database.write { try $0.execute("DELETE FROM meta WHERE name = 'mark.a'", []) }
        keeper.noteLoss()
        keeper.noteReturn()
        try await keeper.observe()
        #expect(log.levels(from: .notice) == [.notice, .critical])
        await database.close()
    }

    @Test("A restore whose declaration was not confirmed says so, names the host, and when to run the command again")
    func undecidedRestore() {
        let line = Fault.undecidedRestore(
            of: "postgresql://w@a,b/w", "the response to a commit at a, port 5432 did not arrive"
        ).line
        #expect(
            line.contains(
                "may or may not have been declared: the response to a commit at a, port 5432 did not arrive. "))
        #expect(line.contains("If that server is an old primary that runs again after a failover, stop it"))
        #expect(line.contains("Otherwise run the command again once the standby is back"))
    }
}
