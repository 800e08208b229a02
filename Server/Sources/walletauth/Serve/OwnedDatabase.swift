import Core
import Kernel
import Operations
import Store
import WalletAuthWire

/// An open database with the current schema, and its master keys. A SQLite database is locked for this process; a PostgreSQL
/// database may have others.
struct OwnedDatabase: Sendable {
    let engine: OpenedEngine
    let masterKeys: MasterKeys
    /// What opening it has done to its schema.
    let migration: Schema.Report
    /// Watches the age of the database; `nil` for a command on a SQLite database, which is compared when it opens.
    let keeper: MarkKeeper?
    /// With PostgreSQL, the number of the last restore. SQLite's is in a file.
    let epoch: Int64?
    /// The file of a master key that this start has created.
    let createdKey: String?
    /// Whether this process applies the effects of a restore. With PostgreSQL only the command that declares one does, since
    /// servers may be running.
    let appliesRestore: Bool

    var database: any Database { engine.database }

    /// Opens the database, and creates it if there is none. The caller decides whether that is allowed.
    ///
    /// - Throws: `Refusal`, `OlderDatabase`, or `StoreError` with code `owned` if another process keeps this one away.
    static func open(
        _ configuration: ServerConfiguration, for use: DatabaseUse = .serving
    ) async throws -> OwnedDatabase {
        guard configuration.database.hasFolder else {
            throw Refusal(configuration.database.missingFolder, status: ExitStatus.outOfService)
        }
        guard configuration.database.isPostgreSQL else { return try await openFile(configuration, for: use) }
        // Without its file, the next start could not notice an older database.
        if use == .serving, configuration.environment == .production, let reason = configuration.database.writeFailure {
            throw Refusal(configuration.database.unwritableFolder(reason), status: ExitStatus.outOfService)
        }
        return try await openServer(configuration, for: use)
    }

    /// Records the issuer at the first start, and compares it at later ones.
    ///
    /// - Throws: `Refusal` if the database belongs to another issuer.
    func belong(to issuer: Issuer) async throws {
        let recorded = try await PinnedIssuer.establish(issuer, in: database)
        guard recorded == issuer.rawValue else {
            throw Refusal(
                .otherIssuer(recorded: recorded, configured: issuer.rawValue), status: ExitStatus.outOfService)
        }
    }

    /// Flushes writes, and releases the database's lock or leaves its group.
    func close() async {
        await engine.close()
    }

    /// For databases and processes.
    static func randomName() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36)
    }
}

extension DatabaseMarks {
    /// Gives a database its identity unless it has one, removes marks that no machine compares any more, and reads the others.
    static func established(
        _ identity: String, now: Timestamp, on connection: any SQLConnection
    ) throws -> DatabaseMarks {
        _ = try establish(identity, on: connection)
        try removeMarks(before: now - SeenMarks.lifetime, on: connection)
        return try read(on: connection)
    }
}

extension Database {
    /// Refuses a database of the other environment. Test accounts and a generated key do not belong in production, and
    /// people's data does not belong in a sandbox, which shows messages to everyone. The schema is the newest.
    ///
    /// - Throws: `Refusal` that names the environment of the database.
    func belong(to environment: ServerSettings.Environment) async throws {
        try await refuseUnfinishedCopy()
        let owner = try await write { try Meta.establish("environment", as: environment.rawValue, on: $0) }
        guard owner == environment.rawValue else {
            throw Refusal(
                "the database belongs to the \(owner) environment: use --environment \(owner) or another --database",
                status: ExitStatus.outOfService)
        }
    }
}
