import AppleSignIn
import AuthCore
import AuthFlows
import AuthStore
import AuthStoreSQLite
import AuthTransactions
import Logging
import Loyalty
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

    /// Opens the database as a subcommand does: under the issuer that it belongs to, else under what is configured, or
    /// would follow from it.
    ///
    /// - Parameter configuration: What was configured.
    /// - Throws: `Refusal` or `StoreError`, each of which says what to do or what happened.
    static func open(_ configuration: ServerConfiguration, logger: Logger) async throws -> OpenedServer {
        let owned = try await OwnedDatabase.open(configuration)
        do {
            let recorded = try await PinnedIssuer.read(owned.database).flatMap { try? Issuer($0) }
            let issuer =
                try recorded ?? configuration.issuer ?? configuration.sandboxIssuer(port: configuration.port)
            return try await open(owned, configuration, issuer: issuer, logger: logger)
        } catch {
            await owned.close()
            throw error
        }
    }

    /// Makes the flows on a database that is open, and its keys where it has none yet.
    ///
    /// - Parameters:
    ///   - owned: The database; stays open where this throws.
    ///   - configuration: What was configured.
    ///   - issuer: The server's URL.
    /// - Throws: `Refusal` or `StoreError`, each of which says what to do or what happened.
    static func open(
        _ owned: OwnedDatabase, _ configuration: ServerConfiguration, issuer: Issuer, logger: Logger
    ) async throws -> OpenedServer {
        do {
            let epoch = RestoreEpoch(database: configuration.database)
            // The first start after a restore chooses the number, before anything is served; interrupted, it chooses again.
            if try await owned.database.read({ try PendingRestore.isPending(on: $0) }) { try epoch.renew() }
            let context = try await ServerContext.open(
                database: owned.database, maintenance: owned.database, masterKey: owned.masterKey,
                epoch: try epoch.read(),
                checkpoints: CheckpointFile(path: configuration.auditCheckpoints),
                settings: configuration.serverSettings(issuer: issuer), logger: logger,
                vendors: Self.vendors, breaches: configuration.breaches.lists)
            return OpenedServer(
                server: AuthorizationServer(
                    context: context,
                    flows: [
                        TransactionFlows(context: context), AppleFlows(context: context),
                        LoyaltyFlows(context: context),
                    ]),
                database: owned.database)
        } catch is MasterKeyFault {
            throw Refusal(.wrongMasterKey)
        }
    }

    /// The vendors of identity providers that this program knows.
    static let vendors: [any ProviderVendor] = [AppleVendor()]

    /// Writes what is open, and gives the database's lock back.
    func close() async {
        await database.close()
    }
}

extension ServerConfiguration {
    /// The settings of the flows.
    fileprivate func serverSettings(issuer: Issuer) -> ServerSettings {
        let hashing = PasswordHashing(
            concurrency: passwordHashes ?? ProcessInfo.processInfo.activeProcessorCount, queueLimit: passwordQueue)
        var settings = ServerSettings(environment: environment, issuer: issuer, passwordHashing: hashing)
        settings.sca = sca
        settings.devices.coolingPeriod = coolingPeriod
        // In the sandbox the outbox's page shows every code.
        if environment == .production {
            if outbound.mail == nil { settings.undeliverableFactors.insert(.email) }
            if outbound.sms == nil { settings.undeliverableFactors.insert(.sms) }
        }
        return settings
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
            throw Refusal("\(text) is not an issuer (\(error.reason)): give \(Settings.issuer.flag)")
        }
    }
}
