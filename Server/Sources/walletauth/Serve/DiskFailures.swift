import Core
import Foundation
import Kernel
import Logging
import Store
import StoreSQLite

/// The disk failures that stopped this server, one per line in a file next to the database.
///
/// A single failure may be a loose cable, and a restart continues with every acknowledged write. After three within an
/// hour, the disk should not be written to: the server does not start until a person has checked it.
struct DiskFailures: Sendable {
    static let limit = 3
    static let period = Duration.seconds(3600)

    let path: String

    init(_ database: DatabaseLocation) {
        path = database.path + ".disk-failures"
    }

    /// Adds a failure. If the disk refuses this too, the log still has it.
    func record(_ reason: String, at now: Timestamp) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        var last: UInt8 = 0x0A
        if size > 0 { pread(descriptor, &last, 1, size - 1) }
        let time = Date(timeIntervalSince1970: TimeInterval(now.seconds)).formatted(.iso8601)
        // Starts a new line if the last one was cut short.
        let line = Array("\(last == 0x0A ? "" : "\n")\(now.seconds) \(time) \(reason)\n".utf8)
        write(descriptor, line, line.count)
        fsync(descriptor)
    }

    /// The last failure as recorded; `nil` if there is none.
    var last: String? {
        lines.last.map { $0.drop { $0 != " " }.dropFirst() }.map { String($0) }
    }

    /// Refuses to start if the last failures are close together.
    ///
    /// - Throws: ``OutOfService``.
    func check() throws(OutOfService) {
        let times = lines.suffix(Self.limit).compactMap { $0.split(separator: " ").first.flatMap { Int64($0) } }
        guard times.count == Self.limit, let first = times.min(), let latest = times.max(),
            latest - first <= Self.period.wholeSeconds
        else { return }
        throw OutOfService(
            description: "the disk of the database failed \(Self.limit) times within an hour, last: \(last ?? ""). "
                + "Check the kernel's messages (dmesg), repair or replace the disk, run `walletauth database check`, "
                + "remove \(path), then start again")
    }

    private var lines: [Substring] {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: Self.longestTail)
        let count = pread(descriptor, &bytes, bytes.count, max(0, size - off_t(bytes.count)))
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
    }

    /// Enough for the last lines.
    private static let longestTail = 4096

    /// The server does not start until a person has checked the disk.
    struct OutOfService: Error, CustomStringConvertible {
        let description: String
    }
}

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
            "the disk failed, so the last writes may be lost: the server is stopping; start it again",
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
