import AuthAdministration
import AuthCore
import AuthFoundation
import AuthStore
import Logging
import WalletAuthWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// An open database with the current schema, and its master key. A SQLite database is locked for this process; a PostgreSQL
/// database may have others.
struct OwnedDatabase: Sendable {
    let engine: OpenedEngine
    let masterKey: MasterKey
    /// Watches the age of a PostgreSQL database; `nil` with SQLite.
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
        guard configuration.database.hasFolder else { throw Refusal(configuration.database.missingFolder) }
        guard configuration.database.isPostgreSQL else { return try await openFile(configuration) }
        // Without its file, the next start could not notice an older database.
        if use == .serving, configuration.environment == .production, let reason = configuration.database.writeFailure {
            throw Refusal(configuration.database.unwritableFolder(reason))
        }
        return try await openServer(configuration, for: use)
    }

    private static func openFile(_ configuration: ServerConfiguration) async throws -> OwnedDatabase {
        let masterKey = try await configuration.masterKey.read(for: configuration.database)
        let engine = try await OpenedEngine.open(configuration, for: .serving)
        // This process now owns the database, so no other process writes these files.
        DurableFile.discardUnfinished(of: configuration.database.generatedMasterKeyPath)
        DurableFile.discardUnfinished(of: configuration.database.epochPath)
        do {
            try await engine.database.belong(to: configuration.environment)
            return OwnedDatabase(
                engine: engine, masterKey: masterKey, keeper: nil, epoch: nil, createdKey: nil, appliesRestore: true)
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

    /// Flushes writes, and releases the database's lock or leaves its group.
    func close() async {
        await engine.close()
    }
}

// MARK: PostgreSQL

extension OwnedDatabase {
    /// Temporary files of a shared folder that are younger may be another process's.
    private static let unfinishedAge = Duration.seconds(60)

    private static func openServer(
        _ configuration: ServerConfiguration, for use: DatabaseUse
    ) async throws -> OwnedDatabase {
        let location = configuration.database
        for path in [location.generatedMasterKeyPath, location.marksPath] {
            DurableFile.discardUnfinished(of: path, olderThan: unfinishedAge)
        }
        let file = SeenMarksFile(path: location.marksPath)
        let engine = try await OpenedEngine.open(configuration, for: use)
        do {
            // A damaged file must not prevent a restore from being declared.
            let seen: SeenMarks? = if use.declaresRestore { try? file.read() } else { try file.read() }
            let version = try await schemaVersion(of: engine.database)
            try requireSchema(version, of: location, for: use)
            if case .declaringRestore(let evenIfCurrent) = use {
                if !evenIfCurrent { try await requireOlder(engine.database, seen: seen, file: file, location) }
            } else {
                try await requireCurrent(engine.database, at: version, seen: seen, file: file, location)
            }
            // An empty database knows no account: it is the wrong one, or a copy into it has yet to begin.
            if version == 0, use == .serving, configuration.environment == .production {
                throw Refusal(.emptyDatabase(location.shown))
            }
            try await migrate(engine.database, from: version, configuration)
            try await engine.database.belong(to: configuration.environment)

            let hasKeys = try await engine.database.read { try !DataKeys.all(on: $0).isEmpty }
            let isNew = configuration.masterKey.isToBeGenerated
            let masterKey = try await configuration.masterKey.read(for: location, hasKeys: hasKeys)
            var found = try await establishMarks(in: engine.database, for: use)
            if use.declaresRestore {
                found.epoch = try await declareRestore(
                    of: engine.database, masterKey: masterKey, after: max(found.epoch, seen?.epoch ?? 0))
            }
            return try watched(
                engine, configuration, for: use, masterKey: masterKey,
                createdKey: isNew ? location.generatedMasterKeyPath : nil, found: found, seen: seen, file: file)
        } catch is MasterKeyFault {
            await engine.close()
            throw Refusal(.wrongMasterKey)
        } catch {
            await engine.close()
            throw error
        }
    }

    /// - Returns: 0 for an empty database.
    private static func schemaVersion(of database: any Database) async throws -> Int64 {
        try await database.read { connection in
            // The engine has refused a schema of another program.
            let row = try connection.row("SELECT to_regclass('schema_migrations') IS NOT NULL AS is_migrated", [])
            return try row?.integer("is_migrated") == 1 ? try Schema.version(on: connection) : 0
        }
    }

    /// Servers of another version may be running, so only some commands change the schema.
    private static func requireSchema(
        _ version: Int64, of location: DatabaseLocation, for use: DatabaseUse
    ) throws {
        if let refusal = Schema.refusal(of: version, subject: "the database \(location.shown)") { throw refusal }
        if use.declaresRestore, version == 0 {
            throw Refusal(
                "the database \(location.shown) is empty: restore it with PostgreSQL's tools first; nothing was changed"
            )
        }
        guard !use.migrates, version < Schema.newest else { return }
        throw Refusal(
            version == 0
                ? "the database \(location.shown) is empty: run `walletauth database migrate`, or start a server"
                : "the database \(location.shown) has schema \(version), but this command needs \(Schema.newest): run "
                    + "`walletauth database migrate`, or use the program of the version that the servers run")
    }

    /// Refuses a database that lacks what this machine has seen. An empty one in its place is another database.
    private static func requireCurrent(
        _ database: any Database, at version: Int64, seen: SeenMarks?, file: SeenMarksFile, _ location: DatabaseLocation
    ) async throws {
        var verdict = SeenMarks.Verdict.otherDatabase
        if version > 0 {
            let found = try await database.read { try DatabaseMarks.read(on: $0) }
            verdict =
                seen?.verdict(on: found, now: SystemClock().now())
                ?? (found.isRestorePending ? .restorePending : .current)
        } else if seen == nil {
            verdict = .current
        }
        guard verdict == .current else {
            throw OlderDatabase(
                description: MarkKeeper.reason(
                    verdict, database: location.shown, at: database.server, file: file.path))
        }
    }

    /// Refuses to declare a restore of a database that lacks nothing, as far as this machine knows: it would sign everyone
    /// out.
    private static func requireOlder(
        _ database: any Database, seen: SeenMarks?, file: SeenMarksFile, _ location: DatabaseLocation
    ) async throws {
        let found = try await database.read { try DatabaseMarks.read(on: $0) }
        guard let reason = SeenMarks.doubt(about: found, seen: seen, in: file.path, now: SystemClock().now()) else {
            return
        }
        throw Refusal(
            "\(reason), and `database restored` signs everyone out. If PostgreSQL's tools have restored "
                + "\(location.shown) nevertheless, repeat the command with --even-if-current before a server starts; "
                + "nothing was changed")
    }

    /// Migrates the schema, and says so if that takes long: another process may hold the lock.
    private static func migrate(
        _ database: any Database, from version: Int64, _ configuration: ServerConfiguration
    ) async throws {
        guard version < Schema.newest else { return }
        let logger = Logger(configuration)
        let notice = Task {
            try await Task.sleep(for: .seconds(2))
            logger.notice(
                "the schema of the database is being migrated, by this process or another one: waiting for it",
                metadata: ["from": "\(version)", "to": "\(Schema.newest)"])
        }
        defer { notice.cancel() }
        do {
            try await Schema.migrate(database, now: SystemClock().now())
        } catch let error as StoreError where error.code == .accessDenied {
            throw Refusal(
                "the role may not change the schema of \(configuration.database.shown), which is at version \(version) "
                    + "and has to be at \(Schema.newest) (\(error.reason)): run `walletauth database migrate` as the "
                    + "owner of its tables, or grant CREATE on the schema")
        }
    }

    /// Gives the database its identity, and removes marks that no machine compares any more.
    private static func establishMarks(
        in database: any Database, for use: DatabaseUse
    ) async throws -> DatabaseMarks {
        let found = try await database.read { try DatabaseMarks.read(on: $0) }
        guard found.database == nil || use == .serving else { return found }
        let identity = randomName()
        let limit = SystemClock().now() - SeenMarks.lifetime
        return try await database.write { connection in
            _ = try DatabaseMarks.establish(identity, on: connection)
            try DatabaseMarks.removeMarks(before: limit, on: connection)
            return try DatabaseMarks.read(on: connection)
        }
    }

    /// Marks a database as restored, as the first step of a restore's effects. If they are interrupted, no server starts.
    /// - Returns: the number of the restore.
    /// - Throws: `MasterKeyFault` if the key is not the database's; nothing was changed then.
    private static func declareRestore(
        of database: any Database, masterKey: MasterKey, after known: Int64
    ) async throws -> Int64 {
        let now = SystemClock().now()
        try await masterKey.examine(database, now: now)
        _ = try await database.write { try $0.execute(PendingRestore.marking, []) }
        return RestoreEpoch.next(after: known, now: now)
    }

    private static func watched(
        _ engine: OpenedEngine, _ configuration: ServerConfiguration, for use: DatabaseUse, masterKey: MasterKey,
        createdKey: String?, found: DatabaseMarks, seen: SeenMarks?, file: SeenMarksFile
    ) throws -> OwnedDatabase {
        guard let identity = found.database, let report = engine.report else {
            throw Refusal("the database \(configuration.database.shown) has no identity: start again")
        }
        var remembered = SeenMarks(database: identity, epoch: found.epoch, marks: found.marks)
        let now = SystemClock().now()
        if let seen, seen.database == identity, seen.epoch == found.epoch { remembered.add(seen.marks, now: now) }
        let keeper = MarkKeeper(
            process: use == .serving ? randomName() : MarkKeeper.commands, database: engine.database,
            shown: configuration.database.shown, file: file, seen: remembered,
            savesFile: use == .serving || use.declaresRestore, logger: Logger(configuration)
        ) { report.end($0) }
        report.inform(keeper)
        if use == .serving { keeper.save() }
        let close = engine.close
        return OwnedDatabase(
            engine: OpenedEngine(
                database: MarkedDatabase(engine.database, keeper: keeper), maintenance: nil, report: report,
                close: {
                    await keeper.finish()
                    await close()
                }),
            masterKey: masterKey, keeper: keeper, epoch: found.epoch, createdKey: createdKey,
            appliesRestore: use.declaresRestore)
    }

    private static func randomName() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36)
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

    /// Tries to write a file next to the others.
    /// - Returns: why that fails; `nil` if it does not.
    fileprivate var writeFailure: String? {
        DurableFile.failureToWrite(nextTo: marksPath)?.description
    }

    fileprivate func unwritableFolder(_ reason: String) -> Fault {
        Fault(
            problem: "the folder \(folder) of \(Settings.postgreSQLFolder.name) cannot be written (\(reason)), so an "
                + "older database would not be noticed after a restart",
            remedy: "Give it to the user who runs the server, or choose another with "
                + "\(Settings.postgreSQLFolder.flag)")
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

    /// Two machines began with an empty database at once, and the other one's key came first.
    static func keyOfAnotherMachine(_ path: String) -> Fault {
        Fault(
            problem: "another machine has just created the keys of this database, under its own master key",
            remedy: "Copy the file \(path) from there; the one that was created here has been removed")
    }

    /// In production only a command creates the schema of a PostgreSQL database.
    static func emptyDatabase(_ shown: String) -> Fault {
        Fault(
            problem: "the database \(shown) is empty",
            remedy: "Check its name. If it is the right one, run `walletauth database migrate` for a new installation, "
                + "or `walletauth database copy` to bring the accounts of another database; in production, a server creates "
                + "no schema")
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
