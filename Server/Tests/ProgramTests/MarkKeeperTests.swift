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
        let keeper = try await watched.keeper("a", of: database)
        let ending = try await database.write { connection in
            let late = LateRows(connection) {
                for process in ["a", "b"] {
                    _ = try DatabaseMarks.raise(process, after: nil, now: now + .seconds(3), on: connection)
                }
                #expect(try keeper.examine(connection, marksLoss: true) == nil)
            }
            return try keeper.examine(late, marksLoss: true)
        }
        #expect(ending == nil)
        #expect(try await database.read { try !PendingRestore.isPending(on: $0) })
        await database.close()
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
        await keeper.tick()
        #expect(watched.endings.count == 1)
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
        #expect(try await watched.examine(two, of: database) == nil)
        two.noteWrite()
        try await two.raise()
        #expect(watched.endings.count == 0)
        #expect(try await watched.examine(one, of: database) != nil)
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
        attack: an old primary answers: the process says why it ends, names the host, and marks that server and no other, before \
        another host answers
        """)
    func endsOnce() async throws {
        let (old, new) = (try await watched.database(), try await watched.database("new.db"))
        let log = LogRecorder()
        let keeper = try await watched.keeper("b", of: new, logger: Logger(label: "test") { _ in log.handler })
        let now = SystemClock().now()
        _ = try await new.write { try DatabaseMarks.raise("a", after: nil, now: now, on: $0) }
        #expect(try await watched.examine(keeper, of: new) == nil)
        guard case .older(let reason)? = try await watched.examine(keeper, of: old, at: "old, port 5432") else {
            Issue.record("it goes on")
            return
        }
        #expect(reason.contains("The server that responded is old, port 5432. "), "\(reason)")
        #expect(log.levels(from: .notice) == [.critical])
        #expect(try await old.read { try PendingRestore.isPending(on: $0) })
        #expect(try await new.read { try !PendingRestore.isPending(on: $0) })
        // A second call is not a second end.
        _ = try await watched.examine(keeper, of: old)
        #expect(watched.endings.count == 1)
        await old.close()
        await new.close()
    }

    @Test("A server that is not current is not joined again, and the process ends because of it")
    func refusedServer() async throws {
        let database = try await watched.database()
        let report = PostgreSQLReport(logger: watched.logger)
        let keeper = try await watched.keeper("a", of: database)
        try await database.read { try report.examine($0) }
        report.watch(with: keeper)
        try await database.read { try report.examine($0) }
        keeper.noteWrite()
        try await keeper.raise()
        _ = try await database.write { try $0.execute("DELETE FROM meta WHERE name = 'mark.a'", []) }
        let refused = await #expect(throws: StoreError.self) {
            try await database.write { try report.examine($0) }
        }
        #expect(refused?.code == .unavailable)
        #expect(refused?.reason.contains("is older than what this machine has seen") == true)
        while watched.endings.count == 0 { try await Task.sleep(for: .milliseconds(10)) }
        await database.close()
    }

    @Test(
        "attack: while the process saves before its end, nothing is read from or written to the older database",
        .enabled(if: StoppedProcess.canLock, "takes flock of util-linux"))
    func callsBeforeTheEnd() async throws {
        let database = try await watched.database()
        let (lines, source) = AsyncStream.makeStream(of: Void.self)
        let log = LogRecorder { if $0 == .critical { source.yield() } }
        let keeper = try await watched.keeper(
            "a", of: database, saving: SeenMarksFile(path: watched.file.path, patience: .seconds(600)),
            logger: Logger(label: "test") { _ in log.handler })
        let marked = MarkedDatabase(database, keeper: keeper)
        try await marked.write { try Meta.set("name", to: "value", on: $0) }
        try await keeper.raise()
        let mark = try #require(try await watched.marks(of: database)["a"])
        try await database.write { try Meta.set("mark.a", to: String(mark - 1), on: $0) }
        let other = try StoppedProcess(locking: watched.file.path + ".lock")
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
        #expect(watched.endings.count == 0)
        other.end()
        try await leaving.value
        #expect(watched.endings.count == 1)
        #expect(try await database.read { try Meta.value("name", on: $0) } == "value")
        await database.close()
    }

    @Test("A process that was away during a declared restore starts again: what it has sealed opens no more")
    func restored() async throws {
        let database = try await watched.database()
        let keeper = try await watched.keeper("a", of: database)
        try await database.write { try Meta.set(DatabaseMarks.epochName, to: "9", on: $0) }
        #expect(try await watched.examine(keeper, of: database) != nil)
        guard case .restored? = watched.endings.all.withLock({ $0.last }) else {
            Issue.record("it goes on")
            return
        }
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
