import AuthAdministration
import AuthCore
import AuthFoundation
import AuthStore
import WalletAuthWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The database with the current schema, locked for this process, and its master key.
struct OwnedDatabase: Sendable {
    let engine: OpenedEngine
    let masterKey: MasterKey

    var database: any Database { engine.database }

    /// Opens the database, and creates it if there is none. The caller decides whether that is allowed.
    ///
    /// - Throws: `Refusal`, or `StoreError` with code `owned` if another process holds the lock.
    static func open(_ configuration: ServerConfiguration) async throws -> OwnedDatabase {
        guard configuration.database.hasFolder else { throw Refusal(configuration.database.missingFolder) }
        let masterKey = try await configuration.masterKey.read(for: configuration.database)
        let engine = try await OpenedEngine.open(configuration)
        // This process now owns the database, so no other process writes these files.
        DurableFile.discardUnfinished(of: configuration.database.generatedMasterKeyPath)
        DurableFile.discardUnfinished(of: configuration.database.epochPath)
        do {
            try await engine.database.belong(to: configuration.environment)
            return OwnedDatabase(engine: engine, masterKey: masterKey)
        } catch {
            await engine.close()
            throw error
        }
    }

    /// Records the issuer at the first start, and compares it at later ones.
    ///
    /// - Throws: `Refusal` if the database belongs to another issuer.
    func belong(to issuer: Issuer) async throws {
        let recorded = try await PinnedIssuer.establish(issuer, in: database)
        guard recorded == issuer.rawValue else {
            throw Refusal(.otherIssuer(recorded: recorded, configured: issuer.rawValue))
        }
    }

    /// Flushes writes and releases the database's lock.
    func close() async {
        await engine.close()
    }
}

extension DatabaseLocation {
    /// A PostgreSQL database was created by its administrator, so a mistyped name is refused by the server.
    var exists: Bool { isPostgreSQL || FileStatus(path: path) != nil }

    /// The absolute path, independent of the working directory.
    private var absolutePath: String { URL(filePath: path).absoluteURL.path }
    private var folder: String { URL(filePath: path).absoluteURL.deletingLastPathComponent().path }

    fileprivate var hasFolder: Bool { FileStatus(path: folder)?.kind == .directory }

    fileprivate var missingFolder: Fault {
        Fault(
            problem: "there is no folder \(folder) for \(isPostgreSQL ? "the files of the database" : "the database")",
            remedy: "Create it with `mkdir -p \(folder)`, or choose another "
                + (isPostgreSQL ? "with \(Settings.postgreSQLFolder.flag)" : "database with \(Settings.database.flag)"))
    }

    /// There is no database, and the command does not create one. More likely it ran in the wrong folder, or the path
    /// is mistyped.
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
    static var wrongMasterKey: Fault {
        Fault(
            problem: "the master key does not open the database's keys",
            remedy: "Give the key that the database was created with, using \(Settings.masterKeyFile.flag), "
                + "\(Settings.masterKeyCommand.flag) or \(Settings.masterKey.environmentVariable). Without it the "
                + "database is useless: nothing in it can be read")
    }

    static func otherIssuer(recorded: String, configured: String) -> Fault {
        Fault(
            problem: "the database belongs to the issuer \(recorded), but this configuration says \(configured)",
            remedy: "Give \(Settings.issuer.flag) \(recorded); or, to change it deliberately, run `walletauth database"
                + " change-issuer \(configured)`, after which \(PinnedIssuer.consequences)")
    }
}

extension Database {
    /// Refuses a database of the other environment. Test accounts and a generated key do not belong in production, and
    /// people's data does not belong in a sandbox, which shows messages to everyone.
    ///
    /// - Throws: `Refusal` that names the environment of the database.
    fileprivate func belong(to environment: ServerSettings.Environment) async throws {
        try await Schema.migrate(self, now: SystemClock().now())
        try await refuseUnfinishedCopy()
        let owner = try await write { try Meta.establish("environment", as: environment.rawValue, on: $0) }
        guard owner == environment.rawValue else {
            throw Refusal(
                "the database belongs to the \(owner) environment: use --environment \(owner) or another --database")
        }
    }
}
