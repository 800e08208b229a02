import HTTP
import Kernel
import Logging
import Operations
import Outbound
import Store
import WalletAuthWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The server without its listeners: an open database and unwrapped keys.
///
/// `serve` adds listeners. A subcommand uses it as it is: with SQLite if no server runs, with PostgreSQL always.
struct OpenedServer: Sendable {
    let features: Features
    /// What opening the database has done to its schema.
    let migration: Schema.Report
    private let engine: OpenedEngine

    var server: AuthorizationServer { features.server }
    var database: any Database { engine.database }

    private init(_ features: Features, _ owned: OwnedDatabase) {
        self.features = features
        migration = owned.migration
        engine = owned.engine
    }

    /// Opens the database for a subcommand, under its recorded issuer, or else the configured or derived one.
    ///
    /// - Throws: `Refusal` or `StoreError`.
    static func open(
        _ configuration: ServerConfiguration, for use: DatabaseUse = .administering, logger: Logger
    ) async throws -> OpenedServer {
        let owned = try await OwnedDatabase.open(configuration, for: use)
        do {
            let recorded = try await PinnedIssuer.read(owned.database).flatMap { try? Issuer($0) }
            let issuer =
                try recorded ?? configuration.issuer ?? configuration.sandboxIssuer(port: configuration.port)
            let opened = try await open(
                owned, configuration, issuer: issuer, mayLackKeys: use == .rewrapping, logger: logger)
            // Only now does the database have the restore's epoch. If it were saved earlier and the command failed, this machine would
            // refuse the database for good.
            if use.declaresRestore { await owned.keeper?.save() }
            return opened
        } catch let error as StoreError where error.code == .outcomeUnknown && use.declaresRestore {
            await owned.close()
            throw Refusal(.undecidedRestore(of: configuration.database.shown, error.reason))
        } catch {
            await owned.close()
            throw configuration.database.explained(error)
        }
    }

    /// Creates the flows on an open database, and its keys if there are none.
    ///
    /// - Parameters:
    ///   - owned: the database. It remains open if this throws.
    ///   - mayLackKeys: whether it opens although a missing key cannot be created.
    /// - Throws: `Refusal` or `StoreError`.
    static func open(
        _ owned: OwnedDatabase, _ configuration: ServerConfiguration, issuer: Issuer, mayLackKeys: Bool = false,
        logger: Logger
    ) async throws -> OpenedServer {
        do {
            let epoch = try await Self.epoch(of: owned, configuration)
            let context = try await ServerContext.open(
                database: owned.database, maintenance: owned.engine.maintenance, masterKeys: owned.masterKeys,
                epoch: epoch, appliesRestore: owned.appliesRestore, mayLackKeys: mayLackKeys,
                checkpoints: CheckpointFile(path: configuration.auditCheckpoints),
                settings: configuration.serverSettings(issuer: issuer), logger: logger,
                webhookTransport: GuardedWebhooks(policy: configuration.outbound.policy), vendors: Features.vendors,
                dependents: Features.dependentRows,
                breaches: configuration.breaches.lists)
            return OpenedServer(Features(context: context), owned)
        } catch let refusal as Restoration.Undeclared {
            // Marked since this process examined the database.
            let location = configuration.database
            throw OlderDatabase(
                description: SeenMarks.Verdict.restorePending.explanation(
                    database: location.shown, at: refusal.server, file: location.marksPath))
        } catch let mixed as MixedMasterKeys {
            throw Refusal(.mixedMasterKeys(mixed), status: ExitStatus.outOfService)
        } catch let fault as MasterKeyFault {
            guard let path = owned.createdKey else {
                throw Refusal(.wrongMasterKey(fault), status: ExitStatus.outOfService)
            }
            unlink(path)
            throw Refusal(.keyOfAnotherMachine(path), status: ExitStatus.outOfService)
        }
    }

    /// The number of the last restore. The first start after a restore of a SQLite database chooses it before it serves
    /// anything; if interrupted, it chooses again.
    private static func epoch(of owned: OwnedDatabase, _ configuration: ServerConfiguration) async throws -> Int64 {
        if let epoch = owned.epoch { return epoch }
        let file = RestoreEpoch(database: configuration.database)
        if try await owned.database.read({ try PendingRestore.isPending(on: $0) }) {
            let recorded = try await Restoration.recordedEpoch(of: owned.database)
            try file.renew(after: recorded ?? 0, now: SystemClock().now())
        }
        return try file.read()
    }

    /// Flushes writes, and releases the database's lock or leaves its group.
    func close() async {
        await engine.close()
    }
}

extension ServerConfiguration {
    /// What flows read of the configuration.
    func serverSettings(issuer: Issuer) -> ServerSettings {
        let hashing = PasswordHashing(
            concurrency: passwordsConcurrentHashes ?? ProcessInfo.processInfo.activeProcessorCount,
            queueLimit: passwordsQueue)
        var settings = ServerSettings(environment: environment, issuer: issuer, passwordHashing: hashing)
        settings.sca = sca
        settings.devices = devices
        settings.lockout.network = network
        settings.guestCodes = guestCodes
        settings.sessions = sessions
        settings.adminAPI = adminAPI
        settings.adminConsole = adminConsole
        settings.adminBase = adminBase(issuer: issuer)
        settings.twoOperators = twoOperators
        settings.scim = scim
        // In the sandbox, the outbox page shows every code, and no one is flooded.
        switch environment {
        case .sandbox: settings.codes = .sandbox
        case .production:
            if outbound.mail == nil { settings.undeliverableFactors.insert(.email) }
            if outbound.sms == nil { settings.undeliverableFactors.insert(.sms) }
            settings.undeliverablePushes = outbound.push.undeliverable
        }
        return settings
    }

    /// Where a listener is reached from this machine.
    func ownURL(host: String, port: Int) -> String {
        let reachable = ["0.0.0.0": "127.0.0.1", "::": "[::1]"][host] ?? (host.contains(":") ? "[\(host)]" : host)
        return "\(tls == nil ? "http" : "https")://\(reachable):\(port)"
    }

    /// The default URL of the sandbox: the one a client on this machine would use.
    func sandboxIssuer(port: Int) throws(Refusal) -> Issuer {
        let text = ownURL(host: host, port: port)
        do {
            return try Issuer(text)
        } catch {
            throw Refusal(
                "\(text) is not an issuer (it \(error.reason)): use \(Settings.issuer.flag)",
                status: ExitStatus.outOfService)
        }
    }
}
