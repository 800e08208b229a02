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
            let answer = ["restored": from, "database": configuration.database.path, "former": former ?? ""]
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            try Terminal.say(String(decoding: try encoder.encode(answer), as: UTF8.self))
        } else {
            try Terminal.say("Restored \(from) to \(configuration.database.path).")
            if let former { try Terminal.say("The former database is \(former).") }
            try Terminal.say(
                "At the next start every session ends and recovery codes become void: people sign in again, and are told to make"
                    + " new codes. What was done since the copy was made (new passwords, deactivations, erasures, clients) has"
                    + " to be done again; `walletauth database restored` lists the passkeys, identities, apps and devices that"
                    + " are back.")
        }
    }

    private func restore(_ database: DatabaseLocation) throws -> String? {
        switch FileStatus(path: from)?.kind {
        case nil: throw Refusal("there is no backup at \(from), or it cannot be looked at; nothing was changed")
        case .file: break
        default: throw Refusal("\(from) is no file, so it is no backup; nothing was changed")
        }
        do {
            return try SQLiteDatabase.restore(database.path, from: from)
        } catch let error as StoreError where error.code == .owned {
            throw Refusal("\(error.reason): stop it, and repeat")
        } catch let error as StoreError where error.code == .damaged {
            throw Refusal(
                "\(from) is no sound backup of a walletauth database (\(error.reason)); nothing was changed. Take an"
                    + " earlier one")
        } catch let error as StoreError {
            throw Refusal("\(from) was not restored: \(error.reason)")
        }
    }
}
