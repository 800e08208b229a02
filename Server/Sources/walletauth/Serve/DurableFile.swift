#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Files that are whole and on the disk, or as they were before.
enum DurableFile {
    /// What a system call said.
    struct Failure: Error, CustomStringConvertible {
        let description: String

        init() {
            description = String(cString: strerror(errno))
        }
    }

    /// Writes a file under another name, and gives it its own when it is on the disk; replaces what has that name.
    static func replace(_ path: String, with data: Data) throws(Failure) {
        let unfinished = try write(data, beside: path)
        guard rename(unfinished, path) == 0 else {
            let failure = Failure()
            unlink(unfinished)
            throw failure
        }
        try synchronizeFolder(of: path)
    }

    /// The same, unless something has that name already: that stays, since a link replaces nothing.
    static func create(_ path: String, with data: Data) throws(Failure) {
        let unfinished = try write(data, beside: path)
        defer { unlink(unfinished) }
        // Another process may have been first, and have cleared away what it took for a leftover.
        guard link(unfinished, path) == 0 || errno == EEXIST || access(path, F_OK) == 0 else { throw Failure() }
        try synchronizeFolder(of: path)
    }

    /// Removes what writers of a file left that never came to give it its name: a power cut leaves the whole content under the
    /// unfinished one, a secret too.
    static func discardUnfinished(of path: String) {
        let url = URL(filePath: path)
        let folder = url.deletingLastPathComponent().path(percentEncoded: false)
        let beginning = url.lastPathComponent + "."
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)
        for name in names ?? [] where name.hasPrefix(beginning) && name.hasSuffix(ending) {
            let number = name.dropFirst(beginning.count).dropLast(ending.count)
            guard UInt64(number) != nil else { continue }
            unlink((folder.isEmpty ? "" : folder + "/") + name)
        }
    }

    private static let ending = ".new"

    /// A name that nobody can have prepared.
    private static func write(_ data: Data, beside path: String) throws(Failure) -> String {
        let unfinished = "\(path).\(UInt64.random(in: .min ... .max))\(ending)"
        try write(data, toNew: unfinished)
        return unfinished
    }

    /// Writes a file that is not there yet, through to the disk. Exclusively: what waits under its name, be it a link, is
    /// neither followed nor touched.
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

    /// Returns when the names in a file's folder are on the disk.
    static func synchronizeFolder(of path: String) throws(Failure) {
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        // Some network file systems have no such thing, and keep names by other means.
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw Failure() }
    }
}

/// `write(2)`, whose name the type's own method hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
