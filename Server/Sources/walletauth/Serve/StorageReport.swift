import AuthFoundation
import AuthStore
import AuthStoreSQLite
import Foundation
import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Logs storage events, and ends the process if the disk fails.
struct StorageReport: Sendable {
    let logger: Logger
    let failures: DiskFailures

    /// Handles an event, on the engine's writing thread.
    func take(_ event: StorageEvent) {
        switch event {
        case .checkpointFailed(let error, let log):
            logger.error(
                "the write-ahead log cannot be copied into the database file; the server retries every second",
                metadata: metadata(log, reason: error.reason))
        case .checkpointRecovered(let log):
            logger.notice("the write-ahead log was copied into the database file again", metadata: metadata(log))
        case .writesRefused(let log):
            logger.critical(
                "the write-ahead log has reached its limit: writes are refused until it can be copied",
                metadata: metadata(log, reason: log.failure))
        case .diskFailed(let error):
            end(because: error)
        }
    }

    /// Ends the process at once, without closing the database. Closing would copy the log again and remove it, and a
    /// second sync succeeds even though the pages of the first are lost. The next start reads the log from its
    /// beginning.
    func end(because error: StoreError) -> Never {
        // Logging may block on the same disk.
        Thread.detachNewThread {
            sleep(5)
            _exit(ExitStatus.diskFailed)
        }
        logger.critical(
            "the disk failed, so the last writes may be lost: the server stops; start it again",
            metadata: ["reason": "\(error.reason)"])
        failures.record(error.reason, at: SystemClock().now())
        _exit(ExitStatus.diskFailed)
    }

    private func metadata(_ log: WriteAheadLog, reason: String? = nil) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["log_mib": "\(log.bytes >> 20)"]
        if let reason { metadata["reason"] = "\(reason)" }
        return metadata
    }
}
