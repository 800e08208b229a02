import ArgumentParser
import AuthStore
import AuthStoreSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Replaces the database with a backup.
struct DatabaseRestore: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Replace the database with a backup, while no server runs.",
        discussion: """
            The current database is kept as DATABASE.before-restore-N. A backup is older than what the server has \
            acknowledged since, so every session ends and codes that it would revive no longer work: people have to \
            sign in again.
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
            let answer = ["restored": from, "database": configuration.database.path, "former": former ?? ""]
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            try Terminal.say(String(decoding: try encoder.encode(answer), as: UTF8.self))
        } else {
            try Terminal.say("Restored \(from) to \(configuration.database.path).")
            if let former { try Terminal.say("The previous database is \(former).") }
            try Terminal.say(
                "At the next start every session ends and recovery codes stop working: people have to sign in again, "
                    + "and get a message to create new codes. Changes since the copy (new passwords, deactivations, "
                    + "erasures, clients) have to be made again; `walletauth database restored` lists the passkeys, "
                    + "identities, apps and devices that are back.")
        }
    }

    private func restore(_ database: DatabaseLocation) throws -> String? {
        switch FileStatus(path: from)?.kind {
        case nil: throw Refusal("there is no backup at \(from), or it cannot be looked at; nothing was changed")
        case .file: break
        default: throw Refusal("\(from) is not a file, so it is not a backup; nothing was changed")
        }
        do {
            return try SQLiteDatabase.restore(database.path, from: from)
        } catch let error as StoreError where error.code == .owned {
            throw Refusal("\(error.reason): stop it, and repeat")
        } catch let error as StoreError where error.code == .damaged {
            throw Refusal(
                "\(from) is not an intact backup of a walletauth database (\(error.reason)); nothing was changed. "
                    + "Take an earlier one")
        } catch let error as StoreError {
            throw Refusal("\(from) was not restored: \(error.reason)")
        }
    }
}
