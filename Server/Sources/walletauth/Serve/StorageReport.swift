import AuthFlows
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

/// Says in the log what happens between the engine and its disk, and ends the process where the disk failed.
struct StorageReport: Sendable {
    let logger: Logger
    let failures: DiskFailures

    /// Takes an event, on the engine's writing thread.
    func take(_ event: StorageEvent) {
        switch event {
        case .checkpointFailed(let error, let log):
            logger.error(
                "the write-ahead log cannot be copied into the database file; the server tries again every second",
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

    /// Ends the process at once. Closing the database would copy the log a second time and remove it, and a second sync
    /// succeeds without the pages of the first; the next start reads the log from its beginning.
    func end(because error: StoreError) -> Never {
        // Where the log goes may hang on the same disk.
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
