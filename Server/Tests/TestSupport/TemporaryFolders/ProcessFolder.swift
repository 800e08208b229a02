package import Foundation

/// A folder of this process, for the folders of its tests. It is removed when the process ends, with everything in it: what a static
/// value owns is never released, and a database that closes late may write into a folder that is being removed.
package enum ProcessFolder {
    package static let onDisk = make(in: FileManager.default.temporaryDirectory)

    /// On the disk if there is little room in memory.
    static let inMemory: URL = {
        let memory = "/dev/shm"
        var status = statvfs()
        guard statvfs(memory, &status) == 0, UInt64(status.f_bavail) * UInt64(status.f_frsize) > room,
            FileManager.default.isWritableFile(atPath: memory)
        else { return onDisk }
        return make(in: URL(filePath: memory, directoryHint: .isDirectory))
    }()

    /// A container's share of memory is often 64 MiB, too little for the databases of tests that run at the same time.
    private static let room: UInt64 = 1 << 30

    private static func make(in parent: URL) -> URL {
        // Short: a PostgreSQL socket lies in a test's folder, and its path has at most 107 bytes.
        let random = String(UInt32.random(in: .min ... .max), radix: 36)
        let url = parent.appending(path: "walletauth-\(ProcessInfo.processInfo.processIdentifier)-\(random)")
        try? Leftovers.ofThisProcess.get().add(folder: url.path)
        return url
    }
}
