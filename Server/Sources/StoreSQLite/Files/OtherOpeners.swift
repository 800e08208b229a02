import Foundation
import Store

/// Detects other programs that have a database open, such as SQLite's shell at its prompt.
///
/// They share the index of the log with the server. A server that starts while one of them is running takes over the
/// former process's index, including how far that one had copied the log, and cannot read the log from its beginning.
enum OtherOpeners {
    /// The bytes that SQLite locks while a connection is open: in the database the range of shared locks, in the index
    /// the byte that marks it as in use (os_unix.c: `SHARED_FIRST`, `SHARED_SIZE`, `UNIX_SHM_DMS`).
    private static let shared: (start: Int, length: Int) = (0x4000_0002, 510)
    private static let inUse: (start: Int, length: Int) = (128, 1)

    /// Call this before this process opens the database, because closing a file drops the process's own locks on it.
    /// - Throws: ``StoreError`` with code `owned`, which names the process.
    static func refuse(_ database: String) throws {
        for (path, range) in [(database, shared), (database + "-shm", inUse)] {
            guard let process = holder(of: path, range) else { continue }
            throw StoreError(
                .owned, "\(database) is open in another program (process \(process)): end it, and try again")
        }
    }

    private static func holder(of path: String, _ range: (start: Int, length: Int)) -> pid_t? {
        let descriptor = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var lock = flock()
        lock.l_type = .init(F_WRLCK)
        lock.l_whence = .init(SEEK_SET)
        lock.l_start = .init(range.start)
        lock.l_len = .init(range.length)
        guard fcntl(descriptor, F_GETLK, &lock) == 0, CInt(lock.l_type) != CInt(F_UNLCK) else { return nil }
        return lock.l_pid
    }
}
