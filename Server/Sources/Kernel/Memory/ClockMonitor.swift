package import Core
internal import Logging
package import Store

/// Watches the clocks of this process, and says what may be done by their time (``ClockWatch``).
package final class ClockMonitor: Sendable {
    private struct State {
        var watch: ClockWatch
        var verdict = ClockVerdict.agreed
        var isSynchronized: Bool?
        var databaseDifference = Duration.zero
        var records: ClockRecords
        /// The uptime when the records were read or written.
        var recordsAt: Duration

        /// The record as this process knows it, and the time since.
        func known(at reading: ClockReading) -> (observed: ObservedTime?, passed: Duration) {
            (records.observed, reading.uptime - recordsAt)
        }
    }

    private let clock: any Core.Clock
    private let database: any Database
    private let retention: Duration
    private let logger: Logger
    private let state: LockedValue<State>

    /// - Parameters:
    ///   - records: just read from the database.
    ///   - retention: the longest of what has to be kept.
    init(
        clock: any Core.Clock, database: any Database, records: ClockRecords, retention: Duration, logger: Logger
    ) {
        self.clock = clock
        self.database = database
        self.retention = retention
        self.logger = logger
        let reading = Self.read(clock, isSynchronized: nil)
        state = LockedValue(
            State(
                watch: ClockWatch(reading, lastRecorded: records.observed?.recorded), records: records,
                recordsAt: reading.uptime))
    }

    /// Compares the clocks of this machine. It takes less than a microsecond, so that each request can ask.
    @discardableResult
    package func check() -> ClockVerdict {
        let (former, verdict) = state.withLock { state in
            let former = state.verdict
            state.verdict = state.watch.observe(Self.read(clock, isSynchronized: state.isSynchronized))
            return (former, state.verdict)
        }
        log(verdict, after: former)
        return verdict
    }

    /// Compares them with the clock of the database's server too, and learns what an operator has confirmed. A database that is away
    /// changes nothing.
    @discardableResult
    package func compare() async -> ClockVerdict {
        if database.group != nil {
            if let difference = try? await database.clockDifference(from: clock) {
                state.withLock { state in
                    state.databaseDifference = difference
                    state.watch.compare(
                        withDatabase: difference, at: Self.read(clock, isSynchronized: state.isSynchronized))
                }
            }
            if let records = try? await database.read({ try ClockRecords.read(on: $0) }) { learn(records) }
        }
        return check()
    }

    /// Takes what the system says about its source of time; `nil` if nothing.
    package func take(isSynchronized: Bool?) { state.withLock { $0.isSynchronized = isSynchronized } }

    /// Records the time in the database if the clocks agree. Of several processes one does it, about once a minute.
    package func record() async throws {
        guard check().allowsRemoval else { return }
        let reading = Self.read(clock, isSynchronized: nil)
        let (known, passed) = state.withLock { $0.known(at: reading) }
        let observed = try await database.write { [retention] in
            try ClockRecords.record(reading.wall, known: known, after: passed, retention: retention, on: $0)
        }
        state.withLock { state in
            state.records.observed = observed
            state.recordsAt = reading.uptime
        }
    }

    /// An operator confirms the wall clock, here and for other processes on the database.
    /// - Parameter recording: writes the audit log's entry, in the same transaction.
    package func accept(recording: @escaping @Sendable (any SQLConnection) throws -> Void) async throws {
        let reading = Self.read(clock, isSynchronized: nil)
        let (known, passed) = state.withLock { $0.known(at: reading) }
        let observed = try await database.write { [retention] connection in
            try ClockRecords.accept(reading.wall, on: connection)
            try recording(connection)
            return try ClockRecords.record(
                reading.wall, known: known, after: passed, retention: retention, on: connection)
        }
        state.withLock { state in
            state.records.observed = observed
            state.records.accepted = reading.wall
            state.recordsAt = reading.uptime
            state.watch.accept(reading)
        }
        check()
    }

    /// The earlier one of this machine's time and the database server's.
    package func earlierTime(at now: Timestamp) -> Timestamp {
        now + min(.zero, state.withLock { $0.databaseDifference })
    }

    /// The end of the retentions that are over by the wall clock and by what the servers have seen of it.
    package func retentionEnd(at now: Timestamp) -> Timestamp {
        state.withLock { $0.records.observed }?.retentionEnd(at: now) ?? now
    }

    /// Another process has confirmed the clock, or recorded the time.
    private func learn(_ records: ClockRecords) {
        state.withLock { state in
            let reading = Self.read(clock, isSynchronized: state.isSynchronized)
            if let accepted = records.accepted, accepted != state.records.accepted,
                !accepted.isApart(from: reading.wall, by: ClockWatch.tolerance)
            {
                state.watch.accept(reading)
            }
            if records.observed != state.records.observed { state.recordsAt = reading.uptime }
            state.records = records
        }
    }

    /// Reads both clocks at one moment. The machine may be suspended in between, so the uptime is read twice.
    private static func read(_ clock: any Core.Clock, isSynchronized: Bool?) -> ClockReading {
        var (before, wall, after) = (clock.uptime(), clock.now(), clock.uptime())
        for _ in 0..<3 where after - before > .seconds(1) {
            (before, wall, after) = (clock.uptime(), clock.now(), clock.uptime())
        }
        return ClockReading(wall: wall, uptime: after, isSynchronized: isSynchronized)
    }

    /// Logs a change once. Each request may find it.
    private func log(_ verdict: ClockVerdict, after former: ClockVerdict) {
        switch (former, verdict) {
        case (.agreed, .agreed), (.unconfirmed, .unconfirmed), (.leaped, .leaped),
            (.differsFromDatabase, .differsFromDatabase):
            return
        case (_, .agreed):
            logger.notice("the clocks agree again: requests are served, and expired data is removed")
        case (_, .unconfirmed):
            logger.warning(
                "requests are served, but expired data is kept for now: \(verdict.explanation)",
                metadata: [
                    "clock": "\(clock.now().text)",
                    "remedy":
                        "if the clock is right, run `walletauth clock accept`, or wait an hour (a day while it is not synchronized); otherwise set it",
                ])
        case (_, .leaped):
            logger.critical(
                "requests are refused, and nothing is removed or rotated by time: \(verdict.explanation)",
                metadata: [
                    "clock": "\(clock.now().text)",
                    "remedy": "set the clock, or run `walletauth clock accept` if it is right",
                ])
        case (_, .differsFromDatabase):
            logger.critical(
                "requests are refused, and nothing is removed or rotated by time: \(verdict.explanation)",
                metadata: ["clock": "\(clock.now().text)", "remedy": "synchronize both clocks with NTP"])
        }
    }
}
