import Foundation
import Store

/// Free space on a disk. SQLite reports only the file that it could not create, often because there is no space.
enum DiskSpace {
    /// The least space for SQLite's log and index of an open database, in bytes.
    private static let least: UInt64 = 256 * 1024

    /// The error for a full disk; `nil` if it is not full.
    static func shortage(at path: String) -> StoreError? {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        if free < least {
            return StoreError(.full, "the disk that holds \(folder) is full: \(free / 1024) KiB are free. Make room")
        }
        // Some file systems do not count inodes.
        if status.f_files > 0, status.f_favail == 0 {
            return StoreError(.full, "the disk that holds \(folder) has room, but no inode is free. Remove files")
        }
        return nil
    }
}
