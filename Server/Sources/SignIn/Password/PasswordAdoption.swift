internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Asks a brand's former system whether a password is right, for an imported account that has none here, and stores it (decision 171).
///
/// Attempts are counted before the question, as those at any account are. Names without an account, and accounts with a password, are
/// never asked about.
struct PasswordAdoption: Sendable {
    let database: any Database
    let vault: AccountVault
    let passwords: PasswordHasher
    let systems: FormerSystems
    let check: FormerSystemCheck
    let repository: UserRepositoryClient
    let auditLog: AuditLog
    let timing: AdoptionTiming
    let places: AdoptionPlaces

    /// The former system of a brand, at present.
    struct System: Sendable {
        fileprivate let provider: IdentityProvider
        fileprivate let settings: RepositorySettings
        /// Of an attempt on a device that the account does not know: whether the system answers at all.
        fileprivate let answers: Task<Bool, Never>?
        /// When the time of a wrong password began.
        fileprivate let begin = ContinuousClock.now
    }

    enum Answer: Sendable {
        case right
        /// Also for an account that is not asked about.
        case wrong
        /// The system could not be asked, or what it said means nothing.
        case unavailable
    }

    enum Outcome: Sendable {
        case stored(AccountRecord)
        /// The account changed meanwhile, and the password is not its own.
        case overtaken
        /// No hashing slot is free. The next attempt asks again.
        case busy
    }

    /// The system to ask, and its check; `nil` if the brand has none, or the time for it has passed.
    func system(of brand: BrandID, isKnownDevice: Bool, now: Timestamp) async throws -> System? {
        guard let (provider, settings) = try await systems.repository(of: brand, now: now) else { return nil }
        return System(
            provider: provider, settings: settings,
            answers: isKnownDevice ? nil : check.begin(provider, settings, now: now))
    }

    /// The place of an attempt until its answer. Known devices need none, so strangers cannot keep them out.
    /// - Returns: `nil` if none is free.
    func place(for claimed: ClaimedAccount, in brand: BrandID, now: Timestamp) async throws -> AdoptionPlaces.Place? {
        if claimed.isKnownDevice { return .unneeded }
        return try await systems.repository(of: brand, now: now) == nil ? .unneeded : places.take(in: brand)
    }

    /// Whether an account is one that the system is asked about.
    func mayAsk(about account: AccountRecord) -> Bool {
        account.state == .active && account.passwordState == .none && account.password == nil
    }

    /// Asks about the name as the import stored it and in no other spelling, which may be another person's there.
    /// - Parameter isPlaced: whether the attempt has a ``place(for:in:now:)``. Then no other request to the same host keeps it waiting.
    func ask(
        _ system: System, about account: AccountRecord, named username: Username, password: Password, isPlaced: Bool,
        now: Timestamp
    ) async throws -> Answer {
        let names = try await database.read { try Accounts.names(of: account.id, on: $0) }
        let name = names.first { (try? Username($0))?.rawValue == username.rawValue }
        guard let name else { return .wrong }
        let activity = repository.access.activity
        do {
            let identity = try await repository.verify(
                username: name, password: password, at: system.provider, system.settings, within: timing.limit,
                isPlaced: isPlaced, now: now)
            guard let identity else {
                activity.count(.refused, of: system.provider)
                return .wrong
            }
            // A name may belong to another person there than here: only the former id says that it is the account's holder, and the
            // name if the account was imported without an id, since its own id is made from the name then.
            let keys = [ImportedAccountKey.id(identity.subject), .name(username)]
            guard try keys.contains(where: { try $0.accountID(in: system.provider.brand) == account.id }) else {
                activity.count(.refused, of: system.provider)
                return .wrong
            }
            activity.count(.ok, of: system.provider)
            return .right
        } catch let failure as ProviderFailure {
            repository.access.report(failure, of: system.provider)
            return .unavailable
        }
    }

    /// Stores a password that the system confirmed.
    /// - Parameter settle: settles the counters of the attempt, in the same write.
    func adopt(
        _ password: Password, for account: AccountRecord, from system: System, in claimant: PasswordSlots.Claimant,
        origin: RequestOrigin, now: Timestamp,
        settle: @escaping @Sendable (any SQLConnection) throws -> Void
    ) async throws -> Outcome {
        guard let slot = passwords.slot(for: claimant) else { return .busy }
        let sealed = try vault.seal(try await passwords.hash(password, in: slot), .password, of: account.id)
        var details = JSONObject()
        details.set("provider", system.provider.id)
        let entry = try auditLog.entry(
            AccountEvent.passwordAdopted, account: account.id, origin: origin, now: now, details: details)
        let (isStored, found) = try await database.write { connection in
            try settle(connection)
            let isStored = try Accounts.adoptPassword(
                of: account.id, to: sealed, expecting: account.securityVersion, now: now, on: connection)
            if isStored { try entry.write(on: connection) }
            return (isStored, try Accounts.find(account.id, on: connection))
        }
        guard let found else { return .overtaken }
        if isStored { return .stored(found) }
        // Another sign-in was faster, usually with the same password.
        guard found.state == .active, let encoded = vault.open(found.password, .password, of: found.id),
            try await passwords.verify(password, against: encoded, in: slot)
        else { return .overtaken }
        return .stored(found)
    }

    /// What a failure says. On a device that the account does not know, it takes as long as any other in the brand, and says the same as
    /// any other while the system does not answer: otherwise it would tell who has an account here and has not signed in yet.
    func settled(_ refusal: CredentialRefusal, by system: System) async throws -> CredentialRefusal {
        guard let answers = system.answers else { return refusal }
        let isUp = await answers.value
        let rest = timing.window - (ContinuousClock.now - system.begin)
        if rest > .zero { try await timing.sleep(rest) }
        return isUp ? refusal : .unavailable(retryAfter: Self.retryAfter)
    }

    /// After an outage of the system. In seconds.
    static let retryAfter: Int64 = 5
}
