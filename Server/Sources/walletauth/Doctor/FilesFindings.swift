import Kernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks that the database's files are writable, and unreadable for other users.
enum FilesFindings {
    /// Below this the disk is nearly full. A full disk refuses every sign-in.
    static let leastFreeBytes: UInt64 = 256 * 1024 * 1024

    static func of(_ configuration: ServerConfiguration) -> [Finding] {
        let path = configuration.database.path
        let parent = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        let folder = parent.isEmpty ? "." : parent
        guard let status = FileStatus(path: folder), status.kind == .directory else {
            return [
                .fail(
                    "files", "the folder \(folder) of the database does not exist", "Create it: mkdir -m 700 \(folder)")
            ]
        }
        var findings: [Finding] = []
        if access(folder, W_OK | X_OK) != 0 {
            findings.append(
                .fail("files", "the folder \(folder) is not writable", "Make the user who runs the server its owner"))
        } else if status.mode & 0o002 != 0, status.mode & 0o1000 == 0 {
            findings.append(
                .fail(
                    "files", "every user can replace the files in \(folder), mode \(status.octalMode)",
                    "chmod 700 \(folder)"))
        } else {
            findings.append(.ok("files", "the folder \(folder) is writable, mode \(status.octalMode)"))
        }
        let suffixes =
            configuration.database.isPostgreSQL
            ? [".marks", ".checkpoints"] : ["", "-wal", "-shm", ".lock", ".epoch", ".marks", ".checkpoints"]
        findings += suffixes.compactMap { fileFinding(path + $0) }
        let failures = DiskFailures(configuration.database)
        if !configuration.database.isPostgreSQL, let last = failures.last {
            findings.append(
                .warn(
                    "files", "the disk has failed, last: \(last)",
                    "Check the kernel's messages (dmesg), and remove \(failures.path) once the disk is healthy"))
        }
        findings += freeSpace(in: folder).map { [$0] } ?? []
        return findings
    }

    private static func fileFinding(_ path: String) -> Finding? {
        guard let status = FileStatus(path: path) else { return nil }
        if status.isOpenToOthers {
            return .fail("files", "\(path) has mode \(status.octalMode), so others can open it", "chmod 600 \(path)")
        }
        if status.owner != getuid() {
            return .warn(
                "files", "\(path) belongs to user \(status.owner), but this is user \(getuid())",
                "Run the doctor, and every command, as the user who runs the server")
        }
        return .ok("files", "\(path) has mode \(status.octalMode)")
    }

    private static func freeSpace(in folder: String) -> Finding? {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        let free = bytes(of: UInt64(status.f_bavail), each: UInt64(status.f_frsize))
        let text = "\(free / (1024 * 1024)) MiB are free in \(folder)"
        return free < leastFreeBytes
            ? .warn("files", text, "Free space: on a full disk, every sign-in fails") : .ok("files", text)
    }

    /// A network file system without a known limit reports the largest number of blocks.
    static func bytes(of blocks: UInt64, each size: UInt64) -> UInt64 {
        let (bytes, isTooMany) = blocks.multipliedReportingOverflow(by: size)
        return isTooMany ? .max : bytes
    }
}
