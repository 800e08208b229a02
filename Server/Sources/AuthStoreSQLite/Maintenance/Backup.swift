import AuthStore
import Foundation
import GRDB

extension SQLiteDatabase {
    /// Copies the database by `VACUUM INTO`: one snapshot, no free pages, readers and the writer go on.
    /// - Parameter path: of the copy, where nothing lies yet.
    /// - Throws: ``AuthStore/StoreError`` where something lies there, or it cannot be written.
    package func backup(to path: String) async throws {
        let partial = path + ".partial"
        try await besides { connection in
            guard !FileManager.default.fileExists(atPath: path) else {
                throw StoreError(.file, "\(path) is there already")
            }
            // An earlier backup that was cut off may have left its part.
            PrivateFile.discard(partial)
            // SQLite takes an empty file that is there already; made here, it is never readable for others.
            try PrivateFile.create(partial, existing: .refused)
            defer { PrivateFile.discard(partial) }
            try connection.execute(sql: "VACUUM INTO ?", arguments: [partial])
            // VACUUM INTO does not wait for the disk by itself.
            try PrivateFile.synchronize(partial)
            try PrivateFile.publish(partial, as: path)
        }
    }
}
