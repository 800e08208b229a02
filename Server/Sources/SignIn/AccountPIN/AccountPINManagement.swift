package import Core
internal import Kernel
package import Store
internal import WalletAuthWire

/// Lets the holder set, change and remove the account PIN.
///
/// Requires a sign-in on this page, minutes old, as strong as the account allows, and without the PIN: an attacker who guessed
/// the PIN must not be able to replace it. The password unlocks a locked PIN.
struct AccountPINManagement: Sendable {
    let context: ServerContext
    let call: PageCaller

    private var account: AccountRecord { call.account }

    func manage() async throws -> Result<AccountPINOverview, FactorRefusal> {
        let found = try await self.found()
        guard found.overview.isOffered || found.record != nil else { return .failure(.notFound) }
        if let refusal = try await refusal() { return .failure(refusal) }
        return .success(found.overview)
    }

    func make(_ change: AccountPINChange) async throws -> Result<Void, AccountPINRefusal> {
        if let refusal = try await refusal() { return .failure(.factor(refusal)) }
        switch change {
        case .set(.failure(let fault)): return .failure(.unacceptable(fault))
        case .set(.success(let pin)): return try await onceForForm(Self.trace(of: pin)) { try await set(pin) }
        case .remove: return try await onceForForm(Self.traceOfRemoval) { try await remove() }
        }
    }

    /// A form that arrives twice succeeds twice.
    private func onceForForm(
        _ trace: [String], _ change: () async throws -> Result<Void, AccountPINRefusal>
    ) async throws -> Result<Void, AccountPINRefusal> {
        let result = try await change()
        if case .failure = result, try await call.hasMade(trace, in: context) { return .success(()) }
        return result
    }

    private static func trace(of pin: AccountPIN) -> [String] { ["account-pin", pin.digits.reveal()] }
    private static let traceOfRemoval = ["account-pin"]

    private func set(_ pin: AccountPIN) async throws -> Result<Void, AccountPINRefusal> {
        guard !pin.isCommon else { return .failure(.unacceptable(.tooCommon)) }
        let former = try await found()
        guard former.overview.isOffered else { return .failure(.factor(.notFound)) }
        guard let slot = context.passwords.slot(for: .known(to: account.id, from: call.origin)) else {
            return .failure(.factor(.busy(retryAfter: PasswordHasher.retryAfter)))
        }
        let version = try context.random.uniqueID()
        let hash = try await AccountPINGuesses(context: context, origin: call.origin, now: call.now)
            .sealedHash(of: pin, account: account.id, in: slot)
        let cooling = call.now + context.settings.devices.coolingPeriod
        let entry = try context.auditLog.entry(
            former.record == nil ? AccountPINEvent.set : .changed,
            message: AccountPINMessage.set(coolingUntil: cooling), call: call)
        let budget = try FactorChangeBudget(call, context: context)
        return try await context.database.write { connection in
            if let refusal = try call.refusalOfChange(on: connection) ?? budget.charge(on: connection) {
                return .failure(.factor(refusal))
            }
            let isSet = try AccountPINs.set(
                account.id, version: version, hash: hash, replacing: former.record?.version, coolingUntil: cooling,
                now: call.now, on: connection)
            guard isSet else { return .failure(.factor(.accountChanged)) }
            // A PIN is usually changed because it may be known to others.
            if former.record != nil { try void(on: connection) }
            try call.remember(Self.trace(of: pin), in: context, on: connection)
            try entry.write(on: connection)
            return .success(())
        }
    }

    private func remove() async throws -> Result<Void, AccountPINRefusal> {
        let entry = try context.auditLog.entry(
            AccountPINEvent.removed, message: AccountPINMessage.removed, call: call)
        let budget = try FactorChangeBudget(call, context: context)
        return try await context.database.write { connection in
            if let refusal = try call.refusalOfChange(on: connection) ?? budget.charge(on: connection) {
                return .failure(.factor(refusal))
            }
            guard try AccountPINs.remove(of: account.id, on: connection) else {
                return .failure(.factor(.notFound))
            }
            try void(on: connection)
            try call.remember(Self.traceOfRemoval, in: context, on: connection)
            try entry.write(on: connection)
            return .success(())
        }
    }

    /// Voids pending sign-ins and ends the sessions opened with the PIN: one may be an attacker's. The session of the calling
    /// page continues.
    private func void(on connection: any SQLConnection) throws {
        try AccountPINs.voidSignIns(of: account.id, now: context.writeTime(since: call.now), on: connection)
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
    /// Combines the PIN's row and the brand's setting. The password unlocks a locked PIN, so an account without a password
    /// cannot set one.
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
    /// Voids pending sign-ins of the account and ends the sessions opened with its PIN; other sessions continue.
    /// - Parameter now: the time of the write.
    /// - Returns: the number of sessions ended.
    @discardableResult
    package static func voidSignIns(of account: UniqueID, now: Timestamp, on connection: any SQLConnection) throws
        -> Int
    {
        try Accounts.raiseSecurityVersionKeepingSessions(of: account, on: connection)
        return try Sessions.endAll(ofAccountPIN: account, because: .accountPINChanged, now: now, on: connection)
    }
}

/// Why nothing was changed.
enum AccountPINRefusal: Error, Sendable, Hashable {
    /// A reason common to all factors.
    case factor(FactorRefusal)
    /// The new PIN breaks a rule.
    case unacceptable(AccountPINFault)
}
