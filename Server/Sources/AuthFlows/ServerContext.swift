package import AuthCore
package import AuthStore
package import Logging
internal import WalletAuthWire

/// Shared by all flows: the store, the keys, the settings, time and randomness. Created once at start.
///
/// A class, because every flow of every request gets it: one reference to count instead of a dozen.
package final class ServerContext: Sendable {
    package let database: any Database
    package let settings: ServerSettings
    package let logger: Logger
    let maintenance: (any DatabaseMaintenance)?
    let checkpoints: (any AuditCheckpointArchive)?
    package let keyRing: KeyRing
    let keyRotation: KeyRotation
    package let clients: ClientDirectory
    let passwords: PasswordHasher
    let breaches: BreachSearch
    let replays: ReplayMemory
    package let providerHTTP: ProviderHTTP
    let vendors: ProviderVendors
    let providers: ProviderDocuments
    package let providerActivity = ProviderActivity()
    let verifiedTokens = VerifiedTokens()
    let nonces = PresentNonce()
    let outbox = OutboxActivity()
    package let changes = CommittedChanges()
    let writes: WriteProbe
    /// The URLs that DPoP proofs for the endpoints must name, by path.
    let targets: [String: HTTPTarget]
    package let clock: any Clock
    package let random: any RandomBytes
    /// The number chosen by the last restore; 0 before the first.
    let epoch: Int64
    /// Time of the last restore; `nil` if there was none.
    let restoredAt: Timestamp?

    private init(
        database: any Database, settings: ServerSettings, logger: Logger, maintenance: (any DatabaseMaintenance)?,
        checkpoints: (any AuditCheckpointArchive)?, keyRing: KeyRing, keyRotation: KeyRotation,
        clients: ClientDirectory, passwords: PasswordHasher, breaches: BreachSearch,
        replays: ReplayMemory, providerHTTP: ProviderHTTP, vendors: ProviderVendors, clock: any Clock,
        random: any RandomBytes, epoch: Int64, restoredAt: Timestamp?
    ) {
        self.database = database
        writes = WriteProbe(database: database, clock: clock)
        self.settings = settings
        targets = ProofOfPossession.targets(of: settings.issuer)
        self.logger = logger
        self.maintenance = maintenance
        self.checkpoints = checkpoints
        self.keyRing = keyRing
        self.keyRotation = keyRotation
        self.clients = clients
        self.passwords = passwords
        self.breaches = breaches
        self.replays = replays
        self.providerHTTP = providerHTTP
        self.vendors = vendors
        providers = ProviderDocuments(http: providerHTTP)
        self.clock = clock
        self.random = random
        self.epoch = epoch
        self.restoredAt = restoredAt
    }
}

extension ServerContext {
    /// Migrates the schema, opens or creates the keys, and builds everything the flows need.
    /// - Parameters:
    ///   - database: an opened engine.
    ///   - maintenance: checks and copies of the same engine; `nil` if it has none.
    ///   - masterKey: wraps every key in the database.
    ///   - epoch: the number of the last restore, kept outside the database. If the database holds another number, it was
    ///     restored; everything the restore would revive is voided before the server answers anything.
    ///   - checkpoints: the archive for the audit log's checkpoints; `nil` for none.
    ///   - settings: the operator's settings.
    ///   - logger: never receives a secret.
    ///   - providerHTTP: the HTTP client for identity providers.
    ///   - vendors: identity providers' vendors that targets above this one add.
    ///   - breaches: lists of stolen passwords.
    ///   - clock: the time.
    ///   - random: unpredictable bytes.
    /// - Throws: ``MasterKeyFault`` if the key does not fit the database.
    package static func open(
        database: any Database, maintenance: (any DatabaseMaintenance)?, masterKey: MasterKey, epoch: Int64 = 0,
        checkpoints: (any AuditCheckpointArchive)? = nil, settings: ServerSettings, logger: Logger,
        providerHTTP: ProviderHTTP = .guarded, vendors: [any ProviderVendor] = [],
        breaches: BreachLists = BreachLists(),
        clock: any Clock = SystemClock(),
        random: any RandomBytes = SystemRandomBytes()
    ) async throws -> ServerContext {
        let now = clock.now()
        try await Schema.migrate(database, now: now)
        let keyRotation = KeyRotation(
            database: database, masterKey: masterKey, schedule: settings.signingKeys, random: random)
        try await keyRotation.establish(now: now)
        try await database.write { connection in
            _ = try Brands.create(
                BrandRecord(id: BrandSettings.defaultBrand, name: "Wallet", settings: "{}", createdAt: now),
                on: connection)
            // Comparisons that were running when the previous process ended have no outcome.
            try Attempts.abandonPending(on: connection)
        }
        try await SecretQuestionWarning.log(database, to: logger)
        let context = ServerContext(
            database: database, settings: settings, logger: logger, maintenance: maintenance, checkpoints: checkpoints,
            keyRing: try await KeyRing(database: database, masterKey: masterKey, now: now), keyRotation: keyRotation,
            clients: ClientDirectory(database: database, lifetime: settings.clientCacheLifetime),
            passwords: PasswordHasher(settings.passwordHashing, random: random),
            breaches: BreachSearch(breaches, logger: logger), replays: ReplayMemory(),
            providerHTTP: providerHTTP, vendors: ProviderVendors(vendors), clock: clock, random: random, epoch: epoch,
            restoredAt: try await Restoration.time(of: database, epoch: epoch, now: now))
        try await AuditGenesis.record(context, now: now)
        try await Restoration(context: context).voidWhatWasRestored(epoch: epoch, now: now)
        try await FormerIssuer(context: context).voidItsOperations(now: now)
        return context
    }

    /// Seals under the active key of a purpose.
    package func seal(_ plaintext: [UInt8], for purpose: KeyPurpose, context: String) throws -> [UInt8] {
        try Sealing.seal(
            plaintext, with: keyRing.active(purpose), context: context, nonce: random.bytes(Sealing.nonceLength))
    }

    /// Opens the result of ``seal(_:for:context:)``, including under a key that has since been rotated; `nil` for anything
    /// else.
    package func open(_ sealed: [UInt8], for purpose: KeyPurpose, context: String) -> [UInt8]? {
        guard let id = Sealing.keyID(of: sealed), let key = keyRing.key(purpose, id, at: clock.now())
        else { return nil }
        return Sealing.open(sealed, with: key, context: context)
    }

    /// A sealing context that ends with the next restore: what is sealed under it no longer opens afterwards. Needed for
    /// everything that a row makes single-use, because the restored copy may lack that row.
    package func untilRestored(_ label: String) -> String { epoch == 0 ? label : "\(label)|\(epoch)" }

    package func randomID() throws -> UniqueID {
        guard let id = UniqueID.random(random.bytes(16)) else { throw SourceFailure() }
        return id
    }

    package func timeOrderedID(_ now: Timestamp) throws -> UniqueID {
        guard let id = UniqueID.timeOrdered(now, random.bytes(16)) else { throw SourceFailure() }
        return id
    }
}

/// The source of randomness returned fewer bytes than requested.
package struct SourceFailure: Error {
    package init() {}
}
