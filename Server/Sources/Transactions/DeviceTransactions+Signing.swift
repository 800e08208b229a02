internal import Consent
internal import Core
package import Kernel
internal import SignIn
internal import Store
package import WalletAuthWire

extension VerifiedAssertion {
    enum Signer: Sendable {
        /// The device signs. The write stores its signature.
        case accepted(DeviceRecord)
        /// The assertion is right, but the device must not sign.
        case refused(TransactionRefusal)
        /// The assertion proves nothing.
        case unproven(PINRefusal)
        /// The assertion was decided when it first arrived.
        case repeated(AssertionDecision)
    }

    /// Saves the assertion, and decides whether it signs: by what it proves, and by the device as it is now.
    /// - Parameter factor: its second factor.
    func signer(
        with factor: DeviceAssertion.Factor, admittedBy admission: DeviceAdmission, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Signer {
        let proof: AssertionProof
        switch try save(on: connection) {
        case .repeated(let decision): return .repeated(decision)
        case .first(.failure(let refusal)): return .unproven(refusal)
        case .first(.success(let proved)): proof = proved
        }
        guard let device = try Devices.find(proof.device.id, on: connection) else { return .refused(.notFound) }
        // The key may have been removed since it was verified.
        if factor == .biometric, device.biometricKey != proof.device.biometricKey {
            return .refused(.secondFactorUnavailable)
        }
        if let refusal = try admission.refusal(of: device, now: now, on: connection) {
            return .refused(TransactionRefusal(refusal))
        }
        return device.restriction(at: now).map { .refused(TransactionRefusal($0)) } ?? .accepted(device)
    }
}

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
            connection -> (hash: PayloadHash?, signer: DeviceAssertions.Signer?)? in
            guard let record = try Transactions.find(rowID, on: connection), record.state.device == signer else {
                return nil
            }
            return (record.payload?.hash, try DeviceAssertions.signer(of: presented, on: connection))
        }
        guard let found, let hash = found.hash else {
            return .failure(try await refusal(of: presented, on: id, now: now))
        }
        let request = DeviceAssertions.Presented(presented, act: .transaction(id, hash), origin: origin, now: now)
        let outcome: Result<DeviceTransaction, DeviceTransactionRefusal>
        do {
            outcome = try await WriteConflict.retrying("a transaction") {
                let asserted = try await assertions.verify(request, by: found.signer)
                if let refusal = asserted.refusal { return .failure(.assertion(refusal)) }
                return try await ledger.database.write { connection in
                    switch try asserted.signer(
                        with: presented.unverified.factor, admittedBy: admission, now: now, on: connection)
                    {
                    case .accepted(let device):
                        return try sign(
                            rowID, by: device, signature.assertion, presented, origin: origin, arrival: now,
                            on: connection
                        ).mapError { .refused($0) }
                    case .refused(let refusal): return .failure(.refused(refusal))
                    case .unproven(let refusal):
                        if refusal.isLock {
                            try ledger.fail(rowID, of: signer, on: connection, origin: origin, arrival: now)
                        }
                        return .failure(.assertion(refusal))
                    case .repeated(.failure(let refusal)): return .failure(.assertion(refusal))
                    case .repeated(.success(let proof)):
                        return try signed(rowID, by: presented, on: proof.device, now: now, connection: connection)
                            .mapError { .refused($0) }
                    }
                }
            }
        } catch is Outdated { outcome = .failure(.assertion(.invalidCredentials)) }
        switch outcome {
        case .failure(.assertion(.invalidCredentials)):
            return .failure(try await refusal(of: presented, on: id, now: now))
        // The last wrong PIN has ended the transaction.
        case .success, .failure(.assertion(.locked(.tooManyTries))): ledger.changes.changed(rowID)
        case .failure: break
        }
        return outcome
    }

    /// The assertion became too old while it waited for its write, which is undone: its challenge stays open.
    private struct Outdated: Error {}

    /// The response to a repeated assertion.
    private func signed(
        _ id: UniqueID, by presented: PresentedAssertion, on device: DeviceRecord, now: Timestamp,
        connection: any SQLConnection
    ) throws -> Result<DeviceTransaction, TransactionRefusal> {
        guard let record = try Transactions.find(id, on: connection) else { return .failure(.notFound) }
        guard try ledger.vault.isSigned(record, by: presented) else {
            let status = record.state.status(at: now)
            return .failure(status.isFinal ? .over(status) : .notConfirmed)
        }
        return .success(try view(record, on: device, now: now, connection: connection))
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
        let now = ledger.clock.writeTime(since: arrival)
        // A transaction that was confirmed under a former issuer would have evidence with two issuers.
        guard let found = try Transactions.find(id, on: connection), let account = found.accountID,
            found.issuer == issuer.rawValue
        else { return .failure(.notFound) }
        var record = found
        let factor = presented.unverified.factor.transactionFactor
        let transition = record.state.signing(by: try DeviceID(device.id.uuid), with: factor, now: now)
        guard case .next(let state) = transition else {
            guard try ledger.vault.isSigned(record, by: presented) else {
                return .failure(try TransactionRefusal(transition))
            }
            return .success(try view(record, on: device, now: now, connection: connection))
        }
        // A backend that was deleted since would not carry it out.
        guard try Clients.isRegistered(record.clientID, on: connection) else { return .failure(.notFound) }
        // The assertion was verified by its arrival. Its proof will be verified by the time that is stored here.
        guard presented.isRecent(at: NumericDate(clamping: now.seconds)) else { throw Outdated() }
        guard let payload = try ledger.vault.payload(of: record) else { throw DamagedRow() }
        record.state = state
        record.assertion = try ledger.vault.seal(assertion, with: factor, by: device, of: id)
        record.keptUntil = now + evidenceRetention
        guard try Transactions.save(record, over: found, on: connection) else { throw WriteConflict() }
        try ledger.record(record, origin: origin, now: now, on: connection)
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
        let now = clock.writeTime(since: arrival)
        guard let found = try Transactions.find(id, on: connection), found.state.device == device,
            case .next(let state) = found.state.failing(on: device, now: now)
        else { return }
        var record = found
        record.state = state
        guard try Transactions.save(record, over: found, on: connection) else { throw WriteConflict() }
        try self.record(record, origin: origin, now: now, on: connection)
    }
}
