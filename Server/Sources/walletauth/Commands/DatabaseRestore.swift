import ArgumentParser
import AuthStore
import AuthStoreSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Puts a backup in the database's place.
struct DatabaseRestore: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put a backup in the database's place, while no server runs.",
        discussion: """
            The database that is there stays beside it as DATABASE.before-restore-N. A backup is older than what was \
            acknowledged since, so every session ends and what it would revive is void: people sign in again.
            """)

    @Option(help: "The backup, as `database backup` wrote it.", completion: .file())
    var from: String

    @Flag(help: "Print one JSON document.")
    var json = false

    func run(in invocation: Invocation) async throws {
        let configuration = try await ServerConfiguration.read(
            for: .administering, flags: invocation.flags, environment: invocation.environment)
        let former = try restore(configuration.database)
        if json {
            let answer = ["restored": from, "former": former ?? ""]
            try Terminal.say(String(decoding: try JSONEncoder().encode(answer), as: UTF8.self))
        } else {
            try Terminal.say("restored \(from)" + (former.map { "; the former database is \($0)" } ?? ""))
        }
    }

    private func restore(_ database: DatabaseLocation) throws -> String? {
        do {
            // Renewed before the copy takes the place: interrupted in between, people sign in once too often, and never
            // does a session come back that was ended.
            return try SQLiteDatabase.restore(database.path, from: from) {
                try RestoreEpoch(database: database).renew()
            }
        } catch let error as StoreError where error.code == .owned {
            throw Refusal("\(error.reason): stop the server, and repeat")
        }
    }
}
