import AuthCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

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
                + "and remove \(path): then start again")
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
