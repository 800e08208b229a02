internal import Core
package import Kernel
internal import Store
package import WalletAuthWire

/// Wallet operations as backends use them: requested, looked up, cancelled.
///
/// This target owns operations, their SCA events, evidence and page. It does not own the factors that people consent
/// with (`SignIn`), nor transactions.
package struct RequestedOperations: Sendable {
    let ledger: OperationLedger
    let factors: ConsentFactors
    let settings: SCASettings
    let issuer: Issuer
    let keyRing: KeyRing
    let random: any RandomBytes
    let audit: Audit

    /// The scope that a backend needs.
    package static let scope = "wallet_operations"

    var vault: OperationVault { ledger.vault }

    /// Decides what an operation needs, and opens its event.
    /// - Parameter key: identifies a repetition, together with the operation's name.
    package func create(
        _ request: WalletOperationRequest, key: IdempotencyKey?, call: BackendCaller
    ) async throws -> Result<WalletOperationResponse, WalletOperationRefusal> {
        guard let accountID = UniqueID(bytes: request.account.bytes),
            let sessionID = UniqueID(bytes: request.session.bytes)
        else { return .failure(.accountNotFound) }
        let brand = try call.client.accountBrand
        let id = try random.timeOrderedID(call.now)
        return try await ledger.database.retryingWrite("an operation") { connection in
            if let known = try self.settled(
                request.id.rawValue, client: call.client.id.rawValue, at: call.now, on: connection)
            {
                guard try self.vault.open(known).request == request.json.bytes else {
                    return .failure(.operationExists)
                }
                return .success(try self.response(known, now: call.now, on: connection))
            }
            guard let account = try Accounts.find(accountID, on: connection), account.brandID == brand.rawValue,
                account.state == .active
            else { return .failure(.accountNotFound) }
            guard let session = try Sessions.living(sessionID, now: call.now, on: connection),
                session.facts.accountID == account.id
            else { return .failure(.sessionNotFound) }
            if let refusal = try self.refusal(
                of: request.operation, account: account.id, session: sessionID, client: call.client.id, now: call.now,
                on: connection)
            {
                return .failure(refusal)
            }
            return try self.open(
                request, of: account, in: session, id: id, key: key?.digest, call: call, on: connection)
        }
    }

    /// Returns the status of an operation.
    /// - Parameter id: the name that the backend gave the operation.
    package func find(
        _ id: WalletOperationID, call: BackendCaller
    ) async throws -> Result<WalletOperationResponse, WalletOperationRefusal> {
        let response = try await reading(id, call: call) { record, connection in
            try self.response(record, now: call.now, on: connection)
        }
        guard let response else { return .failure(.operationNotFound) }
        return .success(response)
    }

    /// Cancels an operation that was not carried out. Idempotent.
    /// - Parameter id: the name that the backend gave the operation.
    package func cancel(
        _ id: WalletOperationID, call: BackendCaller
    ) async throws -> Result<Void, WalletOperationRefusal> {
        try await ledger.database.retryingWrite("an operation") { connection in
            let now = ledger.clock.writeTime(since: call.now)
            guard
                var record = try settled(id.rawValue, client: call.client.id.rawValue, at: now, on: connection)
            else { return .failure(.operationNotFound) }
            guard let next = record.event.cancelling(now: now) else {
                return record.event.status(at: now) == .over(.used) ? .failure(.alreadyUsed) : .success(())
            }
            record.event = next
            guard try WalletOperations.save(record, on: connection) else { throw WriteConflict() }
            if let countedIn = record.countedIn, let amount = try self.vault.open(record).payload.operation.amount {
                try SCAHistory.uncount(
                    amount.minorUnits, of: record.accountID, countedIn: countedIn, on: connection)
            }
            try ledger.step(.cancelled, record, origin: call.origin, now: call.now).write(on: connection)
            return .success(())
        }
    }
}

extension RequestedOperations {
    /// Reads an operation of the caller's. One that has just expired is read again after the writes in progress, because one of them may
    /// contain a consent or a use that came in time, and neither may follow an `EXPIRED` that was answered.
    /// - Returns: `nil` if the caller has no such operation.
    func reading<T: Sendable>(
        _ id: WalletOperationID, call: BackendCaller,
        _ body: @escaping @Sendable (WalletOperationRecord, any SQLConnection) throws -> T
    ) async throws -> T? {
        let (name, client) = (id.rawValue, call.client.id.rawValue)
        let found = try await ledger.database.read { connection -> (value: T, isSettled: Bool)? in
            guard let record = try WalletOperations.find(name, client: client, on: connection) else { return nil }
            return (value: try body(record, connection), isSettled: !record.event.hasJustExpired(at: call.now))
        }
        guard let found else { return nil }
        if found.isSettled { return found.value }
        return try await ledger.database.write { connection in
            try self.settled(name, client: client, at: call.now, on: connection).map { try body($0, connection) }
        }
    }

    /// Reads an operation in a write, after the writes in progress if it has just expired.
    func settled(
        _ name: String, client: String, at now: Timestamp, on connection: any SQLConnection
    ) throws -> WalletOperationRecord? {
        guard let record = try WalletOperations.find(name, client: client, on: connection) else { return nil }
        if ledger.database.mustTouch(record.event, at: now) { try WalletOperations.touch(record.id, on: connection) }
        return record
    }

    func response(
        _ record: WalletOperationRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> WalletOperationResponse {
        var offered: [AvailableVerification] = []
        if case .pending = record.event.status(at: now),
            let account = try Accounts.find(record.accountID, on: connection),
            let session = try Sessions.living(record.sessionID, now: now, on: connection)
        {
            let proved = try OperationSession(session, of: account, at: now, on: connection).methods(at: now)
            let available = try factors.available(to: account, in: session, now: now, on: connection)
            offered = factors.described(available.needed(besides: record.event.methods + proved), to: account)
        }
        let isExempt = record.decision != .required
        var exemption: SCAExemption?
        if case .exempt(let granted) = record.decision { exemption = granted }
        return WalletOperationResponse(
            id: try WalletOperationID(record.operationID), status: Self.status(of: record, at: now),
            eventID: isExempt ? nil : try SCAEventID(record.id.uuid), availableVerifications: offered,
            exemption: exemption, findings: try Self.findings(record.findings),
            expiresAt: NumericDate(clamping: record.event.expiresAt.seconds))
    }

    static func status(of record: WalletOperationRecord, at now: Timestamp) -> WalletOperationStatus {
        switch record.event.status(at: now) {
        case .pending: .scaRequired
        case .verified: record.decision == .required ? .verified : .exempt
        case .over(.used): .authorized
        case .over(.locked): .failed
        case .over(.cancelled): .cancelled
        case .over(.expired): .expired
        }
    }

    static func findings(_ json: String) throws -> [ExemptionFinding] {
        try ExemptionFinding.list(parsing: Array(json.utf8))
    }

    /// The write: the decision with its record, its counters, and the step of the trail.
    private func open(
        _ request: WalletOperationRequest, of account: AccountRecord, in session: SessionRecord, id: UniqueID,
        key: String?, call: BackendCaller, on connection: any SQLConnection
    ) throws -> Result<WalletOperationResponse, WalletOperationRefusal> {
        let counted = try SCAHistory.find(account.id, on: connection)
        let signIn = try OperationSession(session, of: account, at: call.now, on: connection)
        let decision = settings.policy.decide(
            request.operation, grounds: request.grounds, session: signIn,
            history: try history(of: request, counted, account: account, client: call.client, on: connection),
            now: call.now)
        // Otherwise the person would be asked for a consent that no call of the app may give.
        if case .required = decision, try !isFirstParty(session, on: connection) { return .failure(.appNotFirstParty) }
        var record = try self.record(request, id: id, key: key, account: account, decision: decision, call: call)
        if case .exempt(.lowValue, _) = decision { record.countedIn = counted.consents }
        guard try WalletOperations.add(record, on: connection) == .added else { return .failure(.keyReused) }
        if case .exempt(.lowValue, _) = decision, let amount = request.operation.amount {
            guard try SCAHistory.count(amount.minorUnits, of: account.id, seen: counted, on: connection) else {
                throw WriteConflict()
            }
        }
        try step(of: decision, by: signIn, record, call: call).write(on: connection)
        return .success(try response(record, now: call.now, on: connection))
    }

    /// Whether the app that the person signed in to is the operator's own.
    private func isFirstParty(_ session: SessionRecord, on connection: any SQLConnection) throws -> Bool {
        let app = session.facts.signedInTo
        return try Clients.find(app, on: connection).map { try RegisteredClient($0).isFirstParty } ?? false
    }

    private func history(
        of request: WalletOperationRequest, _ counted: SCAHistory.Record, account: AccountRecord,
        client: RegisteredClient, on connection: any SQLConnection
    ) throws -> ExemptionHistory {
        var history = ExemptionHistory(
            lowValueSum: counted.lowValueSum, lowValueCount: counted.lowValueCount,
            isIncomplete: counted.isIncomplete,
            informationConsentAt: try SCAHistory.informationConsent(
                of: account.id, client: client.id.rawValue, on: connection))
        if settings.policy.exemptions.trustedBeneficiaries, let payee = request.operation.payee {
            history.isTrustedBeneficiary = try isTrusted(
                payee, by: account.id, client: client.id.rawValue, on: connection)
        }
        if settings.policy.exemptions.recurringPayments, let name = request.grounds.series,
            let first = try series(name, of: account.id, client: client.id.rawValue, on: connection),
            first.endedAt == nil
        {
            let begun = try vault.open(first).payload.operation
            if let amount = begun.amount, let payee = begun.payee {
                history.series = ExemptionHistory.Series(
                    amount: amount, isSamePayee: request.operation.payee?.isSame(as: payee) ?? false)
            }
        }
        return history
    }

    private func record(
        _ request: WalletOperationRequest, id: UniqueID, key: String?, account: AccountRecord,
        decision: SCAPolicy.Decision, call: BackendCaller
    ) throws -> WalletOperationRecord {
        let event: SCAEvent
        let kept: WalletOperationRecord.Decision
        switch decision {
        case .required:
            event = SCAEvent(expiresAt: call.now + SCALimits.eventLifetime)
            kept = .required
        case .exempt(let exemption, _):
            event = SCAEvent(exemptAt: call.now)
            kept = .exempt(exemption)
        }
        let payload = OperationPayload(
            eventID: try SCAEventID(id.uuid), operationID: request.id, clientID: call.client.id,
            account: request.account, operation: request.operation,
            expiresAt: NumericDate(clamping: event.expiresAt.seconds))
        return WalletOperationRecord(
            id: id, clientID: call.client.id.rawValue, operationID: request.id.rawValue, createKey: key,
            accountID: account.id, sessionID: try Self.id(request.session),
            issuer: issuer.rawValue, type: request.operation.type.rawValue,
            sealed: try vault.seal(payload.bytes, request: request.json.bytes, of: id), decision: kept,
            findings: String(decoding: ExemptionFinding.json(decision.findings).bytes, as: UTF8.self), event: event,
            createdAt: call.now, keptUntil: call.now + settings.evidenceRetention)
    }

    private static func id(_ session: SessionID) throws -> UniqueID {
        guard let id = UniqueID(bytes: session.bytes) else { throw InvariantViolation() }
        return id
    }

    private func step(
        of decision: SCAPolicy.Decision, by signIn: OperationSession, _ record: WalletOperationRecord,
        call: BackendCaller
    ) throws -> OperationStep {
        switch decision {
        case .required: return try ledger.step(.requested, record, origin: call.origin, now: call.now)
        case .exempt: return try ledger.step(.exempted, record, by: signIn, origin: call.origin, now: call.now)
        }
    }
}

/// Why a backend's request about a wallet operation is refused.
package enum WalletOperationRefusal: Error, Sendable, Hashable {
    /// The caller's brand has no such account, or it is closed.
    case accountNotFound
    /// The account has no such session, or it has ended.
    case sessionNotFound
    /// The operation needs consent, and the app of the session may not ask for it: it is not the operator's own.
    case appNotFirstParty
    /// The caller used this name for another operation.
    case operationExists
    /// The Idempotency-Key was used with another request.
    case keyReused
    case operationNotFound
    /// The operation was already carried out.
    case alreadyUsed
    /// The person has not consented.
    case notVerified
    /// The operation to carry out differs from the one consented to.
    case operationChanged
    /// The operation is over.
    case over(SCAEvent.End)
    /// The caller has too many open operations for the account or session; seconds until one of them ends.
    case tooManyOpen(retryAfter: Int64)
    /// The person's list of trusted payees at this backend is full.
    case trustedPayeesFull
    /// The payee is not on the person's list at this backend.
    case trustedPayeeNotFound
    /// The person did not begin such a series with this caller.
    case seriesNotFound
    /// The series of the payment has ended.
    case seriesEnded
    /// The exemption of the payment no longer applies.
    case exemptionOver

    /// One of each kind.
    static let all: [WalletOperationRefusal] =
        [
            .accountNotFound, .sessionNotFound, .appNotFirstParty, .operationExists, .keyReused, .operationNotFound,
            .alreadyUsed, .notVerified, .operationChanged, .tooManyOpen(retryAfter: 1), .trustedPayeesFull,
            .trustedPayeeNotFound, .seriesNotFound, .seriesEnded, .exemptionOver,
        ] + [.locked, .expired, .cancelled, .used].map { .over($0) }
}
