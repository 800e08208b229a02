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

    func database(_ name: String = "walletauth.db") async throws -> SQLiteDatabase {
        let database = try SQLiteDatabase.open(path: folder.path(name))
        try await Schema.migrate(database, now: SystemClock().now())
        _ = try await database.write { try DatabaseMarks.establish("d", on: $0) }
        return database
    }

    func keeper(
        _ process: String, of database: SQLiteDatabase, saving file: SeenMarksFile? = nil, logger: Logger? = nil
    ) async throws -> MarkKeeper {
        let found = try await database.read { try DatabaseMarks.read(on: $0) }
        return MarkKeeper(
            process: process, database: database, shown: "postgresql://db/w",
            file: file ?? self.file, seen: SeenMarks(database: "d", epoch: found.epoch, marks: found.marks),
            savesFile: true, logger: logger ?? self.logger
        ) { [endings] ending in endings.all.withLock { $0.append(ending) } }
    }

    /// What a process does with a server that it finds after a loss of the connection.
    /// - Parameter server: the name of that server.
    func examine(
        _ keeper: MarkKeeper, of database: SQLiteDatabase, at server: String? = nil
    ) async throws -> MarkKeeper.Ending? {
        let ending = try await database.write { connection in
            try keeper.examine(LateRows(connection, server: server), marksLoss: true)
        }
        if let ending { await keeper.leave(ending) }
        return ending
    }

    func marks(of database: SQLiteDatabase) async throws -> [String: Int64] {
        try await database.read { try DatabaseMarks.read(on: $0).marks }
    }
}

/// A connection, as if it led to a server, whose rows arrive late: something else happens before.
final class LateRows: SQLConnection {
    private let connection: any SQLConnection
    private let meanwhile: () throws -> Void
    let serverName: String?

    init(_ connection: any SQLConnection, server: String? = nil, meanwhile: @escaping () throws -> Void = {}) {
        self.connection = connection
        self.meanwhile = meanwhile
        serverName = server
    }

    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        let rows = try connection.query(sql, arguments)
        try meanwhile()
        return rows
    }

    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int { try connection.execute(sql, arguments) }

    func define(_ sql: String) throws { try connection.define(sql) }
}
