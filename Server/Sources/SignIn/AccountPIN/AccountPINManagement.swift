package import Core
package import Kernel
package import Store
internal import WalletAuthWire

/// Lets the holder set, change and remove the account PIN.
///
/// Requires a sign-in on this page, minutes old, as strong as the account allows, and without the PIN: an attacker who guessed
/// the PIN must not be able to replace it. The password unlocks a locked PIN.
struct AccountPINManagement: Sendable {
    let database: any Database
    let clock: any Clock
    let random: any RandomBytes
    let passwords: PasswordHasher
    let auditLog: AuditLog
    let stepUp: StepUp
    let guesses: AccountPINGuesses
    let coolingPeriod: Duration

    func manage(call: PageCaller) async throws -> Result<AccountPINOverview, FactorRefusal> {
        let found = try await self.found(by: call)
        guard found.overview.isOffered || found.record != nil else { return .failure(.notFound) }
        if let refusal = try await refusal(of: call) { return .failure(refusal) }
        return .success(found.overview)
    }

    func make(_ change: AccountPINChange, call: PageCaller) async throws -> Result<Void, AccountPINRefusal> {
        if let refusal = try await refusal(of: call) { return .failure(.factor(refusal)) }
        switch change {
        case .set(.failure(let fault)): return .failure(.unacceptable(fault))
        case .set(.success(let pin)):
            return try await onceForForm(Self.trace(of: pin), call) { try await set(pin, call) }
        case .remove: return try await onceForForm(Self.traceOfRemoval, call) { try await remove(call) }
        }
    }

    /// A form that arrives twice succeeds twice.
    private func onceForForm(
        _ trace: [String], _ call: PageCaller, _ change: () async throws -> Result<Void, AccountPINRefusal>
    ) async throws -> Result<Void, AccountPINRefusal> {
        let result = try await change()
        if case .failure = result, try await call.hasMade(trace, by: stepUp.keyRing, in: database) {
            return .success(())
        }
        return result
    }

    private static func trace(of pin: AccountPIN) -> [String] { ["account-pin", pin.digits.reveal()] }
    private static let traceOfRemoval = ["account-pin"]

    private func set(_ pin: AccountPIN, _ call: PageCaller) async throws -> Result<Void, AccountPINRefusal> {
        let account = call.account
        guard !pin.isCommon else { return .failure(.unacceptable(.tooCommon)) }
        let former = try await found(by: call)
        guard former.overview.isOffered else { return .failure(.factor(.notFound)) }
        guard let slot = passwords.slot(for: .known(to: account.id, from: call.origin)) else {
            return .failure(.factor(.busy(retryAfter: PasswordHasher.retryAfter)))
        }
        let version = try random.uniqueID()
        let hash = try await guesses.sealedHash(of: pin, account: account.id, in: slot)
        let cooling = call.now + coolingPeriod
        let entry = try auditLog.entry(
            former.record == nil ? AccountPINEvent.set : .changed,
            message: AccountPINMessage.set(coolingUntil: cooling), call: call)
        let budget = try FactorChangeBudget(call, keyRing: stepUp.keyRing)
        return try await database.write { connection in
            if let refusal = try call.refusalOfChange(on: connection) ?? budget.charge(on: connection) {
                return .failure(.factor(refusal))
            }
            let isSet = try AccountPINs.set(
                account.id, version: version, hash: hash, replacing: former.record?.version, coolingUntil: cooling,
                now: call.now, on: connection)
            guard isSet else { return .failure(.factor(.accountChanged)) }
            // A PIN is usually changed because it may be known to others.
            if former.record != nil { try void(call, on: connection) }
            try call.remember(Self.trace(of: pin), by: stepUp.keyRing, on: connection)
            try entry.write(on: connection)
            return .success(())
        }
    }

    private func remove(_ call: PageCaller) async throws -> Result<Void, AccountPINRefusal> {
        let entry = try auditLog.entry(
            AccountPINEvent.removed, message: AccountPINMessage.removed, call: call)
        let budget = try FactorChangeBudget(call, keyRing: stepUp.keyRing)
        return try await database.write { connection in
            if let refusal = try call.refusalOfChange(on: connection) ?? budget.charge(on: connection) {
                return .failure(.factor(refusal))
            }
            guard try AccountPINs.remove(of: call.account.id, on: connection) else {
                return .failure(.factor(.notFound))
            }
            try void(call, on: connection)
            try call.remember(Self.traceOfRemoval, by: stepUp.keyRing, on: connection)
            try entry.write(on: connection)
            return .success(())
        }
    }

    /// Voids pending sign-ins and ends the sessions opened with the PIN: one may be an attacker's. The session of the calling
    /// page continues.
    private func void(_ call: PageCaller, on connection: any SQLConnection) throws {
        try AccountPINs.voidSignIns(of: call.account.id, now: clock.writeTime(since: call.now), on: connection)
        try BrowserSessions.follow(call.session.idHash, on: connection)
    }

    private func refusal(of call: PageCaller) async throws -> FactorRefusal? {
        let policy = StepUpPolicy(stepUp, call)
        let facts = try await policy.facts()
        if AuthenticationStrength.includeAccountPIN(call.methods) { return policy.anotherSignIn(facts) }
        return policy.refusalUnlessFresh(facts)
    }

    private struct Found: Sendable {
        var record: AccountPINRecord?
        var overview: AccountPINOverview
    }

    private func found(by call: PageCaller) async throws -> Found {
        try await database.read { connection in
            let record = try AccountPINs.find(call.account.id, on: connection)
            return Found(record: record, overview: try .of(call.account, record, at: call.now, on: connection))
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

/// Removes the PIN along with the password under which it was set. A person who changes the password or recovers the account
/// may do so because of an attacker; a PIN that the attacker set must not let them in again.
package struct AccountPINRemoval: Sendable {
    private let account: UniqueID
    private let entry: AuditLog.Entry

    /// - Parameter origin: of the change; `nil` for an operator's.
    package init(of account: AccountRecord, in auditLog: AuditLog, origin: RequestOrigin?, now: Timestamp) throws {
        var details = JSONObject()
        details.set("reason", "password")
        self.account = account.id
        entry = try auditLog.entry(
            AccountPINEvent.removed, account: account.id, origin: origin, now: now, details: details,
            message: AccountPINMessage.removed,
            email: AccountVault(auditLog.sealing).email(of: account))
    }

    /// Removes a PIN, if there is one, in the write that changes the password, and notifies the holder.
    package func run(on connection: any SQLConnection) throws {
        guard try AccountPINs.remove(of: account, on: connection) else { return }
        try entry.write(on: connection)
    }
}
