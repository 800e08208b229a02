/// How the SQLite engine works.
package struct SQLiteOptions: Sendable {
    /// Threads that read, each with a connection of its own; at least 1.
    package var readers: Int

    /// Callers that may look something up at once on their own threads; beyond it a thread that reads does it for them.
    package var lookUps: Int

    /// Bodies that share one transaction at most; at least 1.
    ///
    /// More of them share one wait for the disk, but all of a batch wait for its slowest.
    package var batch: Int

    /// Calls that may wait for a thread before further ones are told that the store is busy; at least 1.
    package var waitingLimit: Int

    /// Pages of the log after which it is copied into the database file: 4 KiB each.
    package var checkpointPages: Int

    /// Pages of the log past which writes are refused, where the log cannot be copied: 4 KiB each.
    package var logLimitPages: Int

    /// The database's size limit in pages of 4 KiB, or `nil` for the disk's own; reached, writes fail with `full`.
    package var pageLimit: Int?

    /// Receives storage events. Called on the engine's writing thread, which waits for it.
    package var report: @Sendable (StorageEvent) -> Void

    /// - Parameters:
    ///   - readers: threads that read.
    ///   - lookUps: callers that may look something up at once on their own threads.
    ///   - batch: bodies that share one transaction at most.
    ///   - waitingLimit: calls that may wait for a thread.
    ///   - checkpointPages: pages of the log after which it is copied into the database file.
    ///   - logLimitPages: pages of the log past which writes are refused.
    ///   - pageLimit: the database's size limit in pages.
    ///   - report: receives storage events.
    package init(
        readers: Int = 2, lookUps: Int = 4, batch: Int = 128, waitingLimit: Int = 16_384, checkpointPages: Int = 4_000,
        logLimitPages: Int = 262_144, pageLimit: Int? = nil,
        report: @escaping @Sendable (StorageEvent) -> Void = { _ in }
    ) {
        self.readers = max(1, readers)
        self.lookUps = max(0, lookUps)
        self.batch = max(1, batch)
        self.waitingLimit = max(1, waitingLimit)
        self.checkpointPages = max(1, checkpointPages)
        self.logLimitPages = max(self.checkpointPages, logLimitPages)
        self.pageLimit = pageLimit
        self.report = report
    }
}
