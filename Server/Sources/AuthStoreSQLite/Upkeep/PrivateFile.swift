import AuthStore
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What the engine does to files beside SQLite: everything it makes is for its owner alone.
enum PrivateFile {
    /// What to do about a file that is there already.
    enum Existing {
        case kept
        case refused
    }

    /// Makes a file of no bytes, readable for its owner alone.
    static func create(_ path: String, existing: Existing) throws {
        let exclusive = existing == .refused ? O_EXCL : 0
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | exclusive, 0o600)
        guard descriptor >= 0 else { throw failure("create", path) }
        close(descriptor)
    }

    /// Returns when a file's bytes, or a folder's names, are on the disk.
    static func synchronize(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("write", path) }
    }

    /// Gives a file its final name, unless somebody took it: a link, unlike a rename, overwrites nothing.
    static func publish(_ partial: String, as path: String) throws {
        guard link(partial, path) == 0 else { throw failure("create", path) }
        try synchronize(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    /// Removes a file that may not be there.
    static func discard(_ path: String) {
        unlink(path)
    }

    private static func failure(_ verb: String, _ path: String) -> StoreError {
        let code = errno
        return StoreError(code == ENOSPC ? .full : .file, "cannot \(verb) \(path): \(String(cString: strerror(code)))")
    }
}
