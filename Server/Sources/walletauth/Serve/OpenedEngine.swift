import Core
import Kernel
import Logging
import Programs
import Store
import StorePostgreSQL
import StoreSQLite

/// An open database: the port, and what only some engines have.
struct OpenedEngine: Sendable {
    let database: any Database
    /// `nil` with PostgreSQL, which has its own tools.
    let maintenance: (any DatabaseMaintenance)?
    /// What the PostgreSQL engine reports; `nil` with SQLite.
    let report: PostgreSQLReport?
    /// Flushes writes and lets other processes use the database.
    let close: @Sendable () async -> Void
}

extension OpenedEngine {
    /// The largest difference between the server's clock and this machine's. Codes, proofs and the order of events
    /// depend on the clock.
    static let clockTolerance = Duration.seconds(2)

    /// The connections of a command, which makes one call after the other.
    private static let commandConnections = 2

    /// Opens the database. Ends the process if it can no longer be used: see ``StorageReport`` and ``PostgreSQLReport``.
    ///
    /// - Throws: `Refusal`, or `StoreError`, with code `owned` if another process keeps this one away.
    static func open(_ configuration: ServerConfiguration, for use: DatabaseUse) async throws -> OpenedEngine {
        switch configuration.database.engine {
        case .sqlite: try openFile(configuration)
        case .postgreSQL(let url): try await openServer(url, configuration, for: use)
        }
    }

    private static func openFile(_ configuration: ServerConfiguration) throws -> OpenedEngine {
        let report = StorageReport(
            logger: Logger(configuration), failures: DiskFailures(configuration.database))
        do {
            let database = try SQLiteDatabase.open(
                path: configuration.database.path,
                options: SQLiteOptions(
                    logLimitPages: configuration.walLimit << 8, report: { event in report.take(event) }))
            return OpenedEngine(
                database: database, maintenance: database, report: nil, close: { await database.close() })
        } catch let error as StoreError where error.code == .diskFailed {
            report.end(because: error)
        }
    }

    private static func openServer(
        _ url: SecretText, _ configuration: ServerConfiguration, for use: DatabaseUse
    ) async throws -> OpenedEngine {
        let report = PostgreSQLReport(logger: Logger(configuration))
        let database: PostgreSQLDatabase
        do {
            database = try await PostgreSQLDatabase.join(
                url.reveal(), options: options(configuration, for: use), as: use.isExclusive ? .alone : .member,
                examine: { try report.examine($0) }, report: { report.take($0) })
        } catch let error as StoreError where error.code != .owned {
            throw Refusal(
                "the database \(configuration.database.shown) cannot be used: \(error.explanation)",
                status: error.exitStatus)
        }
        do {
            _ = try await examine(database, in: configuration.environment, setting: Settings.database.name)
        } catch {
            await database.close()
            throw error
        }
        return OpenedEngine(
            database: database, maintenance: nil, report: report, close: { await database.close() })
    }

    /// Refuses a server whose clock differs, and in production a connection that the network can read or redirect.
    /// - Parameter setting: has the database's URL.
    /// - Returns: the server's state.
    /// - Throws: `Refusal`, or `StoreError`.
    static func examine(
        _ database: PostgreSQLDatabase, in environment: ServerSettings.Environment, setting: String
    ) async throws -> PostgreSQLState {
        let state = try await database.state()
        // The environment may have changed where a URL leads to, and a proxy on this machine may go on without TLS.
        let isPrivate = database.isProtected && state.transport != .unencrypted
        let fault = fault(
            clockDifference: state.clockDifference, isPrivate: isPrivate, in: environment, setting: setting)
        guard let fault else { return state }
        // Clocks may agree later.
        throw Refusal(fault, status: isPrivate || environment == .sandbox ? 1 : ExitStatus.outOfService)
    }

    static func fault(
        clockDifference: Duration, isPrivate: Bool, in environment: ServerSettings.Environment, setting: String
    ) -> Fault? {
        guard clockDifference.magnitude <= clockTolerance else { return .differentClocks(clockDifference) }
        return environment == .sandbox || isPrivate ? nil : .unprotectedDatabase(in: setting)
    }

    private static func options(_ configuration: ServerConfiguration, for use: DatabaseUse) -> PostgreSQLOptions {
        let connections = configuration.postgreSQLConnections
        var options = PostgreSQLOptions(
            connections: use == .serving ? connections : min(connections, commandConnections))
        options.allowsSessionPooler = configuration.postgreSQLPooler == .session
        options.version = ProgramVersion.current
        options.probes = use == .serving
        return options
    }
}

extension Duration {
    /// Without the sign.
    var magnitude: Duration { self < .zero ? .zero - self : self }
}

extension Fault {
    /// - Parameter difference: the database's clock less this machine's.
    static func differentClocks(_ difference: Duration) -> Fault {
        Fault(
            ClockVerdict.differsFromDatabase(by: difference).explanation,
            "Synchronize both with NTP; at most \(OpenedEngine.clockTolerance.asSetting) are allowed")
    }
}

/// Logs what the PostgreSQL engine reports, and ends the process if another one has taken the database, or if the server that the
/// engine finds after a loss is an older one.
final class PostgreSQLReport: Sendable {
    private let logger: Logger
    private let keeper = LockedValue<MarkKeeper?>(nil)

    init(logger: Logger) {
        self.logger = logger
    }

    /// From now on a keeper examines each server that the engine finds after a loss of the connection.
    func watch(with keeper: MarkKeeper) {
        self.keeper.withLock { $0 = keeper }
    }

    /// Examines a server before the engine uses it.
    /// - Throws: ``StoreError`` with code `unavailable` if the process has to end because of it.
    func examine(_ connection: any SQLConnection) throws {
        guard let keeper = keeper.withLock({ $0 }) else { return }
        try keeper.require()
        guard let ending = try keeper.examine(connection, marksLoss: true) else { return }
        Task { await keeper.leave(ending) }
        throw StoreError(.unavailable, ending.reason)
    }

    /// Handles an event, on a thread of the engine.
    func take(_ event: PostgreSQLEvent) {
        switch event {
        case .membershipLost(let error):
            logger.error(
                "the connection to the database was lost: writes are refused until it is back",
                metadata: ["reason": "\(error.reason)"])
        case .membershipRegained(let server, let unasked):
            var metadata: Logger.Metadata = ["server": "\(server)"]
            if !unasked.isEmpty { metadata["unasked"] = "\(unasked.joined(separator: "; "))" }
            logger.notice("connected to the database again: writes are accepted", metadata: metadata)
        case .otherPrimaries(let hosts, let server):
            logger.error(
                "another host also accepts writes: stop the wrong one; until then no server starts",
                metadata: ["server": "\(server)", "others": "\(hosts.joined(separator: ", "))"])
        case .databaseTaken(let error):
            // What this process remembers may already be out of date, so it stops at once.
            logger.critical("the server is stopping", metadata: ["reason": "\(error.reason)"])
            _exit(ExitStatus.databaseTaken)
        }
    }

    /// Ends the process, as a ``MarkKeeper`` demands it.
    func end(_ ending: MarkKeeper.Ending) -> Never {
        switch ending {
        case .older:
            // The keeper has logged the reason.
            _exit(ExitStatus.olderDatabase)
        case .restored(let reason):
            logger.critical("the server is stopping; start it again", metadata: ["reason": "\(reason)"])
            _exit(ExitStatus.databaseTaken)
        }
    }
}
