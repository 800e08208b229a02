internal import Core
package import Kernel
package import SignIn
internal import Store
package import WalletAuthWire

/// Transactions that an app begins itself. The app holds a sealed draft, and nothing is stored until it comes back signed.
///
/// Such a transaction has neither amount nor payee, and is never a payment.
package struct TransactionDrafts: Sendable {
    let ledger: TransactionLedger
    let devices: DeviceTransactions
    let sealing: SealingKeys

    /// The content of a draft; bytes are base64url.
    private struct Content: Codable, Sendable {
        var id: String
        var device: String
        var payload: String
        var clientState: String?
        var clientAdditionalData: String?
    }

    /// A restore voids drafts, because the row of one that was signed may be missing from the backup.
    private var sealed: SealedState<Content> {
        SealedState(
            sealing, purpose: .signIn, label: "transaction-draft", lifetime: TransactionLimits.draftLifetime)
    }

    /// Begins a transaction.
    /// - Parameter request: the app's state and data, and the required second factor.
    package func begin(
        _ request: TransactionDraftRequest, call: DeviceCaller
    ) async throws -> Result<TransactionDraftResponse, DeviceTransactionRefusal> {
        let (device, now) = (call.device, call.now)
        let factors = try await ledger.database.read {
            connection -> Result<[TransactionFactor], TransactionRefusal> in
            if let refusal = try devices.admission.refusal(of: device, now: now, on: connection) {
                return .failure(TransactionRefusal(refusal))
            }
            return try devices.factorsToSign(
                on: device, for: request.requiredSecondFactor, now: now, connection: connection)
        }
        let allowed: [TransactionFactor]
        switch factors {
        case .failure(let refusal): return .failure(.refused(refusal))
        case .success(let factors): allowed = factors
        }
        let id = try sealing.random.timeOrderedID(now)
        let expiresAt = NumericDate(clamping: (now + TransactionLimits.draftLifetime).seconds)
        let payload = ClientTransactionPayload(
            transactionID: try TransactionID(id.uuid), clientID: try ClientID(device.clientID),
            account: try AccountID(bytes: device.accountID.bytes),
            clientStateHash: request.clientState.map { TransactionDataHash(of: $0) },
            clientAdditionalDataHash: request.clientAdditionalData.map { TransactionDataHash(of: $0) },
            requiredSecondFactor: request.requiredSecondFactor,
            nonce: try Nonce(Base64URL.encode(sealing.random.bytes(32))), expiresAt: expiresAt)
        let content = Content(
            id: id.uuid, device: device.id.uuid, payload: Base64URL.encode(payload.bytes),
            clientState: request.clientState.map { Base64URL.encode($0) },
            clientAdditionalData: request.clientAdditionalData.map { Base64URL.encode($0) })
        var view = DeviceTransaction(
            transactionID: payload.transactionID, status: .confirmed, payload: payload.bytes,
            allowedSecondFactors: allowed, expiresAt: expiresAt)
        if allowed.contains(.biometric) {
            view.challenge = try devices.challenges.issue(
                .transaction(payload.transactionID, on: device), now: now)
        }
        return .success(
            TransactionDraftResponse(draft: try TransactionDraft(sealed.seal(content, now: now)), transaction: view))
    }

    /// Stores a signed draft, once. A repeated assertion gets the same response.
    /// - Parameter signedDraft: the draft, and the assertion by the device and its second factor.
    package func store(
        _ signedDraft: SignedDraft, origin: RequestOrigin
    ) async throws -> Result<DeviceTransaction, DeviceTransactionRefusal> {
        let now = ledger.clock.now()
        guard let presented = try? PresentedAssertion(signedDraft.assertion) else {
            return .failure(.assertion(.invalidCredentials))
        }
        guard let draft = open(signedDraft.draft, now: now), draft.device == presented.unverified.deviceID else {
            return .failure(.refused(.invalidDraft))
        }
        let factor = presented.unverified.factor
        let request = DeviceAssertions.Presented(
            presented, act: .transaction(draft.payload.transactionID, draft.hash), origin: origin, now: now)
        return try await WriteConflict.retrying("a transaction") {
            let asserted = try await devices.assertions.verify(request)
            if let refusal = asserted.refusal { return .failure(.assertion(refusal)) }
            return try await ledger.database.write { connection in
                switch try asserted.signer(
                    with: factor, admittedBy: devices.admission, now: now, on: connection)
                {
                case .accepted(let device):
                    return try add(
                        draft, signedDraft.assertion, presented, by: device, origin: origin, now: now, on: connection
                    ).mapError { .refused($0) }
                case .refused(let refusal): return .failure(.refused(refusal))
                // No row exists that could fail with the PIN.
                case .unproven(let refusal), .repeated(.failure(let refusal)): return .failure(.assertion(refusal))
                case .repeated(.success(let proof)):
                    guard let record = try Transactions.find(draft.id, on: connection),
                        record.state.device == draft.device
                    else { return .failure(.refused(.invalidDraft)) }
                    guard try ledger.vault.isSigned(record, by: presented) else {
                        return .failure(.refused(.draftUsed))
                    }
                    return .success(try devices.view(record, on: proof.device, now: now, connection: connection))
                }
            }
        }
    }

    /// Why a PIN is not evaluated for a draft; `nil` if it may be.
    func refusal(
        of draft: TransactionDraft, id: TransactionID, hash: PayloadHash, by device: DeviceRecord, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> TransactionRefusal? {
        guard let opened = open(draft, now: now), opened.device.rawValue == device.id.uuid else {
            return .invalidDraft
        }
        guard opened.payload.transactionID == id, opened.hash == hash else { return .otherPayload }
        guard opened.payload.requiredSecondFactor.allowed.contains(.pin) else { return .secondFactorUnavailable }
        guard try Transactions.find(opened.id, on: connection) == nil else { return .draftUsed }
        return try excess(of: device.id, now: now, on: connection)
    }
}

extension TransactionDrafts {
    /// A draft that came back.
    private struct Opened: Sendable {
        var id: UniqueID
        var device: DeviceID
        var payload: ClientTransactionPayload
        var hash: PayloadHash
        var clientState: [UInt8]?
        var clientAdditionalData: [UInt8]?
    }

    /// Opens a draft that this issuer made since the last restore and that has not expired.
    private func open(_ draft: TransactionDraft, now: Timestamp) -> Opened? {
        guard let content = sealed.open(draft.reveal(), now: now), let id = UniqueID(uuid: content.id),
            let device = try? DeviceID(content.device), let bytes = Base64URL.decode(content.payload),
            let payload = try? ClientTransactionPayload(parsing: bytes)
        else { return nil }
        return Opened(
            id: id, device: device, payload: payload, hash: .transaction(bytes),
            clientState: content.clientState.flatMap { Base64URL.decode($0) },
            clientAdditionalData: content.clientAdditionalData.flatMap { Base64URL.decode($0) })
    }

    /// Why a device must not store another transaction of its own; `nil` if it may. Its holder knows the PIN, so the attempt counter
    /// does not limit them.
    private func excess(
        of device: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> TransactionRefusal? {
        let (count, first) = try Transactions.begun(
            on: device, since: now - TransactionLimits.begunWindow + .milliseconds(1), connection: connection)
        guard count >= TransactionLimits.begunOnDevice else { return nil }
        return .tooManyBegun(
            retryAfter: RetryAfter.seconds(until: first.map { $0 + TransactionLimits.begunWindow }, now: now))
    }

    private func add(
        _ draft: Opened, _ assertion: SignedAssertion, _ presented: PresentedAssertion, by device: DeviceRecord,
        origin: RequestOrigin, now: Timestamp, on connection: any SQLConnection
    ) throws -> Result<DeviceTransaction, TransactionRefusal> {
        let confirmed = TransactionState(
            phase: .confirmed(by: draft.device),
            expiresAt: Timestamp(seconds: draft.payload.expiresAt.secondsSince1970),
            requiredSecondFactor: draft.payload.requiredSecondFactor)
        let factor = presented.unverified.factor.transactionFactor
        let transition = confirmed.signing(by: draft.device, with: factor, now: now)
        guard case .next(let state) = transition else { return .failure(try TransactionRefusal(transition)) }
        guard let account = try Accounts.find(device.accountID, on: connection) else { return .failure(.notFound) }
        if let known = try Transactions.find(draft.id, on: connection) {
            guard try ledger.vault.isSigned(known, by: presented) else { return .failure(.draftUsed) }
            return .success(try devices.view(known, on: device, now: now, connection: connection))
        }
        if let refusal = try excess(of: device.id, now: now, on: connection) { return .failure(refusal) }
        let payload = draft.payload.bytes
        let content = TransactionSource.client(
            clientState: draft.clientState, clientAdditionalData: draft.clientAdditionalData)
        let record = TransactionRecord(
            id: draft.id, origin: .client, clientID: device.clientID, brandID: account.brandID,
            issuer: devices.issuer.rawValue, accountID: device.accountID, state: state,
            sealed: try ledger.vault.seal(content, of: draft.id),
            payload: try ledger.vault.seal(payload: payload, of: draft.id),
            assertion: try ledger.vault.seal(assertion, with: factor, by: device, of: draft.id), createdAt: now,
            // The row detects a second use of the draft, so it outlives the draft.
            keptUntil: max(now + devices.evidenceRetention, state.expiresAt))
        guard try Transactions.add(record, on: connection) == .added else { throw WriteConflict() }
        try ledger.record(record, origin: origin, now: now, on: connection)
        return .success(try devices.view(record, payload, on: device, now: now, connection: connection))
    }
}
