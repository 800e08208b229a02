import Foundation
import Store

/// The database file and its log, as they were named when SQLite opened them.
///
/// SQLite goes on writing to a file that was deleted or replaced, and each write succeeds. Once the process ends, the file is
/// gone. SQLite itself replaces neither of them while a connection is open.
struct OpenFiles: Sendable {
    private let database: OpenFile
    private let log: OpenFile

    /// - Parameter database: the path of a database that is open, so that its log exists.
    init(of database: String) throws {
        self.database = try OpenFile(database)
        log = try OpenFile(database + "-wal")
    }

    /// Why nothing may be written; `nil` if both names still refer to the open files.
    var loss: StoreError? { databaseLoss ?? logLoss }

    /// Why nothing may be written to the database file; `nil` if its name still refers to it.
    var databaseLoss: StoreError? {
        guard database.isGone else { return nil }
        return StoreError(
            .fileLost,
            "\(database.path) was deleted or replaced while it was open, so nothing more is written. Move that file back and restart, "
                + "or stop the server and restore a backup")
    }

    /// Why nothing may be written to the log; `nil` if its name still refers to it.
    var logLoss: StoreError? {
        guard log.isGone else { return nil }
        return StoreError(
            .fileLost,
            "\(log.path) was deleted or replaced while it was open, so nothing more is written. Move away any file that has this name "
                + "now, stop the server with SIGTERM, because a kill may lose acknowledged writes, and start it again")
    }
}

private struct OpenFile: Sendable {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    init(_ path: String) throws {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            throw StoreError(.file, "cannot look at \(path): \(String(cString: strerror(errno)))")
        }
        self.path = path
        (device, inode) = (status.st_dev, status.st_ino)
    }

    /// Whether the name refers to nothing or to another file. A name that cannot be looked up proves nothing.
    var isGone: Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return errno == ENOENT }
        return status.st_dev != device || status.st_ino != inode
    }
}
