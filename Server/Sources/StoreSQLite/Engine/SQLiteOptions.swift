package struct SQLiteOptions: Sendable {
    /// The threads that read, each with its own connection; at least 1.
    package var readers = 2

    /// The largest number of bodies in one transaction; at least 1.
    ///
    /// A larger batch shares one wait for the disk among more bodies, but all of them wait for the slowest.
    package var batch: Int

    /// The calls that may wait for a thread; further ones get the answer that the store is busy. At least 1.
    package var waitingLimit = 16_384

    /// The size of the log, in pages of 4 KiB, from which it is copied into the database file.
    package var checkpointPages: Int

    /// The size of the log, in pages of 4 KiB, from which writes are refused because it cannot be copied.
    package var logLimitPages: Int

    /// The limit of the database's size, in pages of 4 KiB; `nil` for the disk's own. Beyond it, writes fail with
    /// `full`.
    package var pageLimit: Int?

    /// Receives storage events on the engine's writing thread, which waits for it.
    package var report: @Sendable (StorageEvent) -> Void

    package init(
        batch: Int = 128, checkpointPages: Int = 4_000, logLimitPages: Int = 262_144, pageLimit: Int? = nil,
        report: @escaping @Sendable (StorageEvent) -> Void = { _ in }
    ) {
        self.batch = max(1, batch)
        self.checkpointPages = max(1, checkpointPages)
        self.logLimitPages = max(self.checkpointPages, logLimitPages)
        self.pageLimit = pageLimit
        self.report = report
    }
}
