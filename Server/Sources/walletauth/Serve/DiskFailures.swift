import AuthCore
import AuthFlows

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

/// The failures of the disk that ended this server, a line each in a file next to the database.
///
/// One failure may be a loose cable, and a new start goes on with everything that was acknowledged. Three within an hour are a
/// disk that should not be written to: the server stays down until a person has looked.
struct DiskFailures: Sendable {
    static let limit = 3
    static let period = Duration.seconds(3600)

    /// The file.
    let path: String

    /// - Parameter database: whose disk it is.
    init(_ database: DatabaseLocation) {
        path = database.path + ".disk-failures"
    }

    /// Adds a failure. The disk may refuse that too: the log has it in any case.
    func record(_ reason: String, at now: Timestamp) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        var last: UInt8 = 0x0A
        if size > 0 { pread(descriptor, &last, 1, size - 1) }
        let time = Date(timeIntervalSince1970: TimeInterval(now.seconds)).formatted(.iso8601)
        // A line that was cut short keeps to itself.
        let line = Array("\(last == 0x0A ? "" : "\n")\(now.seconds) \(time) \(reason)\n".utf8)
        write(descriptor, line, line.count)
        fsync(descriptor)
    }

    /// The last failure as it was recorded; `nil` where there is none.
    var last: String? {
        lines.last.map { $0.drop { $0 != " " }.dropFirst() }.map { String($0) }
    }

    /// Refuses to go on where the last failures came close together.
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

    /// The last lines are enough.
    private static let longestTail = 4096

    /// The server does not start until a person has looked at the disk.
    struct OutOfService: Error, CustomStringConvertible {
        let description: String
    }
}
