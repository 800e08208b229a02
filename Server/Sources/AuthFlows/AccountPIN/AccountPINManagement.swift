internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// The PIN of an account, for its holder: set, changed, taken away.
///
/// It takes a sign-in on the very page, minutes old and as strong as the account can prove, by something else than the PIN: whoever
/// guessed it must not be able to set another, and one that is locked is opened by the password.
struct AccountPINManagement: Sendable {
    let context: ServerContext
    let call: PageCaller

    private var account: AccountRecord { call.account }

    /// How it stands.
    func manage() async throws -> Result<AccountPINOverview, FactorRefusal> {
        let found = try await self.found()
        guard found.overview.isOffered || found.record != nil else { return .failure(.notFound) }
        if let refusal = try await refusal() { return .failure(refusal) }
        return .success(found.overview)
    }

    /// Makes a change.
    func make(_ change: AccountPINChange) async throws -> Result<Void, AccountPINRefusal> {
        if let refusal = try await refusal() { return .failure(.factor(refusal)) }
        switch change {
        case .set(.failure(let fault)): return .failure(.unacceptable(fault))
        case .set(.success(let pin)): return try await set(pin)
        case .remove: return try await remove()
        }
    }

    private func set(_ pin: AccountPIN) async throws -> Result<Void, AccountPINRefusal> {
        guard !pin.isCommon else { return .failure(.unacceptable(.tooCommon)) }
        let former = try await found()
        guard former.overview.isOffered else { return .failure(.factor(.notFound)) }
        guard let place = context.passwords.place(for: .known(to: account.id, from: call.origin)) else {
            return .failure(.factor(.busy(retryAfter: PasswordHasher.retryAfter)))
        }
        let version = try context.randomID()
        let hash = try await AccountPINGuesses(context: context, origin: call.origin, now: call.now)
            .sealedHash(of: pin, account: account.id, in: place)
        let cooling = call.now + context.settings.devices.coolingPeriod
        let entry = try AuditLog(context: context).entry(
            former.record == nil ? .accountPINSet : .accountPINChanged,
            message: .accountPINSet(coolingUntil: cooling), call: call)
        let budget = try FactorChangeBudget(call, context: context)
        return try await context.database.write { connection in
            if let refusal = try call.refusalOfChange(on: connection) ?? budget.charge(on: connection) {
                return .failure(.factor(refusal))
            }
            let isSet = try AccountPINs.set(
                account.id, version: version, hash: hash, replacing: former.record?.version, coolingUntil: cooling,
                now: call.now, on: connection)
            guard isSet else { return .failure(.factor(.accountChanged)) }
            // It is changed because somebody else may know it.
            if former.record != nil { try void(on: connection) }
            try entry.write(on: connection)
            return .success(())
        }
    }

    private func remove() async throws -> Result<Void, AccountPINRefusal> {
        let entry = try AuditLog(context: context).entry(.accountPINRemoved, message: .accountPINRemoved, call: call)
        let budget = try FactorChangeBudget(call, context: context)
        return try await context.database.write { connection in
            if let refusal = try call.refusalOfChange(on: connection) ?? budget.charge(on: connection) {
                return .failure(.factor(refusal))
            }
            guard try AccountPINs.remove(of: account.id, on: connection) else {
                return .failure(.factor(.notFound))
            }
            try void(on: connection)
            try entry.write(on: connection)
            return .success(())
        }
    }

    /// Voids what was begun, and ends the sessions that the PIN opened, of which one may be whoever guessed it. The page that asks
    /// goes on.
    private func void(on connection: any SQLConnection) throws {
        try AccountPINs.voidSignIns(of: account.id, now: call.now, on: connection)
        try BrowserSessions.follow(call.session.idHash, on: connection)
    }

    private func refusal() async throws -> FactorRefusal? {
        let policy = StepUpPolicy(context: context, call: call)
        let facts = try await policy.facts()
        if AuthenticationStrength.includeAccountPIN(call.methods) { return policy.anotherSignIn(facts) }
        return policy.refusalUnlessFresh(facts)
    }

    private struct Found: Sendable {
        var record: AccountPINRecord?
        var overview: AccountPINOverview
    }

    private func found() async throws -> Found {
        try await context.database.read { connection in
            let record = try AccountPINs.find(account.id, on: connection)
            return Found(record: record, overview: try .of(account, record, at: call.now, on: connection))
        }
    }
}

extension AccountPINOverview {
    /// As the row of a PIN and its brand stand. It stands beside a password, by which it is opened again: who has none sets none.
    static func of(
        _ account: AccountRecord, _ record: AccountPINRecord?, at now: Timestamp, on connection: any SQLConnection
    ) throws -> AccountPINOverview {
        let isOffered = try account.password != nil && Brands.takesAccountPINs(account.brandID, on: connection)
        let state = record.map { record -> State in
            switch record.lockReason {
            case nil: .active
            case .tooManyTries: .locked
            case .restore: .lockedByRestore
            }
        }
        let coolingUntil = record.flatMap { now < $0.coolingUntil ? $0.coolingUntil : nil }
        return AccountPINOverview(
            state: state ?? .unset, isOffered: isOffered, coolingUntil: coolingUntil)
    }
}

extension AccountPINs {
    /// Voids what was begun for an account, and ends the sessions that its PIN opened; all others go on.
    /// - Returns: how many sessions it ended.
    @discardableResult
    static func voidSignIns(of account: UniqueID, now: Timestamp, on connection: any SQLConnection) throws -> Int {
        try Accounts.raiseSecurityVersionKeepingSessions(of: account, on: connection)
        return try Sessions.endAll(ofAccountPIN: account, because: .accountPINChanged, now: now, on: connection)
    }
}
