import Core
import Foundation
import GRDBSQLite
import Store

/// Decides when to copy the log into the database file, and records the result.
///
/// SQLite's automatic checkpoint runs in a commit and does not report failures. They are not harmless: if a reader
/// keeps part of the log from being copied, the pages before it are written without a sync. If a later sync fails, the
/// kernel regards those pages as written. A second sync succeeds without them, the log restarts from its beginning, and
/// the database file is damaged. The engine therefore runs each checkpoint itself, on the connection that writes, and
/// ends at the first error of the disk (docs/decisions/0043-the-engine-owns-its-checkpoints.md).
///
/// Only the writer's thread uses it, except for ``log``.
final class Checkpoints: @unchecked Sendable {
    private static let pageSize: Int64 = 4096
    /// After a checkpoint that failed, and after the first that waited for readers in vain.
    private static let pause = Duration.seconds(1)
    /// A log of so many thresholds is started again even if writes have to wait for readers. Otherwise it would grow for as long
    /// as reads overlap.
    private static let patience = 4
    /// For readers of older snapshots. A backup takes longer, and the log grows meanwhile.
    private static let longestWait = Duration.milliseconds(250)
    /// Each wait in vain doubles the pause, up to 16 s.
    private static let countedWaits = 5

    private let threshold: Int
    private let limit: Int
    private let report: @Sendable (StorageEvent) -> Void
    private let size: LogSize
    private let shared: LockedValue<WriteAheadLog>
    /// The size of the log at which the next attempt is made.
    private var nextPages: Int
    /// When the last attempt failed or waited for readers in vain; `nil` if it did neither.
    private var fruitlessAt: ContinuousClock.Instant?
    /// The checkpoints in a row that waited for readers in vain. Writes must not wait again and again for one that takes minutes.
    private var vainWaits = 0
    /// When the last failure was reported; at most one line a minute.
    private var reportedAt: ContinuousClock.Instant?

    init(options: SQLiteOptions, size: LogSize) {
        threshold = options.checkpointPages
        limit = options.logLimitPages
        report = options.report
        self.size = size
        nextPages = options.checkpointPages
        shared = LockedValue(WriteAheadLog(bytes: 0, lastWholeCheckpoint: Self.now))
    }

    /// The state after the last commit or checkpoint.
    var log: WriteAheadLog { shared.withLock { $0 } }

    /// Why writes are refused; `nil` if they are admitted.
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
            "the write-ahead log has reached its limit of \((Int64(limit) * Self.pageSize) >> 20) MiB: \(reason)")
    }

    /// Records the log's size after the last commits.
    /// - Returns: whether it is time to copy the log.
    func isDue() -> Bool {
        let pages = size.pages
        if pages < threshold { nextPages = threshold }
        if (1..<threshold).contains(pages), vainWaits > 0 {
            // A commit started it again after all.
            (vainWaits, fruitlessAt) = (0, nil)
        }
        note { $0.bytes = Int64(pages) * Self.pageSize }
        // Only an attempt lifts the refusal at the limit, so it waits for no back-off.
        if pages >= limit { return hasPaused(for: Self.pause) }
        return pages >= nextPages && hasPaused(for: Self.pause * (1 << max(vainWaits - 1, 0)))
    }

    private func hasPaused(for pause: Duration) -> Bool {
        fruitlessAt.map { .now - $0 >= pause } ?? true
    }

    /// Copies the log as far as readers' snapshots permit. If it is long, waits for the readers for a moment.
    /// - Parameter connection: the writer's, outside of a transaction.
    /// - Throws: ``StoreError`` with code `diskFailed`, after which nothing may be written.
    func run(on connection: SQLiteConnection) throws {
        try run(
            isLong ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE, waiting: Self.longestWait, on: connection)
    }

    /// Copies the whole log and empties it: before the first call after opening, and before closing.
    /// - Throws: ``StoreError`` with code `diskFailed`.
    func empty(on connection: SQLiteConnection) throws {
        try run(SQLITE_CHECKPOINT_TRUNCATE, waiting: SQLiteDatabase.lockTimeout, on: connection)
    }

    private var isLong: Bool { size.pages >= Self.patience * threshold }

    private func run(_ mode: CInt, waiting wait: Duration, on connection: SQLiteConnection) throws {
        do {
            let checkpoint = try connection.checkpoint(mode, waiting: wait)
            finished(checkpoint)
        } catch let error as StoreError where error.code != .diskFailed {
            failed(error)
        }
    }

    private func finished(_ checkpoint: SQLiteConnection.Checkpoint) {
        // A reader needs an older snapshot or the log itself, or another process is copying the log. The rest was copied.
        let waitedInVain = isLong && !(checkpoint.isWhole && checkpoint.isComplete)
        fruitlessAt = waitedInVain ? .now : nil
        vainWaits = waitedInVain ? min(vainWaits + 1, Self.countedWaits) : checkpoint.isWhole ? 0 : vainWaits
        guard checkpoint.isWhole, let pages = checkpoint.pages else {
            nextPages = size.pages + threshold / 4
            return
        }
        // The next commit restarts the log, unless a reader uses it at that moment; then another attempt follows.
        size.pages = 0
        nextPages = max(threshold, pages + threshold / 8)
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
        (nextPages, fruitlessAt, vainWaits) = (threshold, .now, 0)
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
