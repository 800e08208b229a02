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

/// The server without its listeners: the database open and locked for this process alone, its keys unwrapped.
///
/// `serve` puts listeners before it; a subcommand that finds no server running uses it as it is.
struct OpenedServer: Sendable {
    let server: AuthorizationServer
    /// The engine, of which the flows see only the port.
    let database: SQLiteDatabase

    /// Opens the database, making or updating its schema and keys as needed.
    ///
    /// - Parameters:
    ///   - configuration: What was configured.
    ///   - issuer: The server's URL, once it is known what it listens on; what is configured, or would follow from it,
    ///     where left out.
    /// - Throws: `Refusal`, `MasterKeyFault` or `StoreError`, each of which says what to do or what happened.
    static func open(
        _ configuration: ServerConfiguration, issuer: Issuer? = nil, logger: Logger
    ) async throws -> OpenedServer {
        let masterKey = try await configuration.masterKey.read(for: configuration.database)
        let issuer = try issuer ?? configuration.issuer ?? configuration.sandboxIssuer(port: configuration.port)
        let database = try SQLiteDatabase.open(path: configuration.database.path)
        do {
            try await database.belong(to: configuration.environment)
            let context = try await ServerContext.open(
                database: database, upkeep: database, masterKey: masterKey,
                epoch: try RestoreEpoch(database: configuration.database).read(),
                settings: configuration.serverSettings(issuer: issuer), logger: logger)
            return OpenedServer(server: AuthorizationServer(context: context), database: database)
        } catch {
            await database.close()
            throw error
        }
    }

    /// Writes what is open, and gives the database's lock back.
    func close() async {
        await database.close()
    }
}

extension ServerConfiguration {
    /// What the flows are told of the configuration.
    fileprivate func serverSettings(issuer: Issuer) -> ServerSettings {
        let hashing = PasswordHashing(
            concurrency: passwordHashes ?? ProcessInfo.processInfo.activeProcessorCount, queueLimit: passwordQueue)
        return ServerSettings(environment: environment, issuer: issuer, passwordHashing: hashing)
    }

    /// The sandbox's own URL, where none is configured: what a client on this machine reaches it by.
    ///
    /// - Parameter port: The port listened on.
    func sandboxIssuer(port: Int) throws(Refusal) -> Issuer {
        let reachable = ["0.0.0.0": "127.0.0.1", "::": "[::1]"][host] ?? (host.contains(":") ? "[\(host)]" : host)
        let text = "\(tls == nil ? "http" : "https")://\(reachable):\(port)"
        do {
            return try Issuer(text)
        } catch {
            throw Refusal("\(text) is no issuer (\(error.reason)): give \(Settings.issuer.flag)")
        }
    }
}

extension SQLiteDatabase {
    /// Refuses a database of the other environment: test accounts and a generated key have no place in production, nor
    /// people's data in a sandbox that shows messages to whoever looks.
    ///
    /// - Throws: `Refusal` that names the environment that the database belongs to.
    fileprivate func belong(to environment: ServerSettings.Environment) async throws {
        try await Schema.migrate(self, now: SystemClock().now())
        let owner = try await write { try Meta.establish("environment", as: environment.rawValue, on: $0) }
        guard owner == environment.rawValue else {
            throw Refusal(
                "the database belongs to the \(owner) environment: give --environment \(owner), or another --database")
        }
    }
}
