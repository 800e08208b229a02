import AuthCore
import AuthStore
import Foundation
import GRDBSQLite

/// When the log is copied into the database file, and what came of it.
///
/// SQLite's automatic checkpoint does this in a commit and says nothing of failures. A failed one is not harmless: where a reader
/// keeps a part of the log from being copied, the pages before it are written without a sync, and if the sync that follows later
/// fails, the kernel takes those pages for written. A second sync succeeds without them, the log begins from its start, and
/// the database file is damaged. So the engine runs each checkpoint itself, on the connection that writes, and ends at the
/// first error of the disk (docs/decisions/0043-the-engine-owns-its-checkpoints.md).
///
/// Used by the writer's thread alone; ``log`` by all.
final class Checkpoints: @unchecked Sendable {
    private static let pageSize: Int64 = 4096
    /// After a checkpoint that failed or was held up by a reader.
    private static let pause = Duration.seconds(1)

    private let threshold: Int
    private let limit: Int
    private let report: @Sendable (StorageEvent) -> Void
    private let size: LogSize
    private let shared: LockedValue<WriteAheadLog>
    /// The log's pages at which the next attempt is made, and the time before which none is.
    private var next: (pages: Int, time: ContinuousClock.Instant)
    /// When the last failure was reported: one line a minute says enough.
    private var reportedAt: ContinuousClock.Instant?

    init(options: SQLiteOptions, size: LogSize) {
        threshold = options.checkpointPages
        limit = options.logLimitPages
        report = options.report
        self.size = size
        next = (options.checkpointPages, .now)
        shared = LockedValue(WriteAheadLog(bytes: 0, lastWholeCheckpoint: Self.now))
    }

    /// The log as the last commit or checkpoint left it.
    var log: WriteAheadLog { shared.withLock { $0 } }

    /// Why no write is let in; `nil` where writes are.
    func refusal() -> StoreError? {
        guard size.pages >= limit else { return nil }
        if !log.refusesWrites {
            note { $0.refusesWrites = true }
            report(.writesRefused(log))
        }
        let log = log
        let reason = log.failure ?? "a reader, such as a backup, still needs all of it"
        return StoreError(
            .full,
            "the write-ahead log has reached its limit of \(Int64(limit) * Self.pageSize >> 20) MiB: \(reason)")
    }

    /// Takes in what the last commits left in the log.
    /// - Returns: whether it is time to copy it.
    func isDue() -> Bool {
        let pages = size.pages
        if pages < threshold { next.pages = threshold }
        note { $0.bytes = Int64(pages) * Self.pageSize }
        return (pages >= next.pages || pages >= limit) && ContinuousClock.now >= next.time
    }

    /// Copies the log as far as no reader needs an older snapshot.
    ///
    /// - Parameter connection: the writer's, outside of a transaction.
    /// - Throws: ``StoreError`` with code `diskFailed`: nothing may be written after it.
    func run(on connection: SQLiteConnection) throws {
        try run(SQLITE_CHECKPOINT_PASSIVE, on: connection)
    }

    /// Copies the whole log and empties it: after opening, before anything is served, and before closing.
    ///
    /// - Throws: ``StoreError`` with code `diskFailed`.
    func empty(on connection: SQLiteConnection) throws {
        try run(SQLITE_CHECKPOINT_TRUNCATE, on: connection)
    }

    private func run(_ mode: CInt, on connection: SQLiteConnection) throws {
        do {
            let checkpoint = try connection.checkpoint(mode)
            finished(checkpoint)
        } catch let error as StoreError where error.code != .diskFailed {
            failed(error)
        }
    }

    private func finished(_ checkpoint: SQLiteConnection.Checkpoint) {
        guard checkpoint.isWhole, let pages = checkpoint.pages else {
            // A reader holds an older snapshot, or another process copies the log. What could be copied was.
            next = (size.pages + threshold / 4, .now + Self.pause)
            return
        }
        // The next commit begins the log from its start, unless a reader is in it at that moment: then another attempt follows.
        size.pages = 0
        next = (max(threshold, pages + threshold / 8), .now)
        let hadFailed = log.failure != nil || log.refusesWrites
        note { log in
            log.bytes = 0
            log.lastWholeCheckpoint = Self.now
            log.failure = nil
            log.refusesWrites = false
        }
        reportedAt = nil
        if hadFailed { report(.checkpointRecovered(log)) }
    }

    private func failed(_ error: StoreError) {
        next = (threshold, .now + Self.pause)
        note { log in
            log.failedCheckpoints += 1
            log.failure = error.reason
        }
        if reportedAt.map({ .now - $0 >= .seconds(60) }) ?? true {
            reportedAt = .now
            report(.checkpointFailed(error, log))
        }
    }

    private func note(_ change: (inout WriteAheadLog) -> Void) {
        shared.withLock { change(&$0) }
    }

    private static var now: Timestamp {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
