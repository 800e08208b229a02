import AuthFlows

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

/// A file of checkpoints, one a line, that is only ever added to.
struct CheckpointFile: AuditCheckpointArchive {
    let path: String

    /// Adds a line, on the disk before it returns. What was begun and not ended, on a disk that was full then, is left
    /// behind as a line of its own.
    func append(_ checkpoint: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        let size = lseek(descriptor, 0, SEEK_END)
        var last: UInt8 = 0x0A
        if size > 0 { pread(descriptor, &last, 1, size - 1) }
        let line = Array(((last == 0x0A ? "" : "\n") + checkpoint + "\n").utf8)
        guard systemWrite(descriptor, line, line.count) == line.count, fsync(descriptor) == 0 else {
            let failure = failure(String(cString: strerror(errno)))
            // Nobody else writes it: what was begun is taken back.
            ftruncate(descriptor, size)
            throw failure
        }
    }

    private func failure(_ reason: String) -> Refusal {
        Refusal("the checkpoint of the audit record cannot be written to \(path): \(reason)")
    }
}

/// `write(2)`, under a name that no method hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
