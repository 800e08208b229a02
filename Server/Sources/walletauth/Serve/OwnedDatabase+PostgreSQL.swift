import Core
import Kernel
import Logging
import Store
import StorePostgreSQL

/// A PostgreSQL database, which other processes may have open, and which may be older than what this machine has seen.
extension OwnedDatabase {
    /// Temporary files of a shared folder that are younger may be another process's.
    private static let unfinishedAge = Duration.seconds(60)

    static func openServer(
        _ configuration: ServerConfiguration, for use: DatabaseUse
    ) async throws -> OwnedDatabase {
        let location = configuration.database
        for path in [location.generatedMasterKeyPath, location.marksPath] {
            DurableFile.discardUnfinished(of: path, olderThan: unfinishedAge)
        }
        let file = SeenMarksFile(path: location.marksPath)
        let engine = try await OpenedEngine.open(configuration, for: use)
        let database = engine.database as? PostgreSQLDatabase
        // A command would say it each time that a standby is away.
        if use == .serving, let database { logHosts(of: database, Logger(configuration)) }
        do {
            // A damaged file must not prevent a restore from being declared.
            let seen: SeenMarks? = if use.declaresRestore { try? file.read() } else { try file.read() }
            let (version, marks, server) = try await state(of: engine.database)
            try requireSchema(version, of: location, for: use)
            let verdict = SeenMarks.verdict(on: marks, seen: seen, now: SystemClock().now())
            // Nor is a restore of another database declared: its own marks would be overwritten.
            guard verdict == .current || use.declaresRestore && verdict != .otherDatabase else {
                throw OlderDatabase(
                    description: verdict.explanation(database: location.shown, at: server, file: file.path))
            }
            if case .declaringRestore(let evenIfCurrent, let evenIfAway) = use {
                guard evenIfCurrent || verdict != .current else {
                    throw Refusal(.nothingLost(of: location.shown, unlessIn: seen == nil ? file.path : nil))
                }
                let unknown = database?.unaskedHosts.filter { !evenIfAway.contains($0.name) } ?? []
                guard unknown.isEmpty else { throw Refusal(.restoreWithout(unknown, at: server)) }
            }
            // An empty database knows no account: it is the wrong one, or a copy into it has yet to begin.
            if version == 0, use == .serving, configuration.environment == .production {
                throw Refusal(.emptyDatabase(location.shown), status: ExitStatus.outOfService)
            }
            let migration = try await migrate(engine.database, from: version, configuration)
            try await engine.database.belong(to: configuration.environment)

            let hasKeys = try await engine.database.read { try !DataKeys.all(on: $0).isEmpty }
            let isNew = configuration.masterKey.isToBeGenerated
            let masterKeys = try await configuration.masterKey.read(for: location, hasKeys: hasKeys)
            var found = try await establishMarks(in: engine.database, for: use)
            if use.declaresRestore {
                found.epoch = try await declareRestore(
                    of: engine.database, masterKeys: masterKeys, after: max(found.epoch, seen?.epoch ?? 0))
            }
            return try await watched(
                engine, configuration, for: use, masterKeys: masterKeys, migration: migration,
                createdKey: isNew ? location.generatedMasterKeyPath : nil, found: found, seen: seen, file: file)
        } catch let fault as MasterKeyFault {
            await engine.close()
            throw Refusal(.wrongMasterKey(fault), status: ExitStatus.outOfService)
        } catch let error as StoreError where error.code == .outcomeUnknown && use.declaresRestore {
            await engine.close()
            throw Refusal(.undecidedRestore(of: location.shown, error.reason))
        } catch {
            await engine.close()
            throw error
        }
    }

    /// What an operator should know of the hosts in the URL.
    private static func logHosts(of database: PostgreSQLDatabase, _ logger: Logger) {
        for host in database.unaskedHosts { logger.notice("\(host.words)") }
        guard database.hasSeveralHosts, !database.knowsTimeline else { return }
        logger.warning(
            """
            the timeline of the database's server cannot be read, so this server cannot tell which of two hosts was promoted later: \
            run `walletauth doctor`
            """)
    }

    /// - Returns: 0 and no marks for an empty database, and the server that has it.
    private static func state(
        of database: any Database
    ) async throws -> (version: Int64, marks: DatabaseMarks?, server: String?) {
        try await database.read { connection in
            // The engine has refused a schema of another program.
            let row = try connection.row("SELECT to_regclass('schema_migrations') IS NOT NULL AS is_migrated", [])
            let version = try row?.integer("is_migrated") == 1 ? Schema.version(on: connection) : 0
            return (version, try version > 0 ? DatabaseMarks.read(on: connection) : nil, connection.serverName)
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

    /// Migrates the schema, and says so if that takes long: another process may be doing it, or hold a lock on a table.
    private static func migrate(
        _ database: any Database, from version: Int64, _ configuration: ServerConfiguration
    ) async throws -> Schema.Report {
        guard version < Schema.newest else { return Schema.Report(from: version, to: version) }
        let logger = Logger(configuration)
        let notice = Task {
            try await Task.sleep(for: .seconds(2))
            logger.notice(
                """
                the schema of the database is being migrated, by this process or another one: waiting for it, or for another \
                session's lock on a table
                """,
                metadata: ["from": .stringConvertible(version), "to": .stringConvertible(Schema.newest)])
        }
        defer { notice.cancel() }
        do {
            return try await Schema.migrate(database, now: SystemClock().now())
        } catch let error as StoreError where error.code == .accessDenied {
            throw Refusal(
                "the role may not change the schema of \(configuration.database.shown), which is at version \(version) "
                    + "and must be at \(Schema.newest) (\(error.reason)): run `walletauth database migrate` as the "
                    + "owner of its tables, or grant CREATE on the schema")
        }
    }

    private static func establishMarks(
        in database: any Database, for use: DatabaseUse
    ) async throws -> DatabaseMarks {
        let found = try await database.read { try DatabaseMarks.read(on: $0) }
        guard found.database == nil || use == .serving else { return found }
        let (identity, now) = (randomName(), SystemClock().now())
        return try await database.write { try DatabaseMarks.established(identity, now: now, on: $0) }
    }

    /// Marks a database as restored, as the first step of a restore's effects. If they are interrupted, no server starts.
    /// - Returns: the number of the restore.
    /// - Throws: `MasterKeyFault` if no key is the database's; nothing was changed then.
    private static func declareRestore(
        of database: any Database, masterKeys: MasterKeys, after known: Int64
    ) async throws -> Int64 {
        let now = SystemClock().now()
        _ = try await masterKeys.examine(database, now: now)
        _ = try await database.write { try $0.execute(PendingRestore.marking, []) }
        return RestoreEpoch.next(after: known, now: now)
    }

    private static func watched(
        _ engine: OpenedEngine, _ configuration: ServerConfiguration, for use: DatabaseUse, masterKeys: MasterKeys,
        migration: Schema.Report, createdKey: String?, found: DatabaseMarks, seen: SeenMarks?, file: SeenMarksFile
    ) async throws -> OwnedDatabase {
        guard let identity = found.database, let report = engine.report else {
            throw Refusal("the database \(configuration.database.shown) has no identity: start again")
        }
        var remembered = SeenMarks(database: identity, epoch: found.epoch, marks: found.marks)
        let now = SystemClock().now()
        if let seen, seen.database == identity, seen.epoch == found.epoch { remembered.add(seen.marks, now: now) }
        let keeper = MarkKeeper(
            process: use == .serving ? randomName() : MarkKeeper.command(), database: engine.database,
            shown: configuration.database.shown, file: file, seen: remembered,
            savesFile: use == .serving, logger: Logger(configuration)
        ) { report.end($0) }
        report.watch(with: keeper)
        // Since the marks were compared, the connection may have been lost, and replaced by one to another server.
        if !use.declaresRestore,
            let ending = try await engine.database.read({ try keeper.examine($0, marksLoss: false) })
        {
            throw OlderDatabase(description: ending.reason)
        }
        if use == .serving {
            if configuration.environment == .production { try await requireSaved(remembered, in: file, now: now) }
            await keeper.save()
        }
        return OwnedDatabase(
            engine: engine.watched(by: keeper),
            masterKeys: masterKeys, migration: migration, keeper: keeper, epoch: found.epoch, createdKey: createdKey,
            appliesRestore: use.declaresRestore)
    }

    /// Refuses to serve in production if the marks cannot be saved, for instance because another user has the lock's file.
    private static func requireSaved(_ seen: SeenMarks, in file: SeenMarksFile, now: Timestamp) async throws {
        do {
            try await file.save(seen, now: now)
        } catch let error as FileLock.Held {
            throw Refusal(
                "\(file.path) cannot be written (\(error)), so an older database would not be noticed after a restart: "
                    + "end that process, or resume it if it is suspended")
        } catch {
            throw Refusal(
                "\(file.path) cannot be written (\(error)), so an older database would not be noticed after a restart: "
                    + "make the user who runs the server the owner of it and its .lock",
                status: ExitStatus.outOfService)
        }
    }
}
