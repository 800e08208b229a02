import AuthCore
import AuthStore
import AuthStorePostgreSQL
import AuthStoreSQLite
import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open database: the port, and what only some engines have.
struct OpenedEngine: Sendable {
    let database: any Database
    /// `nil` with PostgreSQL, which has its own tools.
    let maintenance: (any DatabaseMaintenance)?
    /// Flushes writes and lets other processes use the database.
    let close: @Sendable () async -> Void
}

extension OpenedEngine {
    /// The largest difference between the server's clock and this machine's. Codes, proofs and the order of events
    /// depend on the clock.
    static let clockTolerance = Duration.seconds(2)

    /// Opens the database. Ends the process if it can no longer be used: see ``StorageReport`` and ``PostgreSQLReport``.
    ///
    /// - Throws: `Refusal`, or `StoreError`, with code `owned` if another process uses it.
    static func open(_ configuration: ServerConfiguration) async throws -> OpenedEngine {
        switch configuration.database.engine {
        case .sqlite: try openFile(configuration)
        case .postgreSQL(let url): try await openServer(url, configuration)
        }
    }

    private static func openFile(_ configuration: ServerConfiguration) throws -> OpenedEngine {
        let report = StorageReport(
            logger: Logger(configuration), failures: DiskFailures(configuration.database))
        do {
            let database = try SQLiteDatabase.open(
                path: configuration.database.path,
                options: SQLiteOptions(
                    logLimitPages: configuration.logLimit << 8, report: { event in report.take(event) }))
            return OpenedEngine(database: database, maintenance: database, close: { await database.close() })
        } catch let error as StoreError where error.code == .diskFailed {
            report.end(because: error)
        }
    }

    private static func openServer(
        _ url: SecretText, _ configuration: ServerConfiguration
    ) async throws -> OpenedEngine {
        let report = PostgreSQLReport(logger: Logger(configuration))
        let shown = configuration.database.shown
        // The files in the folder belong to one database, and so does the socket.
        let folder = try OwnerLock(beside: configuration.database.path)
        let database: PostgreSQLDatabase
        do {
            database = try await PostgreSQLDatabase.join(
                url.reveal(), options: PostgreSQLOptions(connections: configuration.postgreSQLConnections), as: .member
            ) { event in report.take(event) }
        } catch let error as StoreError where error.code != .owned {
            throw Refusal("the database \(shown) cannot be used: \(error.reason)")
        }
        do {
            let difference = try await database.state().clockDifference
            guard difference.magnitude <= clockTolerance else {
                throw Refusal(.differentClocks(difference))
            }
        } catch {
            await database.close()
            throw error
        }
        let close: @Sendable () async -> Void = {
            await database.close()
            folder.release()
        }
        return OpenedEngine(database: database, maintenance: nil, close: close)
    }
}

extension Duration {
    /// Without the sign.
    var magnitude: Duration { self < .zero ? .zero - self : self }
}

extension Fault {
    /// - Parameter difference: the database's clock less this machine's.
    static func differentClocks(_ difference: Duration) -> Fault {
        let direction = difference < .zero ? "behind" : "ahead of"
        return Fault(
            problem: "the database server's clock is \(difference.magnitude.asSetting) \(direction) this machine's",
            remedy: "Synchronize both with NTP; at most \(OpenedEngine.clockTolerance.asSetting) are allowed")
    }
}

/// Logs what the PostgreSQL engine reports, and ends the process if another one has taken the database
/// for itself.
struct PostgreSQLReport: Sendable {
    let logger: Logger

    /// Handles an event, on a thread of the engine.
    func take(_ event: PostgreSQLEvent) {
        switch event {
        case .membershipLost:
            logger.error("the connection to the database was lost: writes are refused until it is back")
        case .membershipRegained:
            logger.notice("the connection to the database is back: writes are accepted")
        case .databaseTaken(let error):
            // What this process remembers may already be out of date, so it stops at once.
            logger.critical("the server is stopping", metadata: ["reason": "\(error.reason)"])
            _exit(ExitStatus.databaseTaken)
        }
    }
}
