internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The passkeys that an account's holder lists, adds, renames and removes.
///
/// A new one needs the same as an enrolled device: a recent two-factor sign-in on this page.
struct PasskeyManagement: Sendable {
    let database: any Database
    let random: any RandomBytes
    let vault: PasskeyVault
    let auditLog: AuditLog
    let stepUp: StepUp
    let authentication: PasskeyAuthentication
    let removal: PasskeyRemoval
    let coolingPeriod: Duration

    private var party: PasskeyRelyingParty? { authentication.party }

    private func refusal(of call: any FactorCaller) -> FactorRefusal? {
        StepUpPolicy(stepUp, call).refusalUnlessFreshTwoFactors()
    }

    /// The existing passkeys, and the options for a new one.
    func manage(call: PageCaller) async throws -> Result<PasskeyOverview, FactorRefusal> {
        guard let party else { return .failure(.notFound) }
        let account = call.account
        if let refusal = refusal(of: call) { return .failure(refusal) }
        let passkeys = try await database.read { try Passkeys.list(of: account.id, on: $0) }
        let creation = try await options(besides: passkeys, at: party, call)
        return .success(
            PasskeyOverview(
                passkeys: passkeys.map { passkey in
                    PasskeyOverview.Entry(
                        id: passkey.id.uuid, name: vault.name(of: passkey)?.rawValue ?? "",
                        createdAt: passkey.createdAt, lastUsedAt: passkey.lastUsedAt,
                        isSynced: passkey.isBackupEligible, isUsable: passkey.relyingParty == party.id)
                }, creation: creation, coolingPeriod: coolingPeriod))
    }

    /// What the holder's app asks the device to create.
    func creation(call: AppCaller) async throws -> Result<PasskeyCreationOptions, PasskeyRefusal> {
        if let refusal = refusal(of: call) { return .failure(.factor(refusal)) }
        guard let party else { return .failure(.noHostName) }
        let passkeys = try await database.read { try Passkeys.list(of: call.account.id, on: $0) }
        guard let creation = try await options(besides: passkeys, at: party, call) else { return .failure(.tooMany) }
        return .success(creation)
    }

    /// The options for another passkey; `nil` if the account has reached the limit.
    private func options(
        besides passkeys: [PasskeyRecord], at party: PasskeyRelyingParty, _ call: any FactorCaller
    ) async throws -> PasskeyCreationOptions? {
        guard passkeys.count < PasskeyOverview.limit else { return nil }
        let account = call.account
        let (names, brand) = try await database.read { connection in
            (try Accounts.names(of: account.id, on: connection), try Brands.find(account.brandID, on: connection))
        }
        return PasskeyCreationOptions(
            relyingPartyID: party.id, relyingPartyName: brand?.name ?? party.id, userHandle: account.id.bytes,
            userName: names.first ?? "", challenge: try authentication.challenges.issue(call.passkeyUse, now: call.now),
            exclude: passkeys.filter { $0.relyingParty == party.id }.map {
                PasskeyDescriptor(id: $0.credentialID, transports: $0.transports)
            }, timeout: PasskeyOverview.patience.wholeMilliseconds)
    }

    /// The passkeys of an account that work at this site, in the form for an app.
    func listed(of account: UniqueID, now: Timestamp) async throws -> [AccountFactorList.Passkey] {
        guard let party else { return [] }
        return try await database.read { try Passkeys.list(of: account, on: $0) }
            .filter { $0.relyingParty == party.id }
            .map { try entry(of: $0, now: now) }
    }

    private func entry(of passkey: PasskeyRecord, now: Timestamp) throws -> AccountFactorList.Passkey {
        AccountFactorList.Passkey(
            id: try PasskeyID(passkey.id.uuid), name: vault.name(of: passkey)?.rawValue ?? "",
            createdAt: NumericDate(clamping: passkey.createdAt.seconds),
            lastUsedAt: passkey.lastUsedAt.map { NumericDate(clamping: $0.seconds) },
            coolingUntil: now < passkey.coolingUntil ? NumericDate(clamping: passkey.coolingUntil.seconds) : nil)
    }

    /// Adds the passkey that the holder's app had the device create. The same request again, after a lost response, gets the same passkey.
    func add(
        _ addition: PasskeyAddition, call: AppCaller
    ) async throws -> Result<AccountFactorList.Passkey, PasskeyRefusal> {
        if let refusal = refusal(of: call) { return .failure(.factor(refusal)) }
        let result = try await add(
            addition.credential, called: addition.name?.rawValue ?? "", call, from: call.client)
        let credential = addition.credential.id
        let found = try await database.read { connection in
            try party.flatMap { try Passkeys.find(credential: credential, of: $0.id, on: connection) }
        }
        switch result {
        case .failure(.notTaken), .success:
            // Either this request added it, or an earlier one whose response was lost.
            guard let found, found.accountID == call.account.id else { return .failure(.notTaken) }
            return .success(try entry(of: found, now: call.now))
        case .failure(let refusal): return .failure(refusal)
        }
    }

    /// Removes a passkey. The calling session continues.
    func remove(_ id: PasskeyID, call: AppCaller) async throws -> Result<Void, PasskeyRefusal> {
        if let refusal = refusal(of: call) { return .failure(.factor(refusal)) }
        return try await remove(id.rawValue, call)
    }

    /// A form that arrives twice succeeds twice.
    func make(_ change: PasskeyChange, call: PageCaller) async throws -> Result<Void, PasskeyRefusal> {
        if let refusal = refusal(of: call) { return .failure(.factor(refusal)) }
        let result =
            switch change {
            case .add(let response, let name): try await add(response, called: name, call, from: nil)
            case .rename(let id, let name): try await rename(id, to: name, call)
            case .remove(let id): try await remove(id, call)
            }
        let keyRing = stepUp.keyRing
        if case .failure = result, try await call.hasMade(change.trace, by: keyRing, in: database) {
            return .success(())
        }
        return result
    }

    /// Adds a passkey after verifying the registration against the issued options.
    /// - Parameter app: the app that asked for it; `nil` for the page.
    private func add(
        _ response: PasskeyRegistrationResponse?, called typed: String, _ call: any FactorCaller,
        from app: RegisteredClient?
    ) async throws -> Result<Void, PasskeyRefusal> {
        guard let party else { return .failure(.noHostName) }
        let chosen = typed.isEmpty ? try await unusedName(of: call.account) : typed
        guard let name = try? DeviceName(chosen),
            ShownText.fault(in: typed) == nil
        else {
            return .failure(.unusableName)
        }
        guard let response,
            let (challenge, registration) = authentication.verify(
                response, for: call.passkeyUse, from: app, now: call.now)
        else { return .failure(.notTaken) }
        let id = try random.uniqueID()
        let record = PasskeyRecord(
            id: id, credentialID: registration.credentialID, accountID: call.account.id, relyingParty: party.id,
            publicKey: registration.publicKey, counter: registration.counter,
            isBackupEligible: registration.isBackupEligible, isBackedUp: registration.isBackedUp,
            transports: response.transports, name: try vault.seal(name.rawValue, .name, of: id), createdAt: call.now,
            coolingUntil: call.now + coolingPeriod)
        let entry = try auditLog.entry(
            PasskeyEvent.added, message: PasskeyMessage.added(name), call: call)
        let budget = try FactorChangeBudget(call, keyRing: stepUp.keyRing)
        return try await database.write { connection in
            if let refusal = try call.refusalOfChange(on: connection) { return .failure(.factor(refusal)) }
            // The request arrived before. It changes nothing, so it is not charged either.
            guard try !challenge.isUsed(at: call.now, on: connection) else { return .failure(.notTaken) }
            if let refusal = try budget.charge(on: connection) { return .failure(.factor(refusal)) }
            guard try challenge.use(on: connection) else { return .failure(.notTaken) }
            switch try Passkeys.add(record, limit: PasskeyOverview.limit, on: connection) {
            case .added: break
            // The response must not reveal whose it is (WebAuthn §7.1 step 26).
            case .taken: return .failure(.notTaken)
            case .tooMany: return .failure(.tooMany)
            }
            try call.remember(PasskeyChange.add(response, name: typed).trace, by: stepUp.keyRing, on: connection)
            try entry.write(on: connection)
            return .success(())
        }
    }

    /// A name for a passkey that its holder gives none, to tell it apart from the others.
    private func unusedName(of account: AccountRecord) async throws -> String {
        let others = try await database.read { try Passkeys.list(of: account.id, on: $0) }
        let names = Set(others.compactMap { vault.name(of: $0)?.rawValue })
        let usual = PasskeyOverview.usualName
        // One of this many is free.
        let numbered = (2..<(others.count + 3)).lazy.map { "\(usual) \($0)" }
        return names.contains(usual) ? numbered.first { !names.contains($0) } ?? usual : usual
    }

    private func rename(_ id: String, to typed: String, _ call: PageCaller) async throws -> Result<Void, PasskeyRefusal>
    {
        guard let name = try? DeviceName(typed), ShownText.fault(in: typed) == nil else {
            return .failure(.unusableName)
        }
        guard let id = UniqueID(uuid: id) else { return .failure(.unknown) }
        let sealed = try vault.seal(name.rawValue, .name, of: id)
        let entry = try auditLog.entry(
            PasskeyEvent.renamed, account: call.account.id, client: call.clientID, origin: call.origin, now: call.now)
        return try await database.write { connection in
            if let refusal = try call.refusalOfChange(on: connection) { return .failure(.factor(refusal)) }
            guard try Passkeys.rename(id, of: call.account.id, to: sealed, on: connection) else {
                return .failure(.unknown)
            }
            try call.remember(PasskeyChange.rename(id: id.uuid, name: typed).trace, by: stepUp.keyRing, on: connection)
            try entry.write(on: connection)
            return .success(())
        }
    }

    /// Removes a passkey. The calling session continues.
    private func remove(_ id: String, _ call: any HolderCaller) async throws -> Result<Void, PasskeyRefusal> {
        let account = call.account
        let passkeys = try await database.read { try Passkeys.list(of: account.id, on: $0) }
        guard let id = UniqueID(uuid: id), let passkey = passkeys.first(where: { $0.id == id }) else {
            return .failure(.unknown)
        }
        let name = try vault.name(of: passkey) ?? DeviceName("…")
        let entry = try auditLog.entry(
            PasskeyEvent.removed, message: PasskeyMessage.removed(name), call: call)
        return try await database.write { connection in
            if let refusal = try call.refusalOfChange(on: connection) { return .failure(.factor(refusal)) }
            // Read inside the write: of two passkeys removed at once, one has to stay.
            guard try removal.hasWayIn(account.id, without: id, on: connection) else {
                return .failure(.factor(.lastWayIn))
            }
            guard
                try removal.take(
                    id, of: account.id, sparing: call.sessionID, now: call.now, on: connection)
            else { return .failure(.unknown) }
            try call.continueSession(on: connection)
            try call.remember(PasskeyChange.remove(id: id.uuid).trace, by: stepUp.keyRing, on: connection)
            try entry.write(on: connection)
            return .success(())
        }
    }
}

extension FactorCaller {
    /// The use of a challenge for a new passkey.
    fileprivate var passkeyUse: PasskeyChallenges.Use { .registration(account: account.id, session: sessionID) }
}

extension PasskeyChange {
    /// What a repeated form has in common with the first.
    fileprivate var trace: [String] {
        switch self {
        case .add(let response, let name): ["passkey-added", Base64URL.encode(response?.id ?? []), name]
        case .rename(let id, let name): ["passkey-renamed", id, name]
        case .remove(let id): ["passkey-removed", id]
        }
    }
}

/// Why a change is refused.
enum PasskeyRefusal: Error, Sendable, Hashable {
    /// The refusal of any factor.
    case factor(FactorRefusal)
    /// The issuer's host is an address, for which there are no passkeys.
    case noHostName
    /// The registration is invalid; the log says why.
    case notTaken
    /// The account has reached the limit.
    case tooMany
    /// The account has no passkey with this ID.
    case unknown
    /// The name is empty, too long, or contains characters that change the direction of text.
    case unusableName
}
