package import Core
package import Kernel
package import Logging
package import Outbound
internal import SignIn
package import Store

extension ServerContext {
    /// Opens or creates the keys, and builds everything the flows need.
    /// - Parameters:
    ///   - database: an opened engine, with the newest schema.
    ///   - maintenance: checks and copies of the same engine; `nil` if it has none.
    ///   - masterKeys: one of them wraps every key in the database.
    ///   - epoch: the number of the last restore, kept outside the database. If the database holds another number, it was
    ///     restored; everything the restore would revive is voided before the server answers anything.
    ///   - appliesRestore: whether this process may apply the effects of a restore.
    ///   - mayLackKeys: whether it opens although a key is missing and cannot be added, for the rotation of the master key that ends this.
    ///   - checkpoints: the archive for the audit log's checkpoints; `nil` for none.
    ///   - settings: the operator's settings.
    ///   - logger: never receives a secret.
    ///   - providerHTTP: the HTTP client for identity providers.
    ///   - webhookTransport: posts to the receivers of webhooks.
    ///   - vendors: identity providers' vendors that targets above this one add.
    ///   - dependents: the rows of features of targets above this one. Without a default: a feature that is left out keeps rows of
    ///     persons who were erased.
    ///   - breaches: lists of stolen passwords.
    ///   - clock: the time.
    ///   - random: unpredictable bytes.
    ///   - sleep: lets time pass for requests that wait for a change.
    /// - Throws: ``MasterKeyFault`` if none of the keys fits the database; ``MixedMasterKeys`` if a missing key cannot be added;
    ///   `Restoration.Undeclared` if it was restored and this process may not apply the effects.
    package static func open(
        database: any Database, maintenance: (any DatabaseMaintenance)?, masterKeys: MasterKeys, epoch: Int64 = 0,
        appliesRestore: Bool = true, mayLackKeys: Bool = false, checkpoints: (any AuditCheckpointArchive)? = nil,
        settings: ServerSettings,
        logger: Logger,
        providerHTTP: ProviderHTTP = .guarded,
        webhookTransport: any WebhookTransport = GuardedWebhooks(policy: AddressPolicy()),
        vendors: [any ProviderVendor] = [],
        dependents: [any DependentRows],
        breaches: BreachLists = BreachLists(),
        clock: any Clock = SystemClock(),
        random: any RandomBytes = SystemRandomBytes(),
        sleep: @escaping CommittedChanges.Sleep = CommittedChanges.passingTime
    ) async throws -> ServerContext {
        let now = clock.now()
        let keyRotation = KeyRotation(
            database: database, masterKeys: masterKeys, schedule: settings.signingKeys, random: random)
        try await keyRotation.establish(now: now, mayLackKeys: mayLackKeys)
        let isAlone = try await database.group?.isAlone() ?? true
        try await database.write { connection in
            _ = try Brands.create(
                BrandRecord(id: BrandSettings.defaultBrand, name: "Wallet", settings: "{}", createdAt: now),
                on: connection)
            // Comparisons that were running when the previous process ended have no outcome. With other processes they may
            // be theirs and still running; those of an ended process count as lost after a minute.
            if isAlone { try Attempts.abandonPending(on: connection) }
        }
        try await SecretQuestionWarning.log(database, to: logger)
        let context = ServerContext(
            database: database, settings: settings, logger: logger, maintenance: maintenance, checkpoints: checkpoints,
            keyRing: try await KeyRing(database: database, masterKeys: masterKeys, now: now), keyRotation: keyRotation,
            clients: ClientDirectory(database: database, lifetime: settings.clientCacheLifetime),
            messages: .flows,
            passwords: PasswordHasher(settings.passwordHashing, random: random, clock: clock, sleep: sleep),
            breaches: BreachSearch(breaches, logger: logger),
            providerHTTP: providerHTTP, webhookTransport: webhookTransport, vendors: ProviderVendors(vendors),
            dependents: dependents,
            clock: clock,
            clockRecords: try await database.read { try ClockRecords.read(on: $0) }, random: random, epoch: epoch,
            restoredAt: try await Restoration.time(of: database, epoch: epoch, now: now), sleep: sleep)
        try await AuditGenesis.record(in: context.database, context.auditLog, now: now)
        try await Restoration(
            database: context.database, auditLog: context.auditLog, logger: logger,
            coolingPeriod: settings.devices.coolingPeriod
        ).voidWhatWasRestored(epoch: epoch, now: now, isAllowed: appliesRestore)
        try await FormerIssuer(database: context.database, issuer: settings.issuer).voidItsOperations(now: now)
        return context
    }

    /// Builds what reading a database takes, such as verifying its audit log. It writes nothing, and nothing can be served
    /// from it (``ExaminedDatabase``). So it does not have to void what a restore brought back.
    /// - Parameter database: with the newest schema, and with keys.
    /// - Throws: ``MasterKeyFault`` if none of the keys fits the database.
    package static func examining(
        _ database: any Database, masterKeys: MasterKeys, checkpoints: any AuditCheckpointArchive,
        settings: ServerSettings, logger: Logger
    ) async throws -> ServerContext {
        let (clock, random) = (SystemClock(), SystemRandomBytes())
        let database = ExaminedDatabase(database)
        return ServerContext(
            database: database, settings: settings, logger: logger, maintenance: nil, checkpoints: checkpoints,
            keyRing: try await KeyRing(database: database, masterKeys: masterKeys, now: clock.now()),
            keyRotation: KeyRotation(
                database: database, masterKeys: masterKeys, schedule: settings.signingKeys, random: random),
            clients: ClientDirectory(database: database, lifetime: settings.clientCacheLifetime), messages: .flows,
            passwords: PasswordHasher(settings.passwordHashing, random: random),
            breaches: BreachSearch(BreachLists(), logger: logger),
            providerHTTP: .guarded, webhookTransport: GuardedWebhooks(policy: AddressPolicy()),
            vendors: ProviderVendors([]), dependents: [], clock: clock, clockRecords: ClockRecords(), random: random,
            epoch: 0,
            restoredAt: nil)
    }
}
