package import Core
package import Logging
package import Outbound
package import Store

/// Shared by all flows: the store, the keys, the settings, time and randomness. Created once at start.
///
/// A class, because every flow of every request gets it: one reference to count instead of a dozen.
///
/// This folder owns this context, and state sealed with the context's keys. It knows no flow.
package final class ServerContext: Sendable {
    package let database: any Database
    package let settings: ServerSettings
    package let logger: Logger
    package let maintenance: (any DatabaseMaintenance)?
    package let keyRing: KeyRing
    package let sealing: SealingKeys
    package let auditLog: AuditLog
    package let audit: Audit
    package let keyRotation: KeyRotation
    package let clients: ClientDirectory
    /// With the templates of all messages.
    package let rendering: MessageRendering
    package let passwords: PasswordHasher
    package let breaches: BreachSearch
    package let proofs: ProofOfPossession
    package let accessTokens: AccessTokenCheck
    package let clientKeys: ClientKeySets
    package let clientDocuments: ClientDocuments
    package let clientAuthenticator: ClientAuthenticator
    package let providerHTTP: ProviderHTTP
    package let webhookTransport: any WebhookTransport
    package let vendors: ProviderVendors
    /// The rows of features above the floors, which end with a device or an account.
    package let dependents: [any DependentRows]
    package let providers: ProviderDocuments
    package let providerActivity = ProviderActivity()
    package let providerAccess: ProviderAccess
    package let providerVault: ProviderVault
    package let formerSystems: FormerSystems
    package let guestCodes = GuestCodeActivity()
    package let outbox: OutboxActivity
    package let webhooks: WebhookActivity
    package let changes: CommittedChanges
    package let writes: WriteProbe
    package let clock: any Clock
    package let clocks: ClockMonitor
    package let random: any RandomBytes
    /// Time of the last restore; `nil` if there was none.
    package let restoredAt: Timestamp?

    /// Of a database that is migrated and whose keys exist.
    /// - Parameters:
    ///   - epoch: the number chosen by the last restore; 0 before the first.
    ///   - sleep: lets time pass for requests that wait for a change.
    package init(
        database: any Database, settings: ServerSettings, logger: Logger, maintenance: (any DatabaseMaintenance)?,
        checkpoints: (any AuditCheckpointArchive)?, keyRing: KeyRing, keyRotation: KeyRotation,
        clients: ClientDirectory, messages: MessageCatalog, passwords: PasswordHasher, breaches: BreachSearch,
        providerHTTP: ProviderHTTP, webhookTransport: any WebhookTransport, vendors: ProviderVendors,
        dependents: [any DependentRows],
        clock: any Clock,
        clockRecords: ClockRecords, random: any RandomBytes, epoch: Int64, restoredAt: Timestamp?,
        sleep: @escaping CommittedChanges.Sleep = CommittedChanges.passingTime
    ) {
        webhooks = WebhookActivity(group: database.group)
        outbox = OutboxActivity(group: database.group)
        let watched = DamageWatch(database, waking: [webhooks.signal, outbox.signal], logger: logger)
        self.database = watched
        changes = CommittedChanges(group: database.group, sleep: sleep)
        writes = WriteProbe(database: watched, clock: clock, logger: logger)
        self.settings = settings
        self.logger = logger
        self.maintenance = maintenance
        self.keyRing = keyRing
        sealing = SealingKeys(keyRing: keyRing, clock: clock, random: random, logger: logger, epoch: epoch)
        auditLog = AuditLog(sealing: sealing, outbox: outbox, webhooks: webhooks)
        self.keyRotation = keyRotation
        self.clients = clients
        rendering = MessageRendering(
            sealing: sealing, catalog: messages, issuer: settings.issuer, vendors: vendors, dependents: dependents)
        self.passwords = passwords
        self.breaches = breaches
        proofs = ProofOfPossession(
            issuer: settings.issuer, administration: settings.administration, keyRing: keyRing,
            used: ReplayMemory(shared: database.group == nil ? nil : database), clock: clock,
            logger: logger)
        accessTokens = AccessTokenCheck(
            issuer: settings.issuer, keyRing: keyRing, clients: clients, database: watched, proofs: proofs)
        clientKeys = ClientKeySets(http: providerHTTP, environment: settings.environment, logger: logger)
        clientDocuments = ClientDocuments(
            clients: clients, database: watched, http: providerHTTP, environment: settings.environment, logger: logger)
        clientAuthenticator = ClientAuthenticator(
            issuer: settings.issuer, clients: clients, published: clientKeys, database: watched, restoredAt: restoredAt)
        self.providerHTTP = providerHTTP
        self.webhookTransport = webhookTransport
        self.vendors = vendors
        self.dependents = dependents
        providers = ProviderDocuments(http: providerHTTP, group: database.group)
        providerAccess = ProviderAccess(
            http: providerHTTP, documents: providers, environment: settings.environment, database: watched,
            sealing: sealing, auditLog: auditLog, activity: providerActivity, logger: logger)
        providerVault = ProviderVault(database: watched, sealing: sealing, vendors: vendors)
        formerSystems = FormerSystems(
            database: watched, vault: providerVault, lifetime: settings.clientCacheLifetime)
        self.clock = clock
        clocks = ClockMonitor(
            clock: clock, database: database, records: clockRecords, retention: settings.sca.evidenceRetention,
            logger: logger)
        audit = Audit(
            database: watched, keyRing: keyRing, archive: checkpoints, clock: clock, clocks: clocks,
            issuer: settings.issuer)
        self.random = random
        self.restoredAt = restoredAt
    }
}

extension Clock {
    /// The time at which a write decides, for a fact that must not precede what was read while the request waited. Ask for it in the
    /// body, which may run more than once.
    /// - Parameter arrival: when the request arrived.
    package func writeTime(since arrival: Timestamp) -> Timestamp { max(arrival, now()) }
}

/// A state that the code around it rules out, such as too few random bytes: an error of this program.
package struct InvariantViolation: Error {
    package init() {}
}
