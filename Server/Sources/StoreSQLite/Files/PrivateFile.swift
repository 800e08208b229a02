import Foundation
import Store

/// The engine's file operations outside of SQLite. Every file it creates is accessible to its owner only.
enum PrivateFile {
    /// The treatment of an existing file.
    enum Existing {
        case kept
        case refused
    }

    /// Creates an empty file that only its owner can read, or makes sure that the existing one can be opened.
    static func create(_ path: String, existing: Existing) throws {
        let exclusive = existing == .refused ? O_EXCL : 0
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | exclusive, 0o600)
        guard descriptor >= 0 else {
            let code = errno
            let exists = existing == .kept && access(path, F_OK) == 0
            errno = code
            throw failure(exists ? "open" : "create", path)
        }
        close(descriptor)
    }

    /// A file's size; 0 if it does not exist.
    static func size(of path: String) throws -> Int {
        var status = stat()
        if lstat(path, &status) == 0 { return Int(status.st_size) }
        guard errno == ENOENT else { throw failure("look at", path) }
        return 0
    }

    /// Returns once a file's bytes, or a folder's names, are on the disk.
    static func synchronize(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        // A sync that finds no space has lost data, like any other failed sync.
        guard fsync(descriptor) == 0 else { throw StoreError(.file, failure("write", path).reason) }
    }

    /// Returns once the names in a file's folder are on the disk.
    static func synchronizeFolder(of path: String) throws {
        try synchronize(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    /// Copies a file's bytes into another existing file, and waits for the disk.
    static func copy(_ source: String, to destination: String) throws {
        do {
            let reader = try FileHandle(forReadingFrom: URL(fileURLWithPath: source))
            let writer = try FileHandle(forWritingTo: URL(fileURLWithPath: destination))
            while let part = try reader.read(upToCount: 1 << 20), !part.isEmpty { try writer.write(contentsOf: part) }
            try reader.close()
            // Synchronize the descriptor that wrote: another one may miss an error from before it was opened.
            try writer.synchronize()
            try writer.close()
        } catch {
            throw DiskSpace.shortage(at: destination) ?? noRoom(error, for: destination)
                ?? StoreError(.file, "cannot copy \(source): \(error.localizedDescription)")
        }
    }

    /// Overwrites each of a file's bytes with itself, and waits for the disk.
    /// - Throws: ``StoreError`` with code `full` if a write found no space, as on a copy-on-write file system. The file
    ///   still has the same bytes.
    static func rewrite(_ path: String) throws {
        do {
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
            do {
                while case let start = try file.offset(), let part = try file.read(upToCount: 1 << 20), !part.isEmpty {
                    try file.seek(toOffset: start)
                    try file.write(contentsOf: part)
                }
            } catch {
                throw noRoom(error, for: path) ?? error
            }
            try file.synchronize()
            try file.close()
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.file, "cannot write \(path): \(error.localizedDescription)")
        }
    }

    /// A write that failed for lack of space; `nil` for any other error. The disk's own numbers do not show a quota.
    private static func noRoom(_ error: any Error, for path: String) -> StoreError? {
        guard (error as? CocoaError)?.code == .fileWriteOutOfSpace else { return nil }
        return StoreError(.full, "there is no room to write \(path). Make room on its disk, or raise its quota")
    }

    /// Replaces a file with another, and waits for the disk.
    static func rename(_ source: String, to destination: String) throws {
        guard systemRename(source, destination) == 0 else { throw failure("replace", destination) }
        try synchronizeFolder(of: destination)
    }

    /// Gives a file its final name unless it is taken. A link, unlike a rename, overwrites nothing.
    static func publish(_ partial: String, as path: String) throws {
        guard link(partial, path) == 0 else { throw failure("create", path) }
        try synchronizeFolder(of: path)
    }

    /// Deletes a file. None of that name is fine.
    static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove", path) }
    }

    /// Deletes a file if it exists and can be deleted.
    static func discard(_ path: String) {
        unlink(path)
    }

    /// The suffixes of the files next to a database that SQLite applies to it when it is opened.
    static let journals = ["-wal", "-journal"]

    /// Deletes a database file and what SQLite keeps next to it. A journal that stayed would be applied to the next
    /// file of that name.
    static func discardDatabase(_ path: String) {
        for suffix in journals + ["-shm", ""] { discard(path + suffix) }
    }

    private static func failure(_ verb: String, _ path: String) -> StoreError {
        let code = errno
        let isFull = code == ENOSPC || code == EDQUOT
        return StoreError(isFull ? .full : .file, "cannot \(verb) \(path): \(String(cString: strerror(code)))")
    }
}

/// `rename(2)`, which the type's own method hides.
private func systemRename(_ source: String, _ destination: String) -> CInt {
    rename(source, destination)
}
