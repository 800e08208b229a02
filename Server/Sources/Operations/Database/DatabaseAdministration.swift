internal import ArgumentParser
internal import Core
internal import Foundation
internal import Kernel
internal import Store
internal import WalletAuthWire

enum DatabaseCommands: CommandNoun {
    static let title = "database"
    static let abstract = "Create, check, back up, restore and copy the database."
    static let commands: [any AdminCommand.Type] = [
        DatabaseMigrate.self, DatabaseCheck.self, DatabaseSweep.self, DatabaseBackup.self,
        DatabaseRestoreReport.self, DatabaseChangeIssuer.self,
    ]
}

/// Reports the version of the schema. Opening the server context has already migrated it.
struct DatabaseMigrate: AdminCommand {
    static let title = "database migrate"
    static let access = CommandAccess.terminal
    static let abstract = "Create the database if there is none, or bring its schema up to date."
    static let discussion = "With PostgreSQL, servers of the previous version may keep running."

    var effect: CommandEffect { .migrates }

    func execute(in database: DatabaseAdministration) async throws -> AdministrationAnswer {
        let (version, since) = try await database.store.read { connection in
            let version = try Schema.version(on: connection)
            return (version, try Schema.time(of: version, on: connection))
        }
        var json = JSONObject()
        json.set("schemaVersion", Int64(version))
        json.set("since", since?.text)
        return .done(
            "The schema is up to date: version \(version)" + (since.map { ", since \($0.text)." } ?? "."), json)
    }
}

struct DatabaseCheck: AdminCommand {
    static let title = "database check"
    static let access = CommandAccess.terminal
    static let abstract = "Read the whole database and look for damage."
    static let remedyWithPostgreSQL: String? = """
        check a PostgreSQL database's files with pg_amcheck; `walletauth doctor` checks that this program can use it
        """

    var effect: CommandEffect { .reads }

    func execute(in database: DatabaseAdministration) async throws -> AdministrationAnswer {
        let maintenance = try database.maintenance()
        let failure = await database.writes.failure()
        // A check would read what has the file's name now.
        if let failure, failure.code == .fileLost {
            throw AdministrationRefusal("\(failure.reason).", code: failure.code.rawValue)
        }
        let report = try await maintenance.check()
        guard report.isSound else {
            throw AdministrationRefusal(
                "The database is damaged: \(report.problems.joined(separator: "; ")).",
                hint: "Restore a backup: `walletauth database restore --from FILE`.", code: "damaged")
        }
        if let failure {
            guard failure.code != .damaged else {
                throw AdministrationRefusal(
                    "No damage was found, but a request has met some since the start: \(failure.reason).",
                    hint: "Check the disk, and restart the server once it is healthy.", code: "damaged")
            }
            throw AdministrationRefusal(
                "The database is sound, but nothing can be written: \(failure.reason).", code: failure.code.rawValue)
        }
        let log = maintenance.log
        var json = JSONObject()
        json["log"] = .object(log.json)
        var lines = ["The database is sound, and a write reached the disk."]
        if let failure = log.failure {
            lines.append(
                "The write-ahead log cannot be copied into it, is \(log.bytes >> 20) MiB, and was last copied at"
                    + " \(log.lastWholeCheckpoint.text): \(failure).")
        }
        return .done(lines, json)
    }
}

struct DatabaseSweep: AdminCommand {
    static let title = "database sweep"
    static let access = CommandAccess.terminal
    static let abstract = "Remove expired rows."

    func execute(in database: DatabaseAdministration) async throws -> AdministrationAnswer {
        let now = database.clock.now()
        try await database.clocks.requireAgreement()
        let removed = try await database.expired.remove(now: now)
        var json = JSONObject()
        json.set("removed", Int64(removed))
        return .done("Removed \(removed.counted("expired row", "expired rows")).", json)
    }
}

struct DatabaseBackup: CommandWithInput {
    static let title = "database backup"
    static let access = CommandAccess.terminal
    static let abstract = "Write a consistent copy while the server runs; the master key is not in it."
    static let discussion = """
          walletauth database backup --to /var/backups/walletauth/2026-11-29.db
        """
    static let remedyWithPostgreSQL: String? =
        "back up a PostgreSQL database with pg_dump or pg_basebackup; nothing was written"

    @Option(
        help: ArgumentHelp("The path of the copy; an existing file is refused.", valueName: "file"), completion: .file()
    )
    var to: String

    var input: String?

    var effect: CommandEffect { .reads }

    func readInput(from reader: any CommandInputReader) throws -> String? { reader.absolutePath(to) }

    func execute(in database: DatabaseAdministration, input: String) async throws -> AdministrationAnswer {
        let path = try Administration.path(input, of: "--to")
        let maintenance = try database.maintenance()
        guard !FileManager.default.fileExists(atPath: path) else {
            throw AdministrationRefusal(
                "There is already a file at \(path), and a backup does not replace files: choose another name.",
                code: "file")
        }
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
            throw AdministrationRefusal("There is no folder \(folder) for the copy: create it first.", code: "file")
        }
        do {
            try await maintenance.backup(to: path)
        } catch let failure as StoreError where failure.code == .file || failure.code == .full {
            throw AdministrationRefusal("No copy was written: \(failure.reason).", code: failure.code.rawValue)
        }
        return .done(
            "Wrote a copy to \(path). It opens only with the master key, which is not in it.",
            JSONObject(strings: ["path": path]))
    }
}

struct DatabaseRestoreReport: AdminCommand {
    static let title = "database restore-report"
    static let access = CommandAccess.terminal
    static let abstract = "List what the last restore brought back: passkeys, identities, apps and devices."
    static let discussion = """
        A factor that was removed after the backup is still in the copy. It counts as new for \
        devices.coolingPeriod: look for any that should be gone, and remove them with `passkey remove` and \
        `device remove`. For identities and authenticator apps, use `account deactivate` to close the \
        account until its holder has been in touch.
        """

    @Option(help: ArgumentHelp("The last account of the previous page.", valueName: "account"))
    var after: String?

    @Option(help: ArgumentHelp("The page size, from 1 to 1000.", valueName: "number"))
    var limit = 100

    var effect: CommandEffect { .reads }

    func execute(in restored: RestoredFactorsReport) async throws -> AdministrationAnswer {
        try await restored.page(after: after, limit: limit)
    }
}

/// Assigns the database to another issuer. The next start serves it under that issuer.
struct DatabaseChangeIssuer: AdminCommand {
    static let title = "database change-issuer"
    static let access = CommandAccess.terminal
    static let abstract = "Serve this database under another issuer from the next start on."
    static let discussion = """
        The first start records its issuer in the database, and later starts under another one are refused. After \
        a change \(PinnedIssuer.consequences). Sessions stay in the database, but people have to sign in again in \
        apps that compare the issuer.
        """

    @Argument(help: "The new issuer, exactly as clients will see it.")
    var issuer: String

    @OptionGroup var confirmed: ConfirmationOptions

    var effect: CommandEffect { .replacesSettings }

    var confirmation: Confirmation? {
        confirmed.unlessGiven("After this, \(PinnedIssuer.consequences).", typing: issuer)
    }

    func execute(in issuers: IssuerChange) async throws -> AdministrationAnswer {
        try await issuers.change(to: issuer)
    }
}

/// The database as a whole.
struct DatabaseAdministration: Sendable {
    let store: any Database
    let engine: (any DatabaseMaintenance)?
    let writes: WriteProbe
    let clock: any Clock
    let clocks: ClockMonitor
    let expired: ExpiredRows

    fileprivate func maintenance() throws -> any DatabaseMaintenance {
        guard let engine else {
            throw AdministrationRefusal("Use this database's own tools for this.", code: "unsupported")
        }
        return engine
    }
}

extension WriteAheadLog {
    fileprivate var json: JSONObject {
        var json = JSONObject()
        json.set("bytes", bytes)
        json.set("lastWholeCheckpoint", lastWholeCheckpoint.text)
        json.set("failedCheckpoints", failedCheckpoints)
        json.set("failure", failure)
        return json
    }
}
