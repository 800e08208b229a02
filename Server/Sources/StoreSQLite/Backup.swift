import Foundation
import GRDB
import Store

extension SQLiteDatabase {
    /// Copies the database with `VACUUM INTO`: one snapshot without free pages, while readers and the writer go on.
    /// - Throws: ``Store/StoreError`` if the file exists or cannot be written.
    package func backup(to path: String) async throws {
        let partial = path + ".partial"
        try await onOwnConnection { connection in
            guard !FileManager.default.fileExists(atPath: path) else {
                throw StoreError(.file, "\(path) already exists")
            }
            // An interrupted backup may have left its part.
            PrivateFile.discard(partial)
            // SQLite accepts an existing empty file. Created here, it is never readable for others.
            try PrivateFile.create(partial, existing: .refused)
            defer { PrivateFile.discard(partial) }
            try connection.execute(sql: "VACUUM INTO ?", arguments: [partial])
            // VACUUM INTO does not wait for the disk by itself.
            try PrivateFile.synchronize(partial)
            try PrivateFile.publish(partial, as: path)
        }
    }
}
