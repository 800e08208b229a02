import Foundation
import Logging
import Store
import StorePostgreSQL
import StoreSQLite
import TestSupport
import Testing

@testable import walletauth

@Suite("What is read and written while the group has no session, and once it is back")
struct AbsentGroupTests {
    private let watched: WatchedDatabase

    init() throws {
        watched = try WatchedDatabase()
    }

    /// A database whose only process has written a value and raised its mark.
    private func raised() async throws -> (
        database: SQLiteDatabase, keeper: MarkKeeper, marked: MarkedDatabase, mark: Int64
    ) {
        let database = try await watched.database()
        let keeper = try await watched.keeper("a", of: database)
        let marked = MarkedDatabase(database, keeper: keeper)
        try await marked.write { try Meta.set("name", to: "value", on: $0) }
        try await keeper.raise()
        return (database, keeper, marked, try #require(try await watched.marks(of: database)["a"]))
    }

    /// Nothing is read from the database or written to it.
    private func expectUnavailable(_ marked: MarkedDatabase) async {
        let read = await #expect(throws: StoreError.self) {
            try await marked.read { try Meta.value("name", on: $0) }
        }
        #expect(read?.code == .unavailable)
        let written = await #expect(throws: StoreError.self) {
            try await marked.write { try Meta.set("name", to: "late", on: $0) }
        }
        #expect(written?.code == .unavailable)
    }

    @Test(
        "Until the database has been examined after a loss, nothing is read from or written to an older one",
        .threat("Restored databases"))
    func suspicion() async throws {
        let (database, keeper, marked, _) = try await raised()
        keeper.noteLoss()
        #expect(try await marked.read { try Meta.value("name", on: $0) } == "value")
        try await marked.write { try Meta.set("name", to: "again", on: $0) }
        _ = try await database.write { try $0.execute("DELETE FROM meta WHERE name = 'mark.a'", []) }
        await expectUnavailable(marked)
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
        let (database, keeper, marked, mark) = try await raised()
        keeper.noteLoss()
        try await keeper.observe()
        #expect(keeper.isSuspicious)
        keeper.noteReturn()
        try await database.write { try Meta.set("mark.a", to: String(mark - 1), on: $0) }
        await expectUnavailable(marked)
        #expect(watched.endings.count == 0)
        #expect(try await database.read { try Meta.value("name", on: $0) } == "value")
        await database.close()
    }

    @Test("A comparison that began before the group's session was back clears nothing, and one that began later does")
    func comparedTooEarly() async throws {
        let database = try await watched.database()
        let late = LateSnapshots(database)
        let keeper = try await watched.keeper("a", of: database, reading: late)
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
        let (database, keeper, marked, mark) = try await raised()
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
        #expect(watched.endings.count == 0)
        #expect(!keeper.isSuspicious)
        #expect(try await marked.read { try Meta.value("name", on: $0) } == "value")
        #expect(try await database.read { try !PendingRestore.isPending(on: $0) })
        await database.close()
    }

    @Test("A comparison with an older database that began before the group's session was back does not end the process")
    func olderTooEarly() async throws {
        let database = try await watched.database()
        let late = LateSnapshots(database)
        let keeper = try await watched.keeper("a", of: database, reading: late)
        try await MarkedDatabase(database, keeper: keeper).write { try Meta.set("name", to: "value", on: $0) }
        try await keeper.raise()
        let mark = try #require(try await watched.marks(of: database)["a"])
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
        #expect(watched.endings.count == 0)
        await database.close()
    }

    @Test("A loss before the marks are watched is made up for, even if the group's session is already back")
    func lostEarly() async throws {
        let database = try await watched.database()
        for isBack in [false, true] {
            let report = PostgreSQLReport(logger: watched.logger)
            let regained = PostgreSQLEvent.membershipRegained(server: "db", unasked: [])
            report.take(.membershipLost(StoreError(.unavailable, "it is away")))
            if isBack { report.take(regained) }
            let keeper = try await watched.keeper("a", of: database)
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
        await expectUnavailable(marked)
        #expect(watched.endings.count == 0)
        other.end()
        try await leaving.value
        #expect(watched.endings.count == 1)
        #expect(try await database.read { try Meta.value("name", on: $0) } == "value")
        await database.close()
    }

    @Test("attack: a call that waits while the connection is lost does not read from or write to an older database")
    func suspicionWhileWaiting() async throws {
        for isWrite in [false, true] {
            let database = try await watched.database()
            let keeper = try await watched.keeper("a", of: database)
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
        let database = try await watched.database()
        let keeper = try await watched.keeper("a", of: database)
        try await database.write { try Meta.set(DatabaseMarks.epochName, to: "9", on: $0) }
        try await keeper.observe()
        guard case .restored? = watched.endings.all.withLock({ $0.last }) else {
            Issue.record("it goes on")
            return
        }
        await database.close()
    }
}
