import Foundation
import Leftovers

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A folder that is removed with its last owner, at the latest with this process.
///
/// It is in memory where there is room. A server in a test waits for the disk at each commit, a hundred times and more, which takes longer
/// than everything else that the test does. Whether a commit reaches the disk is the subject of AuthStoreTests, which use the disk.
package final class TemporaryFolder: Sendable {
    private let url: URL

    package init() throws {
        url = Self.parent.appending(path: "walletauth-\(UUID().uuidString)")
        try Leftovers.ofThisProcess.get().add(folder: url.path)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    package func path(_ name: String) -> String { url.appending(path: name).path }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A container's share of memory is often 64 MiB, too little for the databases of tests that run at the same time.
    private static let room: UInt64 = 1 << 30

    private static let parent: URL = {
        let memory = "/dev/shm"
        var status = statvfs()
        guard statvfs(memory, &status) == 0, UInt64(status.f_bavail) * UInt64(status.f_frsize) > room,
            FileManager.default.isWritableFile(atPath: memory)
        else { return FileManager.default.temporaryDirectory }
        return URL(filePath: memory, directoryHint: .isDirectory)
    }()
}
