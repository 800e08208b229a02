import AuthStore
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Room on a disk. SQLite names a file that it could not make; the reason is often that there is none left.
enum DiskSpace {
    /// The least that SQLite's log and index of an open database take, in bytes.
    private static let least: UInt64 = 256 * 1024

    /// Says that a disk is full; `nil` where it is not.
    static func shortage(at path: String) -> StoreError? {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return nil }
        let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        if free < least {
            return StoreError(.full, "the disk that holds \(folder) is full: \(free / 1024) KiB are free. Make room")
        }
        // Some file systems count no inodes.
        if status.f_files > 0, status.f_favail == 0 {
            return StoreError(.full, "the disk that holds \(folder) has room, but no inode is free. Remove files")
        }
        return nil
    }
}
