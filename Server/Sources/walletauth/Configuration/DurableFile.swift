#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes files that are complete and on the disk, or else unchanged.
enum DurableFile {
    /// The error of a system call.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init() {
            description = String(cString: strerror(errno))
        }
    }

    /// Writes a temporary file, syncs it and renames it to `path`, replacing any existing file.
    static func replace(_ path: String, with data: Data) throws(Failure) {
        let unfinished = try write(data, nextTo: path)
        guard rename(unfinished, path) == 0 else {
            let failure = Failure()
            unlink(unfinished)
            throw failure
        }
        try synchronizeFolder(of: path)
    }

    /// Like ``replace(_:with:)``, but keeps an existing file: a link replaces nothing.
    static func create(_ path: String, with data: Data) throws(Failure) {
        let unfinished = try write(data, nextTo: path)
        defer { unlink(unfinished) }
        // Another process may have been first and have removed this temporary file as a leftover.
        guard link(unfinished, path) == 0 || errno == EEXIST || access(path, F_OK) == 0 else { throw Failure() }
        try synchronizeFolder(of: path)
    }

    /// Tries to create a file next to `path`, and removes it again.
    static func failureToWrite(nextTo path: String) -> Failure? {
        do {
            unlink(try write(Data(), nextTo: path))
            return nil
        } catch {
            return error
        }
    }

    /// Removes temporary files that were never renamed. After a power cut, such a file can contain the complete
    /// content, which may be a secret.
    /// - Parameter age: younger ones stay, because another process may be about to rename them.
    static func discardUnfinished(of path: String, olderThan age: Duration = .zero) {
        let url = URL(filePath: path)
        let folder = url.deletingLastPathComponent().path(percentEncoded: false)
        let beginning = url.lastPathComponent + "."
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)
        for name in names ?? [] where name.hasPrefix(beginning) && name.hasSuffix(ending) {
            let number = name.dropFirst(beginning.count).dropLast(ending.count)
            guard UInt64(number) != nil else { continue }
            let unfinished = (folder.isEmpty ? "" : folder + "/") + name
            if age > .zero {
                let attributes = try? FileManager.default.attributesOfItem(atPath: unfinished)
                guard let written = attributes?[.modificationDate] as? Date,
                    Date().timeIntervalSince(written) > TimeInterval(age.components.seconds)
                else { continue }
            }
            unlink(unfinished)
        }
    }

    private static let ending = ".new"

    /// The name is random, so no one can have prepared it.
    private static func write(_ data: Data, nextTo path: String) throws(Failure) -> String {
        let unfinished = "\(path).\(UInt64.random(in: .min ... .max))\(ending)"
        try write(data, toNew: unfinished)
        return unfinished
    }

    /// Creates a file and syncs it. `O_EXCL` means that an existing file or link of that name is neither followed nor
    /// changed.
    static func write(_ data: Data, toNew unfinished: String) throws(Failure) {
        let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        let bytes = [UInt8](data)
        guard systemWrite(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            let failure = Failure()
            unlink(unfinished)
            throw failure
        }
    }

    /// Syncs the folder of a file, so that the names in it are on the disk.
    static func synchronizeFolder(of path: String) throws(Failure) {
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        // Some network file systems do not support this and secure names in other ways.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw Failure() }
    }
}

/// `write(2)`, under a name that no method has.
func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
