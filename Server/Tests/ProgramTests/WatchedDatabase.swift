import Kernel
import Logging
import Store
import StoreSQLite

@testable import walletauth

/// A database with marks in a folder of its own, and the keepers that watch its age. The engine does not matter to them: here it
/// is a file.
struct WatchedDatabase {
    final class Endings: Sendable {
        let all = LockedValue<[MarkKeeper.Ending]>([])
        var count: Int { all.withLock { $0.count } }
    }

    let folder: TemporaryFolder
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let endings = Endings()

    init() throws {
        folder = try TemporaryFolder()
    }

    var file: SeenMarksFile { SeenMarksFile(path: folder.path("walletauth.marks")) }

    func database() async throws -> SQLiteDatabase {
        let database = try SQLiteDatabase.open(path: folder.path("walletauth.db"))
        try await Schema.migrate(database, now: SystemClock().now())
        _ = try await database.write { try DatabaseMarks.establish("d", on: $0) }
        return database
    }

    func keeper(
        _ process: String, of database: SQLiteDatabase, reading late: LateSnapshots? = nil,
        saving file: SeenMarksFile? = nil, logger: Logger? = nil
    ) async throws -> MarkKeeper {
        let found = try await database.read { try DatabaseMarks.read(on: $0) }
        return MarkKeeper(
            process: process, database: late ?? database, shown: "postgresql://db/w",
            file: file ?? self.file, seen: SeenMarks(database: "d", epoch: found.epoch, marks: found.marks),
            savesFile: true, timeToTell: .seconds(300), logger: logger ?? self.logger
        ) { [endings] ending in endings.all.withLock { $0.append(ending) } }
    }

    func marks(of database: SQLiteDatabase) async throws -> [String: Int64] {
        try await database.read { try DatabaseMarks.read(on: $0).marks }
    }
}
