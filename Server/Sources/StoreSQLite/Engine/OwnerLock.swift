import Foundation
import Store

/// The exclusive right to open a database: a `flock` on a file next to it.
///
/// The lock is not on the database file itself, because closing any descriptor of that file drops every POSIX lock that
/// SQLite holds on it in this process (fcntl(2)). The kernel releases the lock whenever the process ends. The file
/// stays, since deleting it would let two owners hold two files of one name.
package final class OwnerLock: Sendable {
    private let descriptor: LockedValue<CInt?>

    /// - Parameter database: the database's path, with symbolic links resolved.
    /// - Throws: ``StoreError`` with code `owned`, which names the owner if it is known, or `file`.
    package init(beside database: String) throws {
        let path = database + ".lock"
        // No symbolic links: anyone with write access to the folder could make this process empty a file of its user.
        let opened = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard opened >= 0 else {
            throw StoreError(.file, "cannot open \(path): \(String(cString: strerror(errno)))")
        }
        guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            defer { close(opened) }
            guard reason == EWOULDBLOCK else {
                throw StoreError(.file, "cannot lock \(path): \(String(cString: strerror(reason)))")
            }
            throw StoreError(.owned, "\(database) is open in \(Self.owner(opened) ?? "another process")")
        }
        Self.sign(opened)
        descriptor = LockedValue(opened)
    }

    /// Releases the lock. Call this after the last connection is closed.
    package func release() {
        descriptor.withLock { descriptor in
            guard let held = descriptor else { return }
            _ = ftruncate(held, 0)
            // Not by closing alone: a child process has the descriptor too, from its fork until it runs its program.
            _ = flock(held, LOCK_UN)
            close(held)
            descriptor = nil
        }
    }

    deinit { release() }

    /// Writes the owner's name for the next opener. This is a courtesy; the lock itself is the kernel's.
    private static func sign(_ descriptor: CInt) {
        let name = "\(ProcessInfo.processInfo.processName) (process \(getpid()))"
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, name, name.utf8.count, 0)
    }

    private static func owner(_ descriptor: CInt) -> String? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        // Shown on terminals, so a forged file must not put control characters there.
        return String(decoding: bytes.prefix(count).filter { (0x20..<0x7F).contains($0) }, as: UTF8.self)
    }
}
