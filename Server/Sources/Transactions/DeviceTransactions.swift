internal import Core
internal import Kernel
package import SignIn
internal import Store
package import WalletAuthWire

/// The transactions on a device: claimed with a QR code, confirmed or rejected, and signed.
///
/// The device signs each request. No session is needed, because a person who has to sign in first may lose the page with the code.
package struct DeviceTransactions: Sendable {
    let ledger: TransactionLedger
    let assertions: DeviceAssertions
    let admission: DeviceAdmission
    let challenges: DeviceChallenges
    let random: any RandomBytes
    let issuer: Issuer
    let biometricKeys: BiometricKeyRule
    let evidenceRetention: Duration

    /// Claims the transaction of a QR code. Idempotent.
    package func claim(
        _ claim: TransactionClaim, call: DeviceCaller
    ) async throws -> Result<DeviceTransaction, DeviceTransactionRefusal> {
        guard let rowID = UniqueID(uuid: claim.link.transactionID.rawValue),
            claim.link.leads(to: issuer)
        else { return .failure(.refused(.notFound)) }
        let nonce = try Nonce(Base64URL.encode(random.bytes(32)))
        return try await take(rowID, call) { step, connection in
            guard case .server(let request, let secret) = try ledger.vault.open(step.record),
                secret == claim.link.secret,
                let account = try Accounts.find(step.device.accountID, on: connection), account.state == .active,
                request.account.map({ $0.bytes == account.id.bytes }) ?? (account.brandID == step.record.brandID)
            else { return .refused(.notFound) }
            let transition = step.record.state.claiming(by: try call.deviceID, now: step.now)
            guard case .next(let state) = transition else { return .transition(transition) }
            if let refusal = try refusal(of: &step, on: connection) { return .refused(refusal) }
            let payload = TransactionPayload(
                transactionID: try TransactionID(step.record.id.uuid), clientID: try ClientID(step.record.clientID),
                account: try AccountID(bytes: account.id.bytes), content: request.content,
                requiredSecondFactor: request.requiredSecondFactor, nonce: nonce,
                expiresAt: NumericDate(clamping: state.expiresAt.seconds)
            ).bytes
            step.record.accountID = account.id
            step.record.payload = try ledger.vault.seal(payload: payload, of: step.record.id)
            step.payload = payload
            return .transition(transition)
        }
    }

    /// Confirms that the person has read a transaction. Idempotent.
    /// - Parameter confirmation: the device, and the hash of what it showed.
    package func confirm(
        _ confirmation: TransactionConfirmation, of id: TransactionID, call: DeviceCaller
    ) async throws -> Result<DeviceTransaction, DeviceTransactionRefusal> {
        guard let rowID = UniqueID(uuid: id.rawValue) else { return .failure(.refused(.notFound)) }
        return try await take(rowID, call) { step, connection in
            let id = try call.deviceID
            guard step.record.state.device == id else { return .refused(.notFound) }
            let transition = step.record.state.confirming(by: id, now: step.now)
            guard case .next = transition else { return .transition(transition) }
            guard step.record.payload?.hash == confirmation.payloadHash else { return .refused(.otherPayload) }
            if let refusal = try refusal(of: &step, on: connection) { return .refused(refusal) }
            return .transition(transition)
        }
    }

    /// Rejects a transaction, without a second factor. Idempotent.
    /// - Parameter rejection: the device, the hash of what it showed, and the reason.
    package func reject(
        _ rejection: TransactionRejection, of id: TransactionID, call: DeviceCaller
    ) async throws -> Result<DeviceTransaction, DeviceTransactionRefusal> {
        guard let rowID = UniqueID(uuid: id.rawValue) else { return .failure(.refused(.notFound)) }
        return try await take(rowID, call) { step, _ in
            let id = try call.deviceID
            guard step.record.state.device == id else { return .refused(.notFound) }
            let transition = step.record.state.rejecting(by: id, rejection.reason, now: step.now)
            guard case .next = transition else { return .transition(transition) }
            guard step.record.payload?.hash == rejection.payloadHash else { return .refused(.otherPayload) }
            return .transition(transition)
        }
    }

    /// The open transactions of the device on which the app's session was opened, the oldest first. An app continues with them after
    /// a restart.
    /// - Parameter cursor: the end of the previous page.
    package func open(
        after cursor: TransactionCursor?, call: AppCaller
    ) async throws -> TransactionPage<DeviceTransaction> {
        guard let device = call.device else { return TransactionPage(transactions: [], cursor: nil) }
        return try await ledger.database.read { connection in
            let records = try Transactions.list(
                of: .device(device.id), Transactions.Filter(statuses: [.claimed, .confirmed]),
                after: cursor?.id, limit: TransactionLimits.pageSize + 1,
                now: call.now, on: connection)
            return try TransactionPage(of: records) {
                try view($0, on: device, now: call.now, connection: connection)
            }
        }
    }
}

// MARK: - Steps

extension DeviceTransactions {
    enum Decision {
        /// The result of the state machine.
        case transition(TransactionState.Transition)
        /// Refused for another reason.
        case refused(TransactionRefusal)
    }

    /// A step in the write that takes it.
    struct Step {
        /// The row, of which a decision may also change other columns than the state.
        var record: TransactionRecord
        /// The device as read in the write.
        let device: DeviceRecord
        /// The time of the write.
        let now: Timestamp
        /// The bytes to sign, if the decision made them.
        var payload: [UInt8]?
        /// The factors with which the device may sign, if the decision depended on them.
        var factors: [TransactionFactor]?
    }

    /// Takes a step: reads the row, decides, and writes it under its guard together with the audit log's entry.
    /// - Parameter decide: decides at the time of the write. A repeated step changes nothing.
    private func take(
        _ id: UniqueID, _ call: DeviceCaller,
        decide: @escaping @Sendable (inout Step, any SQLConnection) throws -> Decision
    ) async throws -> Result<DeviceTransaction, DeviceTransactionRefusal> {
        let outcome = try await ledger.database.retryingWrite("a transaction") {
            connection -> Result<DeviceTransaction, DeviceTransactionRefusal> in
            // Since its signature was verified, the device may have been removed, or may have lost its biometric key.
            guard let device = try Devices.find(call.device.id, on: connection) else {
                return .failure(.refused(.notFound))
            }
            let now = ledger.clock.writeTime(since: call.now)
            if let refusal = try admission.refusal(of: device, now: now, on: connection) {
                return .failure(.refused(TransactionRefusal(refusal)))
            }
            guard let record = try Transactions.find(id, on: connection),
                record.issuer == issuer.rawValue,
                try Clients.isRegistered(record.clientID, on: connection)
            else { return .failure(.refused(.notFound)) }
            var step = Step(record: record, device: device, now: now)
            switch try decide(&step, connection) {
            case .refused(let refusal): return .failure(.refused(refusal))
            case .transition(.next(let state)):
                step.record.state = state
                guard try Transactions.save(step.record, over: record, on: connection) else { throw WriteConflict() }
                try ledger.record(step.record, origin: call.origin, now: step.now, on: connection)
            case .transition(.repeated): break
            case .transition(let transition): return .failure(.refused(try TransactionRefusal(transition)))
            }
            return .success(
                try view(
                    step.record, step.payload, step.factors, on: device, now: step.now, connection: connection))
        }
        if case .success = outcome { ledger.changes.changed(id) }
        return outcome
    }

    /// Why the device must not sign this kind of transaction now; `nil` if it may.
    private func refusal(of step: inout Step, on connection: any SQLConnection) throws -> TransactionRefusal? {
        let factors = try factorsToSign(
            on: step.device, for: step.record.state.requiredSecondFactor, now: step.now, connection: connection)
        switch factors {
        case .failure(let refusal): return refusal
        case .success(let factors):
            step.factors = factors
            return nil
        }
    }

    /// The factors with which a device may sign a transaction now, at least one, or why it must not sign.
    func factorsToSign(
        on device: DeviceRecord, for required: RequiredSecondFactor, now: Timestamp, connection: any SQLConnection
    ) throws -> Result<[TransactionFactor], TransactionRefusal> {
        if let restriction = device.restriction(at: now) { return .failure(TransactionRefusal(restriction)) }
        let factors = try device.signingFactors(under: biometricKeys, now: now, on: connection)
            .filter(required.allowed.contains)
        guard factors.isEmpty else { return .success(factors) }
        return .failure(.noSecondFactor(try shortage(of: device, for: required, now: now, on: connection)))
    }

    /// What a device lacks if it has none of the factors that a transaction allows.
    private func shortage(
        of device: DeviceRecord, for required: RequiredSecondFactor, now: Timestamp, on connection: any SQLConnection
    ) throws -> SecondFactorShortage {
        var shortage = SecondFactorShortage(required: required)
        guard required.allowed.contains(.pin) else { return shortage }
        // First: once the attempts of the window are used up, setting a PIN is refused too.
        let pin = try PINs.find(device.id, on: connection)
        if let until = pin.exhaustedUntil(now) {
            shortage.pin = .exhausted(until: NumericDate(clamping: until.seconds))
            return shortage
        }
        switch pin.state {
        case .none, .pending: shortage.pin = .notSet
        // A current PIN that is no factor has no attempts left.
        case .active, .changing, .locked, .replacing: shortage.pin = .locked(pin.state.lockReason ?? .tooManyTries)
        }
        return shortage
    }

    /// A transaction in the form for its device.
    /// - Parameters:
    ///   - payload: the bytes to sign, if they are known; otherwise they are opened.
    ///   - known: the factors with which the device may sign now, if they are known; otherwise they are looked up.
    func view(
        _ record: TransactionRecord, _ payload: [UInt8]? = nil, _ known: [TransactionFactor]? = nil,
        on device: DeviceRecord, now: Timestamp, connection: any SQLConnection
    ) throws -> DeviceTransaction {
        guard let payload = try payload ?? ledger.vault.payload(of: record) else { throw DamagedRow() }
        let status = record.state.status(at: now)
        let allowed =
            status.isFinal
            ? []
            : try known
                ?? device.signingFactors(under: biometricKeys, now: now, on: connection)
                .filter(record.state.requiredSecondFactor.allowed.contains)
        var view = DeviceTransaction(
            transactionID: try TransactionID(record.id.uuid), status: status, payload: payload,
            allowedSecondFactors: allowed, expiresAt: NumericDate(clamping: record.state.expiresAt.seconds))
        if case .rejected(_, let reason, _) = record.state.phase { view.reason = reason }
        if status == .confirmed, allowed.contains(.biometric) {
            view.challenge = try challenges.issue(
                try .transaction(view.transactionID, on: device), now: now)
        }
        return view
    }
}

extension TransactionRefusal {
    /// The refusal for a device that may not act.
    init(_ refusal: DeviceAdmission.Refusal) {
        switch refusal {
        case .unknown, .suspended, .deactivated: self = .notFound
        case .walletDeactivated: self = .walletDeactivated
        case .passwordChangeRequired: self = .passwordChangeRequired
        }
    }

    /// The refusal for a restricted device. The signature check has already refused a closed one.
    init(_ restriction: DeviceRestriction) {
        switch restriction {
        case .closed: self = .notFound
        case .unverifiedInstance: self = .instanceUnverified
        case .cooling(let until): self = .deviceCooling(until: until)
        }
    }

    /// The refusal for a step that is not possible.
    /// - Throws: ``InvariantViolation`` for a transition that is no refusal.
    init(_ transition: TransactionState.Transition) throws {
        switch transition {
        case .over(let status): self = .over(status)
        case .othersClaim: self = .alreadyClaimed
        case .notYetPossible: self = .notConfirmed
        case .factorNotAllowed: self = .secondFactorUnavailable
        case .next, .repeated: throw InvariantViolation()
        }
    }
}

extension DeviceCaller {
    /// The device's ID in the form of the wire.
    var deviceID: DeviceID { get throws { try DeviceID(device.id.uuid) } }
}

extension DeviceChallenges.Binding {
    /// The challenge for one signature by the biometric key. It belongs to the device, not to a session of its app.
    static func transaction(_ id: TransactionID, on device: DeviceRecord) throws -> Self {
        Self(
            purpose: .transaction, thumbprint: try device.key.thumbprint, account: nil, device: device.id.uuid,
            transaction: id.rawValue)
    }
}

/// Why a device's request about a transaction is refused.
package enum DeviceTransactionRefusal: Error, Sendable, Hashable {
    /// The assertion proves nothing. If it locked the PIN, the transaction has failed.
    case assertion(PINRefusal)
    /// A rule for transactions.
    case refused(TransactionRefusal)
}
