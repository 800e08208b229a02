import AuthCore
import AuthFlows
import AuthStore
import AuthStoreSQLite
import Logging
import WalletAuthWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The database, locked for this process alone, its schema up to date, and the key that opens it.
struct OwnedDatabase: Sendable {
    /// The engine, of which the flows see only the port.
    let database: SQLiteDatabase
    let masterKey: MasterKey

    /// Opens the database; makes it where there is none, which is for the caller to have allowed.
    ///
    /// Ends the process where the disk fails, now or while the database is open: see ``StorageReport``.
    ///
    /// - Throws: `Refusal`, or `StoreError`, with code `owned` where another process has it.
    static func open(_ configuration: ServerConfiguration) async throws -> OwnedDatabase {
        guard configuration.database.hasFolder else { throw Refusal(configuration.database.missingFolder) }
        let masterKey = try await configuration.masterKey.read(for: configuration.database)
        let report = StorageReport(
            logger: Logger(configuration), failures: DiskFailures(configuration.database))
        let database: SQLiteDatabase
        do {
            database = try SQLiteDatabase.open(
                path: configuration.database.path,
                options: SQLiteOptions(
                    logLimitPages: configuration.logLimit << 8, report: { event in report.take(event) }))
        } catch let error as StoreError where error.code == .diskFailed {
            report.end(because: error)
        }
        // The database is this process's alone now: no other process writes these files.
        DurableFile.discardUnfinished(of: configuration.database.generatedMasterKeyPath)
        DurableFile.discardUnfinished(of: configuration.database.epochPath)
        do {
            try await database.belong(to: configuration.environment)
            return OwnedDatabase(database: database, masterKey: masterKey)
        } catch {
            await database.close()
            throw error
        }
    }

    /// Records the issuer that the database is served under, or finds it to be the recorded one.
    ///
    /// - Throws: `Refusal` where the database belongs to another issuer.
    func belong(to issuer: Issuer) async throws {
        let recorded = try await PinnedIssuer.establish(issuer, in: database)
        guard recorded == issuer.rawValue else {
            throw Refusal(.otherIssuer(recorded: recorded, configured: issuer.rawValue))
        }
    }

    /// Writes what is open, and gives the database's lock back.
    func close() async {
        await database.close()
    }
}

extension DatabaseLocation {
    /// Whether the database's file is there.
    var exists: Bool { FileStatus(path: path) != nil }

    /// The whole path, from wherever the program was started.
    private var absolutePath: String { URL(filePath: path).absoluteURL.path }
    private var folder: String { URL(filePath: path).absoluteURL.deletingLastPathComponent().path }

    /// Whether there is a folder to keep it in.
    fileprivate var hasFolder: Bool { FileStatus(path: folder)?.kind == .directory }

    /// There is no folder to make a database in.
    fileprivate var missingFolder: Fault {
        Fault(
            problem: "there is no folder \(folder) for the database",
            remedy: "Create it with `mkdir -p \(folder)`, or choose another database with \(Settings.database.flag)")
    }

    /// There is no database, and what was asked for makes none: more likely this is another folder, or the path is mistyped.
    var missing: Fault {
        guard hasFolder else { return missingFolder }
        return Fault(
            problem: "there is no database at \(absolutePath)",
            remedy:
                "Run this in the folder where the server runs, or name its database with \(Settings.database.flag). "
                + "To create a new one, run `walletauth database migrate`; in the sandbox, `walletauth serve` also does"
        )
    }
}

extension Fault {
    /// The master key is another one than the database's.
    static var wrongMasterKey: Fault {
        Fault(
            problem: "the master key does not open the database's keys",
            remedy: "Give the key that the database was created with, using \(Settings.masterKeyFile.flag), "
                + "\(Settings.masterKeyCommand.flag) or \(Settings.masterKey.environmentVariable). Without it the "
                + "database is useless: nothing in it can be read")
    }

    /// The database was served under another issuer before.
    static func otherIssuer(recorded: String, configured: String) -> Fault {
        Fault(
            problem: "the database belongs to the issuer \(recorded), but this configuration says \(configured)",
            remedy: "Give \(Settings.issuer.flag) \(recorded); or, to change it on purpose, run `walletauth database"
                + " change-issuer \(configured)`, after which \(PinnedIssuer.consequences)")
    }
}

extension SQLiteDatabase {
    /// Refuses a database of the other environment: test accounts and a generated key have no place in production, nor
    /// people's data in a sandbox, which shows messages to everyone.
    ///
    /// - Throws: `Refusal` that names the environment that the database belongs to.
    fileprivate func belong(to environment: ServerSettings.Environment) async throws {
        try await Schema.migrate(self, now: SystemClock().now())
        let owner = try await write { try Meta.establish("environment", as: environment.rawValue, on: $0) }
        guard owner == environment.rawValue else {
            throw Refusal(
                "the database belongs to the \(owner) environment: use --environment \(owner) or another --database")
        }
    }
}
