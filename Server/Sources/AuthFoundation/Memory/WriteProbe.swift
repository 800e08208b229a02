internal import AuthCore
package import AuthStore
internal import Logging
internal import WalletAuthWire

/// Finds out whether a write reaches the disk: a database that can be read answers many requests and keeps nothing.
///
/// It writes once a second at most, always to the same row, however often it is called.
package actor WriteProbe {
    private static let name = "probe"
    private static let goodFor = Swift.Duration.seconds(1)

    private let database: any Database
    private let clock: any AuthCore.Clock
    private let logger: Logger
    private var last: (at: ContinuousClock.Instant, failure: StoreError?)?
    private var running: Task<StoreError?, Never>?

    init(database: any Database, clock: any AuthCore.Clock, logger: Logger) {
        self.database = database
        self.clock = clock
        self.logger = logger
    }

    /// - Returns: the error of the write; `nil` if it succeeded.
    package func failure() async -> StoreError? {
        if let last, ContinuousClock.now - last.at < Self.goodFor { return last.failure }
        if let running { return await running.value }
        let now = clock.now()
        let task = Task { [database] () -> StoreError? in
            do {
                try await database.write { try Meta.set(Self.name, to: now.text, on: $0) }
                return nil
            } catch {
                return (error as? StoreError) ?? StoreError(.unavailable, "\(error)")
            }
        }
        running = task
        let failure = await task.value
        // Once for each reason: probes come several times a second.
        if let failure, failure != last?.failure {
            logger.error("a test write to the database failed", metadata: ["error": "\(failure)"])
        }
        last = (.now, failure)
        running = nil
        return failure
    }
}
