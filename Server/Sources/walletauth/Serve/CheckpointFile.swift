import Kernel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An append-only file of checkpoints, one per line.
struct CheckpointFile: AuditCheckpointArchive {
    let path: String
    /// How long to wait for another process that writes.
    var patience = Duration.seconds(2)

    var file: String? { path }

    /// The machine and the absolute path.
    var name: String {
        var host = [CChar](repeating: 0, count: 256)
        let isKnown = gethostname(&host, host.count - 1) == 0
        let bytes = host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let machine = isKnown ? String(decoding: bytes, as: UTF8.self) : "unknown"
        return "\(machine):\(URL(filePath: path).absoluteURL.path)"
    }

    var isEmpty: Bool { (FileStatus(path: path)?.size ?? 0) == 0 }

    /// Appends a line. When it returns, the line and the file's name are on the disk. A partial line, left by a disk
    /// that was full, remains as a line of its own.
    func append(_ line: String) async throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(errno) }
        defer { FileLock.release(descriptor) }
        do {
            // With PostgreSQL, a command may write a checkpoint while the server writes one.
            try await FileLock.take(descriptor, of: path, within: patience)
        } catch let error where !(error is CancellationError) {
            throw failure("\(error)")
        }
        let size = lseek(descriptor, 0, SEEK_END)
        var last: UInt8 = 0x0A
        if size > 0 {
            guard pread(descriptor, &last, 1, size - 1) == 1 else { throw failure(errno) }
        } else {
            try keepName()
        }
        let bytes = Array(((last == 0x0A ? "" : "\n") + line + "\n").utf8)
        let written = systemWrite(descriptor, bytes, bytes.count)
        guard written == bytes.count, fsync(descriptor) == 0 else {
            // A short write sets no error; it means the disk is full.
            let failure = failure(written >= 0 && written < bytes.count ? ENOSPC : errno)
            // Removes the partial line, unless the file is append-only. The lock keeps other writers out.
            ftruncate(descriptor, size)
            throw failure
        }
    }

    /// Syncs the file's name before its first line is written.
    private func keepName() throws(AuditArchiveFailure) {
        do {
            try DurableFile.synchronizeFolder(of: path)
        } catch {
            throw AuditArchiveFailure("the folder of \(path) cannot be written to: \(error)")
        }
    }

    private func failure(_ code: Int32) -> AuditArchiveFailure {
        let remedy = code == ENOSPC || code == EDQUOT ? ". Make room on its disk" : ""
        return failure(String(cString: strerror(code)) + remedy)
    }

    private func failure(_ reason: String) -> AuditArchiveFailure {
        AuditArchiveFailure("the checkpoint of the audit log cannot be written to \(path): \(reason)")
    }
}
