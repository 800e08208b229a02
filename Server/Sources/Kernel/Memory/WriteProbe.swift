internal import Core
internal import Logging
internal import Outbound
package import Store

/// Finds out whether a write reaches the disk: a database that can be read answers many requests and keeps nothing.
///
/// It writes once a second at most, always to the same row, however often it is called. It answers while the caller still
/// listens: a load balancer waits for seconds at most. Damage that any statement has met counts as well.
package actor WriteProbe {
    private static let name = "probe"
    private static let validity = Duration.seconds(1)
    /// A request whose write takes longer is not served either.
    private static let patience = Duration.seconds(4)

    private let database: DamageWatch
    private let clock: any Core.Clock
    private let logger: Logger
    private var last: (at: ContinuousClock.Instant, failure: StoreError?)?
    private var running: Task<StoreError?, Never>?
    private var logged: StoreError?

    init(database: DamageWatch, clock: any Core.Clock, logger: Logger) {
        self.database = database
        self.clock = clock
        self.logger = logger
    }

    /// - Returns: the damage that a statement has met, with code `damaged` or `fileLost`, or the error of the write; `nil` if it succeeded.
    package func failure() async -> StoreError? {
        if let damage = database.damage { return damage }
        // Every call would wait for a connection.
        if let connections = database.connectionMetrics, connections.connected == 0 {
            let reason = connections.failure.map { ": \($0.reason)" } ?? ""
            return log(StoreError(.unavailable, "no connection to the database works\(reason)"))
        }
        if let last, ContinuousClock.now - last.at < Self.validity { return last.failure }
        if let running { return await running.value }
        let task = Task { [database, now = clock.now()] in await Self.write(now, to: database) }
        running = task
        let outcome = await task.value
        // The watch has logged damage.
        let failure = outcome?.code.needsRepair == true ? outcome : log(outcome)
        last = (.now, failure)
        running = nil
        return failure
    }

    /// Writes, and waits for the result no longer than ``patience``.
    private static func write(_ now: Timestamp, to database: DamageWatch) async -> StoreError? {
        do {
            try await within(.now + patience) {
                try await database.probe { try Meta.set(Self.name, to: now.text, on: $0) }
            }
            return nil
        } catch is OutboundFault {
            return StoreError(.unavailable, "the test write took longer than \(patience)")
        } catch {
            return (error as? StoreError) ?? StoreError(.unavailable, "\(error)")
        }
    }

    /// Logs a failure once for each reason: probes come several times a second.
    private func log(_ failure: StoreError?) -> StoreError? {
        if let failure, failure != logged {
            logger.error("a test write to the database failed", metadata: ["error": "\(failure)"])
        }
        logged = failure
        return failure
    }
}
