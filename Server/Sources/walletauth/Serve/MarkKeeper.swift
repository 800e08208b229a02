import Core
import Kernel
import Logging
import ServiceLifecycle
import Store

/// Records this process's mark in a database, remembers the marks of others, and notices a database that lacks
/// what was seen (``DatabaseMarks``): after a restore that no one declared, or after a failover that lost commits. With SQLite, the
/// next start notices it.
final class MarkKeeper: Sendable {
    /// Why this process cannot go on with the database.
    enum Ending: Hashable {
        /// The database is older than what was seen, or another one. A person must act.
        case older(reason: String)
        /// A restore was declared while this process was away. The next start knows of it.
        case restored(reason: String)

        var reason: String {
            switch self {
            case .older(let reason), .restored(let reason): reason
            }
        }
    }

    /// The marks of commands. A mark for each run would let scripts fill the table. One for all would let a command after a
    /// failover raise the mark that an earlier one has lost, and hide the loss.
    static let commandMarks = 100
    /// The ticks between two examinations.
    private static let interval = 10

    private struct State {
        var seen: SeenMarks
        var hasWritten = false
        var sinceExamination = 0
        var saved: SeenMarks?
        var isSaveFailing = false
        var isLeaving = false
    }

    private let process: String
    private let database: any Database
    private let shown: String
    private let file: SeenMarksFile
    /// Whether it saves by itself. Commands only read the file: they may run in a folder that is no server's.
    private let savesFile: Bool
    /// Whether no other process can declare a restore: a new epoch is this process's own.
    private let isAlone: Bool
    private let clock: any Clock
    private let logger: Logger
    private let end: @Sendable (Ending) -> Void
    private let state: LockedValue<State>

    /// - Parameters:
    ///   - process: names the process's mark.
    ///   - database: not a ``MarkedDatabase``.
    ///   - shown: the database, for messages.
    ///   - seen: what this machine has seen, including all of what the database has now.
    ///   - end: ends the process. The reason of ``Ending/older(reason:)`` was logged.
    init(
        process: String, database: any Database, shown: String, file: SeenMarksFile, seen: SeenMarks,
        savesFile: Bool, isAlone: Bool = false, clock: any Clock = SystemClock(), logger: Logger,
        end: @escaping @Sendable (Ending) -> Void
    ) {
        self.process = process
        self.database = database
        self.shown = shown
        self.file = file
        self.savesFile = savesFile
        self.isAlone = isAlone
        self.clock = clock
        self.logger = logger
        self.end = end
        state = LockedValue(State(seen: seen))
    }

    /// The name of the mark that a command raises.
    /// - Parameter number: of the marks of commands, drawn for each run.
    static func command(_ number: Int = .random(in: 0..<MarkKeeper.commandMarks)) -> String { "command-\(number)" }

    /// A write was acknowledged.
    func noteWrite() {
        state.withLock { $0.hasWritten = true }
    }

    /// Refuses the calls of a process that is about to end, which may take seconds.
    /// - Throws: ``StoreError`` with code `unavailable`.
    func require() throws {
        guard !state.withLock({ $0.isLeaving }) else {
            throw StoreError(.unavailable, "the database is older than what was seen, or was restored")
        }
    }

    // MARK: The comparison

    /// Compares the database with what was seen, and remembers the marks of all processes.
    /// - Parameter marksLoss: whether to mark a database that lacks something, so that other processes leave it as well.
    /// - Returns: why this process cannot go on; `nil` if it can.
    func examine(_ connection: any SQLConnection, marksLoss: Bool) throws -> Ending? {
        // Before the snapshot of the statement: other transactions add newer marks meanwhile.
        let seen = state.withLock { $0.seen }
        let found = try DatabaseMarks.read(on: connection)
        let now = clock.now()
        let verdict = seen.verdict(on: found, now: now)
        guard verdict == .current else {
            if marksLoss, case .older = verdict { mark(connection) }
            return .older(reason: verdict.explanation(database: shown, at: connection.serverName, file: file.path))
        }
        guard found.epoch == seen.epoch || isAlone else {
            return .restored(
                reason: "the database \(shown) was declared restored while this process was disconnected from it")
        }
        state.withLock { state in
            // A current database lacks only what may have been removed from it.
            if found.marks[process] == nil { state.seen.marks[process] = nil }
            state.seen.add(found, now: now)
            state.sinceExamination = 0
        }
        return nil
    }

    private func mark(_ connection: any SQLConnection) {
        do { try connection.execute(PendingRestore.marking, []) } catch {
            logger.error("the other processes could not be notified", metadata: ["error": "\(error)"])
        }
    }

    func observe() async throws {
        if let ending = try await database.read({ try self.examine($0, marksLoss: false) }) { await leave(ending) }
    }

    /// Ends the process. First it logs why, and makes sure that the next start is refused as well.
    func leave(_ ending: Ending) async {
        let isFirst = state.withLock { state in
            defer { state.isLeaving = true }
            return !state.isLeaving
        }
        // The other call ends the process.
        guard isFirst else { return }
        if case .older(let reason) = ending {
            // Saving may take seconds, and an operator should not have to wait for it.
            logger.critical("the server is stopping", metadata: ["reason": "\(reason)"])
            if savesFile { await save() }
        }
        end(ending)
    }

    // MARK: Each second

    /// Raises the mark after writes, and examines the database every ten seconds.
    func tick() async {
        do {
            let isDue = state.withLock { state in
                state.sinceExamination += 1
                return state.sinceExamination >= Self.interval
            }
            if isDue { try await observe() }
            try await raise()
        } catch {
            // The database is away. The engine reports that.
            logger.debug("could not write a mark to the database", metadata: ["error": "\(error)"])
        }
        if savesFile, isSaveDue { await save() }
    }

    /// Raises this process's mark, if it has written since.
    func raise() async throws {
        guard state.withLock({ $0.hasWritten && !$0.isLeaving }) else { return }
        let (process, now) = (process, clock.now())
        // Before the mark: a write during the statement gets the next one.
        let last = state.withLock { state in
            state.hasWritten = false
            return state.seen.marks[process]
        }
        do {
            let mark = try await database.write(isolation: .guardedStatement) {
                try DatabaseMarks.raise(process, after: last, now: now, on: $0)
            }
            if let mark {
                state.withLock { $0.seen.add([process: mark], now: now) }
            } else {
                // The database lacks the last one. The next tick finds out why.
                state.withLock { $0.sinceExamination = Self.interval }
                noteWrite()
            }
        } catch {
            noteWrite()
            throw error
        }
    }

    /// Raises the mark a last time, and saves what was seen.
    func finish() async {
        do { try await raise() } catch {
            logger.debug("could not write the last mark to the database", metadata: ["error": "\(error)"])
        }
        if savesFile { await save() }
    }

    // MARK: The file

    /// Once in ten seconds, after an examination.
    private var isSaveDue: Bool {
        state.withLock { $0.sinceExamination == 0 && $0.saved != $0.seen }
    }

    /// Writes what was seen into the file. A failure is logged once and tried again.
    func save() async {
        let seen = state.withLock { $0.seen }
        do {
            try await file.save(seen, now: clock.now())
            state.withLock { state in
                state.saved = seen
                state.isSaveFailing = false
            }
        } catch is CancellationError {
            // The process is stopping, and saves a last time at its end.
        } catch {
            let isFirst = state.withLock { state in
                defer { state.isSaveFailing = true }
                return !state.isSaveFailing
            }
            guard isFirst else { return }
            logger.error(
                """
                what this machine has seen of the database cannot be saved: after a restart, an older database might not \
                be noticed
                """,
                metadata: ["file": "\(file.path)", "error": "\(error)"])
        }
    }
}

/// Runs ``MarkKeeper/tick()`` while the server does.
struct MarkService: Service {
    let keeper: MarkKeeper

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
                await keeper.tick()
            }
        }
    }
}
