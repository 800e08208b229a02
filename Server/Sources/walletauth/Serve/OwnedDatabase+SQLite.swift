import Core
import Kernel
import Logging
import Store

/// A SQLite database, which may be older than what this machine has seen: its write-ahead log was removed after a crash, or an older
/// copy was put into its place. What it would honor again was revoked.
extension OwnedDatabase {
    /// The name of the mark. One process at a time has the database.
    private static let markOfOwner = "owner"

    static func openFile(_ configuration: ServerConfiguration, for use: DatabaseUse) async throws -> OwnedDatabase {
        let location = configuration.database
        if let fault = location.exposure { throw Refusal(fault, status: ExitStatus.outOfService) }
        if use.declaresRestore, FileStatus(path: location.path)?.size == 0 { throw Refusal(location.nothingRestored) }
        // The sandbox creates another one in the place of one that was removed.
        let isNew = !location.exists
        let masterKeys = try await configuration.masterKey.read(for: location)
        let engine: OpenedEngine
        do {
            engine = try await OpenedEngine.open(configuration, for: .serving)
        } catch {
            throw location.explained(error)
        }
        // This process now owns the database, so no other process writes these files.
        for path in [location.generatedMasterKeyPath, location.epochPath, location.marksPath] {
            DurableFile.discardUnfinished(of: path)
        }
        do {
            if use.declaresRestore, try await !hasTables(engine.database) { throw Refusal(location.nothingLeft) }
            let verdict: SeenMarks.Verdict =
                try await isNew ? .current : fileVerdict(on: engine.database, at: location)
            if use.declaresRestore {
                try requireLoss(verdict, of: location, orCurrent: use.declaresRestoreEvenIfCurrent)
            } else if verdict != .current {
                throw OlderDatabase(description: verdict.explanation(ofFile: location))
            }
            let migration = try await Schema.migrate(engine.database, now: SystemClock().now())
            try await engine.database.belong(to: configuration.environment)
            if use.declaresRestore {
                _ = try await engine.database.write { try $0.execute(PendingRestore.marking, []) }
            }
            let keeper: MarkKeeper? =
                try await use == .serving || use.declaresRestore ? fileKeeper(of: engine.database, configuration) : nil
            return OwnedDatabase(
                engine: keeper.map { engine.watched(by: $0) } ?? engine, masterKeys: masterKeys, migration: migration,
                keeper: keeper, epoch: nil, createdKey: nil, appliesRestore: true)
        } catch {
            await engine.close()
            throw location.explained(error)
        }
    }

    /// Compares a SQLite database with what this machine has seen of it.
    /// - Throws: `Refusal` if a file next to it is damaged.
    static func fileVerdict(
        on database: any Database, at location: DatabaseLocation
    ) async throws -> SeenMarks.Verdict {
        guard let seen = try SeenMarksFile(path: location.marksPath).read() else { return .current }
        // Otherwise the first migration was still in the log.
        guard try await hasTables(database) else {
            return .older(lacking: seen.marks.values.max().map { Timestamp(milliseconds: $0) })
        }
        let found = try await database.read { try DatabaseMarks.read(on: $0) }
        // The next start applies the effects of a restore.
        return try isRestored(found, at: location) ? .current : seen.verdict(on: found, now: SystemClock().now())
    }

    /// Whether the database is a copy whose restore has not had its effects yet.
    func isRestored(at location: DatabaseLocation) async throws -> Bool {
        try Self.isRestored(await database.read { try DatabaseMarks.read(on: $0) }, at: location)
    }

    private static func isRestored(_ found: DatabaseMarks, at location: DatabaseLocation) throws -> Bool {
        try found.isRestorePending || found.epoch != RestoreEpoch(database: location).read()
    }

    private static func hasTables(_ database: any Database) async throws -> Bool {
        try await database.read { connection in
            let tables = try connection.query("SELECT name FROM sqlite_master WHERE name = $1", [.text("meta")])
            return !tables.isEmpty
        }
    }

    /// `database restored` is for what no command has restored.
    private static func requireLoss(
        _ verdict: SeenMarks.Verdict, of location: DatabaseLocation, orCurrent evenIfCurrent: Bool
    ) throws {
        switch verdict {
        case .older: break
        case .current where evenIfCurrent: break
        case .current, .restorePending:
            throw Refusal(
                "\(location.path) has everything that this machine has seen, and a backup of it is restored with `walletauth "
                    + "database restore --from FILE`; nothing was changed")
        case .otherDatabase: throw OlderDatabase(description: verdict.explanation(ofFile: location))
        }
    }

    /// Raises the mark, so that a log that is removed later is missed, and remembers it.
    private static func fileKeeper(
        of database: any Database, _ configuration: ServerConfiguration
    ) async throws -> MarkKeeper {
        let identity = randomName()
        let now = SystemClock().now()
        let found = try await database.write { connection in
            var found = try DatabaseMarks.established(identity, now: now, on: connection)
            found.marks[Self.markOfOwner] = try DatabaseMarks.raise(
                Self.markOfOwner, after: found.marks[Self.markOfOwner], now: now, on: connection)
            return found
        }
        let location = configuration.database
        return MarkKeeper(
            process: markOfOwner, database: database, shown: location.path,
            file: SeenMarksFile(path: location.marksPath, isShared: false),
            seen: SeenMarks(database: found.database ?? identity, epoch: found.epoch, marks: found.marks),
            savesFile: true, isAlone: true,
            logger: Logger(configuration)
        ) { _ in
            // Nothing else writes the file while this process has it, and the keeper has logged what it found.
            _exit(ExitStatus.olderDatabase)
        }
    }
}

extension OpenedEngine {
    /// The same engine with a database whose age is watched.
    func watched(by keeper: MarkKeeper) -> OpenedEngine {
        OpenedEngine(
            database: MarkedDatabase(database, keeper: keeper), maintenance: maintenance, report: report,
            close: { [close] in
                await keeper.finish()
                await close()
            })
    }
}

extension SeenMarks.Verdict {
    /// The line for an operator of a SQLite database.
    func explanation(ofFile location: DatabaseLocation) -> String {
        let (path, marks) = (location.path, location.marksPath)
        return switch self {
        case .current: "the database \(path) is current"
        case .older(let lacking):
            "the database \(path) is older than what this machine has seen"
                + (lacking.map { ": it lacks writes of about \($0.text)" } ?? "")
                + ". If its write-ahead log \(path)-wal was moved or removed, or the file was replaced, put them back. If that is "
                + "impossible, restore a backup with `walletauth database restore --from FILE`, or go on without what is missing: "
                + "`walletauth database restored` ends every session, so that nothing which was revoked works again"
        case .restorePending: "the database \(path) is marked as restored"
        case .otherDatabase:
            "\(marks) belongs to a database other than \(path). Put that one back, or remove the file \(marks) if this is the "
                + "right database"
        }
    }
}
