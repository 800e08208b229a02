internal import Consent
internal import Core
package import Kernel
internal import SignIn
internal import Store
package import WalletAuthWire

extension DeviceTransactions {
    /// Signs a confirmed transaction. A repeated assertion gets the same response.
    /// - Parameter signature: the assertion by the device and its second factor.
    package func sign(
        _ signature: TransactionSignature, of id: TransactionID, origin: RequestOrigin
    ) async throws -> Result<DeviceTransaction, DeviceTransactionRefusal> {
        let now = ledger.clock.now()
        guard let rowID = UniqueID(uuid: id.rawValue),
            let presented = try? PresentedAssertion(signature.assertion)
        else { return .failure(.assertion(.invalidCredentials)) }
        let signer = presented.unverified.deviceID
        let found = try await ledger.database.read {
            connection -> (hash: PayloadHash?, signer: BiometricAssertions.Signer?)? in
            guard let record = try Transactions.find(rowID, on: connection), record.state.device == signer else {
                return nil
            }
            return (record.payload?.hash, try BiometricAssertions.signer(of: presented, on: connection))
        }
        guard let found, let hash = found.hash else {
            return .failure(try await refusal(of: presented, on: id, now: now))
        }
        let signing = TransactionSigning(
            assertions: assertions, presented: presented, signer: found.signer, origin: origin, now: now
        ) { device, connection in
            try sign(rowID, by: device, signature.assertion, presented, origin: origin, arrival: now, on: connection)
        } fail: { connection in
            try ledger.fail(rowID, of: signer, on: connection, origin: origin, arrival: now)
        }
        switch try await signing.run(.transaction(id, hash)) {
        case .failure(.assertion(.invalidCredentials)):
            return .failure(try await refusal(of: presented, on: id, now: now))
        case .failure(let refusal):
            // The last wrong PIN has ended the transaction.
            if refusal == .assertion(.locked(.tooManyTries)) { ledger.changes.changed(rowID) }
            return .failure(refusal)
        case .success(let signed):
            ledger.changes.changed(rowID)
            if let transaction = signed.transaction { return .success(transaction) }
            return try await ledger.database.read { connection in
                guard let record = try Transactions.find(rowID, on: connection) else {
                    return .failure(.refused(.notFound))
                }
                guard try ledger.vault.isSigned(record, by: presented) else {
                    let status = record.state.status(at: now)
                    return .failure(.refused(status.isFinal ? .over(status) : .notConfirmed))
                }
                return .success(try view(record, on: signed.device, now: now, connection: connection))
            }
        }
    }

    /// The refusal of an invalid assertion. Only the device itself, with a fresh signature for this transaction, learns that it exists
    /// and is over, because another challenge would not help. For all others, every transaction looks the same.
    private func refusal(
        of presented: PresentedAssertion, on id: TransactionID, now: Timestamp
    ) async throws -> DeviceTransactionRefusal {
        let signer = presented.unverified.deviceID
        guard let rowID = UniqueID(uuid: id.rawValue), let deviceID = UniqueID(uuid: signer.rawValue) else {
            return .assertion(.invalidCredentials)
        }
        let admission = assertions.admission
        return try await ledger.database.read { connection in
            guard let device = try Devices.find(deviceID, on: connection),
                try admission.refusal(of: device, now: now, on: connection) == nil,
                presented.isSigned(byDevice: try device.key, about: id, now: NumericDate(clamping: now.seconds))
            else { return .assertion(.invalidCredentials) }
            guard let state = try Transactions.find(rowID, on: connection)?.state, state.device == signer
            else { return .refused(.notFound) }
            let status = state.status(at: now)
            return status.isFinal ? .refused(.over(status)) : .assertion(.invalidCredentials)
        }
    }

    /// The write that signs, unless the transaction is over or must not be signed.
    private func sign(
        _ id: UniqueID, by device: DeviceRecord, _ assertion: SignedAssertion, _ presented: PresentedAssertion,
        origin: RequestOrigin, arrival: Timestamp, on connection: any SQLConnection
    ) throws -> Result<DeviceTransaction, TransactionRefusal> {
        let now = ledger.writeTime(since: arrival)
        // A transaction that was confirmed under a former issuer would have evidence with two issuers.
        guard let found = try Transactions.find(id, on: connection), let account = found.accountID,
            found.issuer == issuer.rawValue
        else { return .failure(.notFound) }
        var record = found
        let transition = record.state.signing(
            by: try DeviceID(device.id.uuid), with: presented.unverified.factor.transactionFactor, now: now)
        guard case .next(let state) = transition else {
            guard try ledger.vault.isSigned(record, by: presented) else {
                return .failure(try TransactionRefusal(transition))
            }
            return .success(try view(record, on: device, now: now, connection: connection))
        }
        // A backend that was deleted since would not carry it out.
        guard try Clients.isRegistered(record.clientID, on: connection) else { return .failure(.notFound) }
        // The assertion was verified by its arrival. Its proof will be verified by the time that is stored here.
        guard presented.isRecent(at: NumericDate(clamping: now.seconds)) else { throw TransactionSigning.Outdated() }
        guard let payload = try ledger.vault.payload(of: record) else { throw DamagedRow() }
        record.state = state
        record.assertion = try ledger.vault.seal(assertion, by: device, of: id)
        record.keptUntil = now + evidenceRetention
        guard try Transactions.save(record, over: found, on: connection) else { throw WriteConflict() }
        try TransactionStep(ledger: ledger, record: record, origin: origin, now: now).write(on: connection)
        // A signed payment is a consent, which resets the counters of small payments (RTS article 16).
        if record.origin == .server, try JSONValue.object(parsing: payload)["amount"] != nil {
            try SCAHistory.recordConsent(
                of: account, to: .operation, client: record.clientID, now: now, on: connection)
        }
        return .success(try view(record, payload, on: device, now: now, connection: connection))
    }
}

extension TransactionLedger {
    /// Ends the transaction that a device claimed, because its PIN is locked. Another device's transaction continues.
    func fail(
        _ id: UniqueID, of device: DeviceID, on connection: any SQLConnection, origin: RequestOrigin,
        arrival: Timestamp
    ) throws {
        let now = writeTime(since: arrival)
        guard let found = try Transactions.find(id, on: connection), found.state.device == device,
            case .next(let state) = found.state.failing(on: device, now: now)
        else { return }
        var record = found
        record.state = state
        guard try Transactions.save(record, over: found, on: connection) else { throw WriteConflict() }
        try TransactionStep(ledger: self, record: record, origin: origin, now: now).write(on: connection)
    }
}

extension DeviceAssertion.Factor {
    var transactionFactor: TransactionFactor {
        switch self {
        case .pin: .pin
        case .biometric: .biometric
        }
    }
}

extension DeviceID {
    var rowID: UniqueID {
        get throws {
            guard let id = UniqueID(uuid: rawValue) else { throw InvariantViolation() }
            return id
        }
    }
}
