import ArgumentParser
import Kernel
import Operations
import Store
import StoreSQLite

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Replaces the database with a backup.
struct DatabaseRestore: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Replace a SQLite database with a backup, while no server runs.",
        discussion: """
            The current database is kept as DATABASE.before-restore-N. A backup is older than what the server has \
            acknowledged since, so every session ends and codes that it would revive no longer work: people have to \
            sign in again.
            """)

    @Option(help: ArgumentHelp("The backup, as `database backup` wrote it.", valueName: "file"), completion: .file())
    var from: String

    @Flag(help: "Print one JSON document.")
    var json = false

    func run(in invocation: Invocation) async throws {
        let configuration = try await ServerConfiguration.read(
            for: .administering, flags: invocation.flags, environment: invocation.environment)
        guard !configuration.database.isPostgreSQL else {
            throw Refusal(
                "PostgreSQL restores its own backups, with pg_restore or a base backup: do that, and then run "
                    + "`walletauth database restored`; nothing was changed")
        }
        let former = try restore(configuration.database, masterKeys: try await masterKeys(of: configuration))
        if json {
            try Terminal.say(
                json: ["restored": from, "database": configuration.database.path, "former": former ?? ""])
        } else {
            try Terminal.say("Restored \(from) to \(configuration.database.path).")
            if let former { try Terminal.say("The previous database is \(former).") }
            try Terminal.say(
                "Start the server next. Then every session ends and recovery codes stop working: people have to sign in "
                    + "again, and get a message to create new codes. \(Restoration.endings) "
                    + "Changes made since the backup (new passwords, "
                    + "deactivations, erasures, clients) must be made again; after the start, `walletauth database "
                    + "restore-report` lists the passkeys, identities, apps and devices that are back.")
        }
    }

    /// - Returns: `nil` if none is configured: a machine may get its key after its database.
    private func masterKeys(of configuration: ServerConfiguration) async throws -> MasterKeys? {
        if case .missing = configuration.masterKey { return nil }
        if configuration.masterKey.isToBeGenerated { return nil }
        return try await configuration.masterKey.read(for: configuration.database)
    }

    private func restore(_ database: DatabaseLocation, masterKeys: MasterKeys?) throws -> String? {
        switch FileStatus(path: from)?.kind {
        case nil: throw Refusal("there is no backup at \(from), or it cannot be accessed; nothing was changed")
        case .file: break
        default: throw Refusal("\(from) is not a file, so it is not a backup; nothing was changed")
        }
        do {
            return try SQLiteDatabase.restore(database.path, from: from) { backup in
                let records = try DataKeys.all(on: backup)
                if let masterKeys { try masterKeys.requireOpening(records) }
            }
        } catch let fault as MasterKeyFault {
            throw Refusal(
                "the master key does not open the keys in \(from): \(fault); nothing was changed",
                hint: "Specify the key of the time of the backup, using \(Settings.masterKeyFile.spellings), "
                    + "\(Settings.masterKeyCommand.spellings) or \(Settings.masterKey.environmentVariable); if there is a newer one, "
                    + "with that in the first line",
                code: "master_key")
        } catch let error as StoreError where error.code == .owned {
            throw Refusal("\(error.reason): stop it, then run this again; nothing was changed")
        } catch let error as StoreError where error.code == .damaged {
            throw Refusal(
                "\(from) is not an intact backup of a walletauth database (\(error.reason)); nothing was changed. "
                    + "Use an earlier one")
        } catch let error as StoreError {
            throw Refusal("\(from) was not restored: \(error.reason)")
        }
    }
}

/// Declares that the database is older than what was acknowledged: PostgreSQL's tools have restored it, or a SQLite file has lost its
/// log.
///
/// It cannot be mixed up with `database restore`, which replaces a SQLite file: that one refuses PostgreSQL, and this one a file that
/// lacks nothing, and each names the right command.
struct DatabaseRestored: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "restored",
        abstract: """
            Declare that PostgreSQL's tools have restored the database, or that it has lost commits, before servers start \
            on it.
            """,
        discussion: """
            Run it after a recovery from a base backup, after pg_restore, and after a failover that lost commits, while \
            no server runs. The database is older than what servers have acknowledged since, so every session ends and \
            codes that it would revive no longer work: people have to sign in again. A backup of a SQLite database is \
            restored with `database restore`, which does this by itself; this command is for a file whose write-ahead log is \
            lost.

            If the database has everything that this machine has seen, the command needs --even-if-current. If another host of \
            the URL cannot be asked whether it accepts writes, it may be the new primary: the command needs --even-if-away.
            """)

    @Flag(
        help: """
            Declare the restore even if this machine sees nothing missing, as after a recovery to a point after the last write.
            """)
    var evenIfCurrent = false

    @Option(
        help: ArgumentHelp(
            """
            Declare the restore even if this host cannot be asked whether it accepts writes, because it stays stopped until you \
            rebuild it as a standby; may be repeated.
            """, valueName: "host"))
    var evenIfAway: [String] = []

    @Flag(help: "Print one JSON document.")
    var json = false

    func run(in invocation: Invocation) async throws {
        let configuration = try await ServerConfiguration.read(
            for: .administering, flags: invocation.flags, environment: invocation.environment)
        guard configuration.database.isPostgreSQL || configuration.database.exists else {
            throw Refusal(
                "a SQLite database is restored with `walletauth database restore --from FILE`; nothing was changed")
        }
        // Opening it does everything.
        let restoredAt = try await AdministrationChannel(configuration: configuration).withServer(
            for: .declaringRestore(evenIfCurrent: evenIfCurrent, evenIfAway: evenIfAway)
        ) { $0.context.restoredAt }
        if json {
            var answer = ["database": configuration.database.shown]
            if let restoredAt { answer["restoredAt"] = restoredAt.text }
            try Terminal.say(json: answer)
        } else {
            try Terminal.say("Declared the restore of \(configuration.database.shown).")
            try Terminal.say(
                "Every session has ended and recovery codes no longer work: people have to sign in again, and get a "
                    + "message to create new codes. \(Restoration.endings) "
                    + "Changes made since the backup (new passwords, deactivations, erasures, "
                    + "clients) must be made again; `walletauth database restore-report` lists the passkeys, "
                    + "identities, apps and devices that are back.")
            try Terminal.say("Start the servers.")
        }
    }
}
