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
        guard link(unfinished, path) == 0 || errno == EEXIST else { throw Failure() }
        try synchronizeFolder(of: path)
    }

    /// A name that nobody can have prepared.
    private static func write(_ data: Data, beside path: String) throws(Failure) -> String {
        let unfinished = "\(path).\(UInt64.random(in: .min ... .max)).new"
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

    private static func synchronizeFolder(of path: String) throws(Failure) {
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        let descriptor = open(folder.isEmpty ? "." : folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure() }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Failure() }
    }
}

/// `write(2)`, whose name the type's own method hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
