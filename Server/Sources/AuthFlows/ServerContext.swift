package import AuthCore
package import AuthStore
package import Logging
internal import WalletAuthWire

/// What all flows share: the store, the keys, the settings, time and randomness. Made once at start.
///
/// A class, since every flow of every request is handed it: one reference to count instead of a dozen.
package final class ServerContext: Sendable {
    /// Where facts are kept.
    package let database: any Database
    /// What the operator decided at start.
    package let settings: ServerSettings
    /// The log.
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
    /// Who waits for a row to change, and what changed.
    package let changes = CommittedChanges()
    let writes: WriteProbe
    /// What DPoP proofs for the endpoints must name, by path.
    let targets: [String: HTTPTarget]
    package let clock: any Clock
    package let random: any RandomBytes
    /// The number that the last restore chose; 0 where there was none.
    let epoch: Int64
    /// When the database was last restored; `nil` where it never was.
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
    /// Brings the schema up to date, opens or makes the keys, and gathers what the flows need.
    /// - Parameters:
    ///   - database: an opened engine.
    ///   - maintenance: the same engine's checks and copies; `nil` where it has none.
    ///   - masterKey: the 32 bytes that wrap every key in the database.
    ///   - epoch: the number that the last restore chose, kept outside the database: when the database knows another, it
    ///     was restored, and what that would revive is voided before anything is served.
    ///   - checkpoints: where the audit log's checkpoints go; `nil` for nowhere.
    ///   - settings: what the operator decided.
    ///   - logger: where to log; never given a secret.
    ///   - providerHTTP: how identity providers are asked.
    ///   - vendors: the vendors of identity providers that targets above this one bring.
    ///   - breaches: the lists of stolen passwords; none unless given.
    ///   - clock: the time.
    ///   - random: unpredictable bytes.
    /// - Throws: ``MasterKeyFault`` when the key does not fit the database, or infrastructure errors.
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
            // What the process before this one compared when it ended has no outcome.
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

    /// Opens what ``seal(_:for:context:)`` made, also under a key that has been rotated since; `nil` for anything else.
    package func open(_ sealed: [UInt8], for purpose: KeyPurpose, context: String) -> [UInt8]? {
        guard let id = Sealing.keyID(of: sealed), let key = keyRing.key(purpose, id, at: clock.now())
        else { return nil }
        return Sealing.open(sealed, with: key, context: context)
    }

    /// What something is sealed as that a restore voids: it opens as nothing else, so not after a restore either. Whatever is good
    /// once by a row needs it, since the copy may lack that row.
    package func untilRestored(_ label: String) -> String { epoch == 0 ? label : "\(label)|\(epoch)" }

    /// A random id.
    package func randomID() throws -> UniqueID {
        guard let id = UniqueID.random(random.bytes(16)) else { throw SourceFailure() }
        return id
    }

    /// A time-ordered id.
    package func timeOrderedID(_ now: Timestamp) throws -> UniqueID {
        guard let id = UniqueID.timeOrdered(now, random.bytes(16)) else { throw SourceFailure() }
        return id
    }
}

/// The source of randomness gave fewer bytes than it was asked for.
package struct SourceFailure: Error {
    /// Nothing more is known of it.
    package init() {}
}
