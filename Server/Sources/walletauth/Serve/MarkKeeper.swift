import Core
import Kernel
import Logging
import Outbound
import ServiceLifecycle
import Store

/// Records this process's mark in a database, remembers the marks of others, and notices a database that lacks
/// what was seen (``DatabaseMarks``): after a restore that no one declared, or after a failover that lost commits. With SQLite, the
/// next start notices it.
final class MarkKeeper: Sendable {
    /// Who can declare a restore while this process runs.
    enum Sharing: Sendable {
        case withOthers
        /// No process: a new epoch is this process's own.
        case alone
    }

    /// Why this process cannot go on with the database.
    enum Ending: Hashable {
        /// The database is older than what was seen, or another one. A person must act.
        case older(reason: String)
        /// A restore was declared while this process was away. The next start knows of it.
        case restored(reason: String)
    }

    /// The marks of commands. A mark for each run would let scripts fill the table. One for all would let a command after a
    /// failover raise the mark that an earlier one has lost, and hide the loss.
    static let commandMarks = 100
    private struct State {
        var seen: SeenMarks
        var hasWritten = false
        /// Whether the group has no session. Until it has one, another server may answer each call.
        var isAway = false
        /// How often there was a reason to examine the database.
        var suspicions = 0
        /// How many of them had come before an examination that found the database to be current.
        var cleared = 0
        var sinceObservation = 0
        var saved: SeenMarks?
        var isSaveFailing = false
        var isLeaving = false

        /// An examination while the group is away clears nothing, since it says nothing of the server that the group will find.
        /// And a process that leaves answers calls until its end, which may take seconds.
        var isSuspicious: Bool { cleared != suspicions || isAway || isLeaving }
    }

    private let process: String
    private let database: any Database
    private let shown: String
    private let file: SeenMarksFile
    /// Whether it saves by itself. Commands only read the file: they may run in a folder that is no server's.
    private let savesFile: Bool
    private let sharing: Sharing
    /// How long telling the other processes may take. The write waits without an end for a standby that is away.
    private let timeToTell: Duration
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
        savesFile: Bool, sharing: Sharing = .withOthers, timeToTell: Duration = .seconds(5),
        clock: any Clock = SystemClock(), logger: Logger,
        end: @escaping @Sendable (Ending) -> Void
    ) {
        self.process = process
        self.database = database
        self.shown = shown
        self.file = file
        self.savesFile = savesFile
        self.sharing = sharing
        self.timeToTell = timeToTell
        self.clock = clock
        self.logger = logger
        self.end = end
        state = LockedValue(State(seen: seen))
    }

    /// The name of the mark that a command raises.
    /// - Parameter number: of the marks of commands, drawn for each run.
    static func command(_ number: Int = .random(in: 0..<MarkKeeper.commandMarks)) -> String { "command-\(number)" }

    // MARK: What the database reports

    /// A write was acknowledged.
    func noteWrite() {
        state.withLock { $0.hasWritten = true }
    }

    /// The group's session was lost.
    func noteLoss() {
        state.withLock { state in
            state.isAway = true
            state.suspicions += 1
        }
    }

    /// The group has a session again, maybe at another server. No examination that began before says anything of that one.
    func noteReturn() {
        state.withLock { state in
            state.isAway = false
            state.suspicions += 1
        }
    }

    /// Whether the database has to be examined before what it says counts.
    var isSuspicious: Bool { state.withLock { $0.isSuspicious } }

    /// Examines the database in a caller's own transaction, while it is suspicious.
    /// - Throws: ``StoreError`` with code `unavailable` if it lacks what was seen.
    func require(on connection: any SQLConnection) throws {
        // Before the snapshot of the transaction: other transactions add newer marks meanwhile.
        let seen = state.withLock { $0.seen }
        let found = try DatabaseMarks.read(on: connection)
        guard seen.verdict(on: found, now: clock.now()) == .current, seen.epoch == found.epoch else {
            throw StoreError(.unavailable, "the database is older than what was seen, or was restored")
        }
    }

    // MARK: Each second

    /// Raises the mark after writes, and examines the database every ten seconds, or each second while an examination is due.
    func tick() async {
        do {
            let isDue = state.withLock { state in
                state.sinceObservation += 1
                // While away, each transaction examines the database itself, and the return does it for all.
                return state.sinceObservation >= 10 || state.isSuspicious && !state.isAway
            }
            if isDue { try await observe() }
            try await raise()
        } catch {
            // The database is away. The engine reports that.
            logger.debug("could not write a mark to the database", metadata: ["error": "\(error)"])
        }
        if savesFile, isSaveDue { await save() }
    }

    /// Examines the database, and remembers the marks of all processes. An older database ends the process only if the group had its
    /// session all the time: otherwise the connection may have led to any server, and the return of the session starts another
    /// examination.
    func observe() async throws {
        // Everything seen by now was committed before the snapshot of the read.
        let (suspicions, seen) = state.withLock { ($0.suspicions, $0.seen) }
        let found = try await database.read { try DatabaseMarks.read(on: $0) }
        let now = clock.now()
        let verdict = seen.verdict(on: found, now: now)
        let isCurrent = verdict == .current && (found.epoch == seen.epoch || sharing == .alone)
        if isCurrent {
            let isCleared = state.withLock { state in
                let wasSuspicious = state.isSuspicious
                // A current database lacks only what may have been removed from it.
                if found.marks[process] == nil { state.seen.marks[process] = nil }
                state.seen.add(found, now: now)
                state.sinceObservation = 0
                state.cleared = max(state.cleared, suspicions)
                return wasSuspicious && !state.isSuspicious
            }
            if isCleared { logger.notice("the database has everything that was seen: writes are accepted") }
        }
        let isAtGroupsServer = state.withLock { !$0.isAway && $0.suspicions == suspicions }
        guard isCurrent || isAtGroupsServer else { return }
        guard verdict == .current else {
            await leave(verdict, of: found.server)
            return
        }
        guard isCurrent else {
            end(
                .restored(
                    reason: "the database \(shown) was declared restored while this process was disconnected from it"))
            return
        }
    }

    /// Raises this process's mark, if it has written since.
    func raise() async throws {
        guard !isSuspicious, state.withLock({ $0.hasWritten }) else { return }
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
                // A connection may have led to an older server, before the loss of the group's session was noticed.
                noteWrite()
                state.withLock { $0.suspicions += 1 }
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

    /// Once in ten seconds, after an observation.
    private var isSaveDue: Bool {
        state.withLock { $0.sinceObservation == 0 && $0.saved != $0.seen }
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

    // MARK: The end

    /// Ends the process. First it logs why, makes sure that the next start is refused as well, and tells the other processes.
    /// - Parameter server: the one that was found to be older.
    private func leave(_ verdict: SeenMarks.Verdict, of server: String?) async {
        let isFirst = state.withLock { state in
            defer { state.isLeaving = true }
            return !state.isLeaving
        }
        // The other call ends the process.
        guard isFirst else { return }
        let reason = verdict.explanation(database: shown, at: server, file: file.path)
        // What follows may take seconds, and an operator should not have to wait for it.
        logger.critical("the server is stopping", metadata: ["reason": "\(reason)"])
        if savesFile { await save() }
        if case .older = verdict { await tellOthers() }
        end(.older(reason: reason))
    }

    /// Marks the database for all processes, or gives up when that takes too long.
    private func tellOthers() async {
        let failure = LockedValue("the write did not return")
        // In a task of its own, for a shutdown may cancel this one.
        let telling = Task { try await within(.now + timeToTell) { await self.markForOthers(failure) } }
        guard case .failure = await telling.result else { return }
        logger.error("the other processes could not be notified", metadata: ["error": "\(failure.withLock { $0 })"])
    }

    /// Repeats the write until it succeeds or is cancelled. The membership may not be back yet after the loss of the
    /// connection, and writes are refused until then.
    private func markForOthers(_ failure: LockedValue<String>) async {
        let (seen, clock) = (state.withLock { $0.seen }, clock)
        while !Task.isCancelled {
            do {
                try await database.write { connection in
                    // Another server than the one that was found to be older may answer now.
                    let found = try DatabaseMarks.read(on: connection)
                    guard case .older = seen.verdict(on: found, now: clock.now()) else { return }
                    try connection.execute(PendingRestore.marking, [])
                }
                return
            } catch {
                failure.withLock { $0 = "\(error)" }
                guard (try? await Task.sleep(for: .milliseconds(250))) != nil else { return }
            }
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
