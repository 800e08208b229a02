// The engine's threads, their connections and the queue. Statements belong to the folder Connection.

import Core
import Foundation
import Store

/// The threads between the port and libpq, each with its own connection, and their shutdown.
///
/// The engine has its own threads, because libpq blocks: on the cooperative pool, a wait for the server would delay
/// requests that need no database.
///
/// A thread takes a call only while it has a connection that works. While no thread has one for a call, the call is refused
/// after the next failed attempt to connect, so that they do not wait for a server that is gone. If another server
/// than the group's has answered, or the group has no session, they do wait. A thread of its own refuses
/// calls that have waited too long, because all others may be waiting for the server.
///
/// Each connection has a ``Lane``, so that calls which wait at the server leave connections to the others.
final class Engine: Sendable {
    /// What a call may do.
    enum Access: Sendable {
        case reading
        case writing(WriteIsolation)
        /// A serializable write that finds out whether writes work.
        case probing

        var mayWrite: Bool {
            switch self {
            case .reading: false
            case .writing, .probing: true
            }
        }

        var isProbe: Bool {
            if case .probing = self { true } else { false }
        }

        fileprivate var changesSchema: Bool {
            if case .writing(.schemaChange) = self { true } else { false }
        }
    }

    /// A call, and how to run it.
    struct Job: Sendable {
        let call: any DatabaseCall
        let access: Access
        /// When it has waited too long for a connection.
        var deadline: ContinuousClock.Instant
        /// How often its connection was lost.
        var losses = 0
        /// Whether only a patient connection may run it, because it waits for a lock.
        var isPatient = false
    }

    /// A call that loses as many connections ends: it may be the reason.
    private static let mostLosses = 3
    /// The bounds of the longest pause between two attempts to connect, in seconds.
    private static let longestPause = 0.1...1.0
    /// Between two attempts to get the connection of the probes, which matters less than the others.
    private static let pauseOfProbes = Duration.seconds(5)
    /// A call that takes longer waits for the server.
    private static let stall = Duration.seconds(1)

    private let connecting: Connecting
    private let options: PostgreSQLOptions
    private let queue: CallQueue<Job>
    private let watch = QueueWatch()
    private let pauses = Pauses()
    private let shutdown: Shutdown
    /// The connections that work, without the one for probes.
    private let connected = LockedValue<[Lane: Int]>([:])
    private let commitLimit: HangingCommitLimit
    /// Of the last attempt to connect.
    private let lastFailure = LockedValue<StoreError?>(nil)
    private let runner: TransactionRunner
    private let lanes: [Lane]
    private let blocked = BlockedTables()
    private let running = RunningCalls()

    init(_ connecting: Connecting) {
        self.connecting = connecting
        options = connecting.options
        queue = CallQueue(capacity: options.waitingLimit)
        lanes = Lane.lanes(of: options.connections) + (options.probes ? [.probing] : [])
        commitLimit = HangingCommitLimit(options: options, writers: lanes.count { $0 == .patient || $0 == .quick })
        shutdown = Shutdown(of: lanes.count)
        runner = TransactionRunner(
            gate: WriterGate(), options: options, counters: connecting.counters, presence: connecting.presence,
            pauses: pauses)
    }

    var metrics: ConnectionMetrics {
        var metrics = connecting.counters.current
        metrics.connected = connectedCount
        metrics.configured = options.connections
        metrics.failure = lastFailure.withLock { $0 }
        metrics.waiting = queue.count
        metrics.stalled = running.count(longerThan: Self.stall)
        return metrics
    }

    /// - Parameter first: the connection of the first thread.
    func start(with first: ServerConnection) {
        connected.withLock { $0 = [lanes[0]: 1] }
        // A thread keeps what its block captures until the thread ends, so the thread takes the connection out of this box.
        let first = LockedValue<ServerConnection?>(first)
        for (number, lane) in lanes.enumerated() {
            let thread = Thread { self.serve(Worker(number: number, lane: lane), number == 0 ? first : nil) }
            thread.name = "store.postgresql.\(number + 1)"
            thread.start()
        }
        let watching = Thread { self.refuseExpired() }
        watching.name = "store.postgresql.queue"
        watching.start()
    }

    func run<Value: Sendable>(
        _ access: Access, _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation {
            // A change of the schema has its own ways to wait for a table.
            hand(
                Job(
                    call: TypedCall(body, $0), access: access, deadline: .now + options.waitingTime,
                    isPatient: access.changesSchema))
        }
    }

    /// Admits no further calls. Admitted calls are still served, unless the server is gone.
    func close() {
        queue.close()
        pauses.close()
        connecting.presence.close()
    }

    /// Returns once all connections are closed.
    func closed() async {
        await shutdown.completed()
    }

    private func hand(_ job: Job) {
        if let refusal = queue.put(job) { job.call.refuse(refusal) } else { watch.look(at: job.deadline) }
    }

    // MARK: A thread

    /// A thread with its connection.
    private struct Worker {
        let number: Int
        let lane: Lane
    }

    private func serve(_ worker: Worker, _ first: LockedValue<ServerConnection?>?) {
        let lane = worker.lane
        var connection: ServerConnection? = first?.withLock { $0.take() }
        while true {
            if connection == nil { connection = connect(lane) }
            guard let current = connection else { break }
            guard let job = next(for: lane) else {
                if queue.isEnding { break }
                // The others need what the server or a pooler still has.
                connection = nil
                continue
            }
            if !handle(job, on: current, as: worker) {
                connection = nil
                disconnected(lane, isLost: true)
            }
        }
        if connection != nil { disconnected(lane, isLost: false) }
        connection = nil
        leave()
    }

    /// The next call for a connection, when there is one. Where none of the connections is for it, any takes it: a pooler may give one
    /// connection in all.
    /// - Returns: `nil` once the engine is closed, and for the connection of the probes when others are missing.
    private func next(for lane: Lane) -> Job? {
        guard lane == .probing else {
            return queue.take(upTo: 1) { lane.takes($0) || !self.isServed($0) }.first
        }
        while hasAllConnections, !queue.isEnding {
            if let job = queue.take(upTo: 1, within: Self.stall, accepting: { lane.takes($0) }).first { return job }
        }
        return nil
    }

    /// Whether one of the connections that work is for a call.
    private func isServed(_ job: Job) -> Bool {
        connected.withLock { $0.contains { $0.value > 0 && $0.key.takes(job) } }
    }

    /// What a connection is good for when a call comes.
    private enum Readiness {
        case ready
        case unfit
        /// Whether it is at the group's server has to be asked.
        case unproved
        /// The group has no session.
        case absent(StoreError)
        case refused(StoreError)
    }

    private func readiness(of connection: ServerConnection, for access: Access) -> Readiness {
        if !connection.isFit { return .unfit }
        if !connecting.presence.admits(connection) {
            return connecting.presence.absence.map { .absent($0) } ?? .unproved
        }
        if access.mayWrite, let error = commitLimit.refusalOfWrites(at: connection) {
            // The question may have found that the connection is lost.
            return connection.isFit ? .refused(error) : .unfit
        }
        return .ready
    }

    /// Runs a call, refuses it, or leaves it to another connection.
    /// - Returns: whether the connection may serve another call.
    private func handle(_ job: Job, on connection: ServerConnection, as worker: Worker) -> Bool {
        // The others need what the server or a pooler still has.
        if worker.lane == .probing, !hasAllConnections {
            putBack(job)
            return false
        }
        switch readiness(of: connection, for: job.access) {
        case .unfit:
            // Another thread's connection may be better.
            putBack(job)
            return false
        case .unproved:
            // The server may take long to answer, and the call has a deadline.
            putBack(job)
            return (try? connecting.isAtGroupsServer(connection)) == true
        case .absent where !queue.isEnding:
            putBack(job)
            // As often as without a call, the connection of the probes makes room for others.
            let end = worker.lane == .probing ? min(job.deadline, .now + Self.stall) : job.deadline
            // If too many files are open, this connection is one less.
            return (try? connecting.presence.wait(before: end, or: connection)) != nil
        case .absent(let error), .refused(let error):
            job.call.refuse(error)
            return true
        case .ready:
            let blocked = worker.lane.waitsBriefly ? self.blocked : nil
            if let blocked, blocked.isOutdated { askForBlockedTables(connection) }
            switch run(job, on: connection, as: worker, blocked) {
            case .settled: job.call.answer()
            case .lost(let error): retry(job, after: error)
            case .blocked:
                if !self.blocked.isKnown { askForBlockedTables(connection) }
                var patient = job
                patient.isPatient = true
                // As long as it would have waited for the lock itself.
                patient.deadline = min(job.deadline, .now + options.lockTimeout)
                putBack(patient)
            }
            if connection.isFit { return true }
            if job.access.mayWrite, connection.isSilent { commitLimit.suspect() }
            return false
        }
    }

    private func run(
        _ job: Job, on connection: ServerConnection, as worker: Worker, _ blocked: BlockedTables?
    ) -> TransactionRunner.Outcome {
        if worker.lane != .probing { running.begin(worker.number) }
        defer { running.end(worker.number) }
        return runner.run(job.call, job.access, on: connection, blocked)
    }

    private func askForBlockedTables(_ connection: ServerConnection) {
        guard connection.isUsable else { return }
        blocked.note((try? connection.waitedForTables(within: options.askLimit)) ?? [])
    }

    private func retry(_ job: Job, after error: StoreError) {
        var job = job
        job.losses += 1
        guard job.losses < Self.mostLosses else {
            job.call.refuse(error)
            return
        }
        job.deadline = .now + options.waitingTime
        putBack(job)
    }

    private func putBack(_ job: Job) {
        queue.putBack(job)
        watch.look(at: job.deadline)
    }

    private var connectedCount: Int { connected.withLock { $0.values.reduce(0, +) } }

    private var hasAllConnections: Bool { connectedCount == options.connections }

    /// Connects for probes, once all other connections work, and tries again until it succeeds. Until then, they run on the others.
    /// - Returns: `nil` if the engine was closed before.
    private func connectForProbes() -> ServerConnection? {
        while pauses.wait(hasAllConnections ? .zero : Self.stall) {
            guard hasAllConnections else { continue }
            if let connection = try? connecting.openForCalls() { return connection }
            guard pauses.wait(Self.pauseOfProbes) else { return nil }
        }
        return nil
    }

    /// Opens a connection that waits for locks as its lane does.
    private func open(_ lane: Lane) throws -> ServerConnection {
        let connection = try connecting.openForCalls()
        if lane.waitsBriefly {
            let limit = options.briefLockTimeout.wholeMilliseconds
            _ = try connection.exchange([.run("SET lock_timeout = \(limit)")], within: options.answerLimit)
        }
        return connection
    }

    /// Connects, and tries again until it succeeds.
    /// - Returns: `nil` if the engine was closed before.
    private func connect(_ lane: Lane) -> ServerConnection? {
        if lane == .probing { return connectForProbes() }
        var longest = Self.longestPause.lowerBound
        while true {
            do {
                let connection = try open(lane)
                connected.withLock { $0[lane, default: 0] += 1 }
                lastFailure.withLock { $0 = nil }
                return connection
            } catch let failure as OtherServer {
                lastFailure.withLock { $0 = failure.error }
            } catch {
                let failure = StoreError(of: error)
                lastFailure.withLock { $0 = failure }
                refuseUnserved(failure)
            }
            // Random, so that threads and processes do not all come at once.
            let pause = Double.random(in: longest / 2...longest)
            longest = min(Self.longestPause.upperBound, longest * 2)
            guard pauses.wait(.seconds(pause)) else { return nil }
        }
    }

    private func disconnected(_ lane: Lane, isLost: Bool) {
        guard lane != .probing else { return }
        connected.withLock { $0[lane, default: 0] -= 1 }
        if isLost { connecting.counters.count(\.lostConnections) }
    }

    /// The thread that watches the queue.
    private func refuseExpired() {
        while watch.sleep() {
            let now = ContinuousClock.now
            let (expired, left) = queue.take { $0.deadline <= now }
            if let next = left.map(\.deadline).min() { watch.look(at: next) }
            connecting.counters.count(\.expiredCalls, by: expired.count)
            let failure = connecting.presence.absence ?? lastFailure.withLock { $0 }
            let cause = failure.map { ": \($0.reason)" } ?? ""
            for job in expired {
                let reason =
                    job.isPatient && !job.access.changesSchema
                    ? "other calls already wait for a table or row that another session has locked: `walletauth doctor` "
                        + "lists who holds it"
                    : "the call waited longer than \(options.waitingTime) for a connection\(cause)"
                job.call.refuse(StoreError(.unavailable, reason))
            }
        }
    }

    /// Refuses the waiting calls if no connection works. If one works that is not for them, it takes them: it may not have noticed that the
    /// server is gone.
    private func refuseUnserved(_ failure: StoreError) {
        let unserved = queue.take { !isServed($0) }.taken
        guard connectedCount > 0 else {
            refuse(unserved, failure)
            return
        }
        for job in unserved.reversed() { putBack(job) }
    }

    private func refuse(_ jobs: [Job], _ failure: StoreError) {
        for job in jobs { job.call.refuse(StoreError(.unavailable, failure.reason)) }
    }

    /// The last to leave answers what still waits, because no thread has a connection for it.
    private func leave() {
        guard shutdown.threadEnded() else { return }
        watch.close()
        refuse(queue.takeAll(), StoreError(.closed, "the database was closed"))
        shutdown.complete()
    }
}
