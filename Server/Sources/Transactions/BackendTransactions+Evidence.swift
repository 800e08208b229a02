internal import Core
package import Kernel
package import SignIn
internal import Store
package import WalletAuthWire

extension BackendTransactions {
    /// Evidence of a transaction in any state. The content is deterministic for the same facts.
    package func evidence(
        of id: TransactionID, call: BackendCaller
    ) async throws -> Result<TransactionEvidence, TransactionRefusal> {
        guard let rowID = UniqueID(uuid: id.rawValue), try await visible(rowID, to: call, at: call.now) != nil,
            let document = try await document(at: call.now, { try visible(rowID, to: call, on: $0) })
        else { return .failure(.notFound) }
        return .success(document)
    }

    /// Evidence of a transaction of any client, for the operator; `nil` if there is none.
    func evidence(of id: UniqueID, now: Timestamp) async throws -> TransactionEvidence? {
        let read: @Sendable (any SQLConnection) throws -> [TransactionRecord] = {
            try Transactions.find(id, on: $0).map { [$0] } ?? []
        }
        _ = try await ledger.settled(try await ledger.database.read(read), at: now, read)
        return try await document(at: now) { try Transactions.find(id, on: $0) }
    }

    private func document(
        at now: Timestamp, _ find: @escaping @Sendable (any SQLConnection) throws -> TransactionRecord?
    ) async throws -> TransactionEvidence? {
        // One read for row and steps: a step in between would make a document that contradicts itself.
        let claims = try await ledger.database.read { connection -> TransactionEvidenceClaims? in
            // After the retention, the steps are deleted before the transaction is.
            guard let record = try find(connection), record.keptUntil > now else { return nil }
            try RecordedTransaction(audit: audit, record: record, now: now).require(on: connection)
            let claims = try ledger.claims(of: record, now: now, on: connection)
            return record.namesSigner ? claims : claims.withoutSigner
        }
        return try claims.map { try AuditCheckpointKey(keyRing.active(.audit)).sign($0) }
    }
}

extension TransactionLedger {
    func claims(
        of record: TransactionRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> TransactionEvidenceClaims {
        let steps = try TransactionSteps.all(of: record.id, on: connection).map { step in
            TransactionEvidenceClaims.Step(
                status: step.status, at: step.at.milliseconds,
                circumstances: try vault.circumstances(in: step.circumstances, of: record.id),
                place: OperationEvidenceClaims.Place(
                    partition: step.place.partition.rawValue, sequence: step.place.sequence, link: step.place.link))
        }
        var claims = TransactionEvidenceClaims(
            issuer: try Issuer(record.issuer), transactionID: try TransactionID(record.id.uuid),
            origin: record.origin, clientID: try ClientID(record.clientID), status: record.state.status(at: now),
            createdAt: record.createdAt.milliseconds, expiresAt: record.state.expiresAt.milliseconds, steps: steps)
        claims.account = try record.accountID.map { try AccountID(bytes: $0.bytes) }
        claims.payload = try vault.payload(of: record)
        claims.endedAt = record.state.endedAt?.milliseconds
        switch record.state.phase {
        case .signed(_, let factor, _):
            guard let device = try vault.signer(of: record) else { throw DamagedRow() }
            claims.signature = TransactionEvidenceClaims.Signature(secondFactor: factor, device: device)
        // The signature of the rejection is not stored; naming a device without one would only be the server's word. The audit log
        // has the device.
        case .rejected(_, let reason, _): claims.reason = reason
        case .cancelled(_, let reason, _): claims.cancellation = reason
        case .created, .claimed, .confirmed, .failed: break
        }
        return claims
    }
}

extension TransactionEvidenceClaims {
    /// Removes what identifies the signer: account, payload, and, from the claim on, the circumstances of the steps and their positions
    /// in the audit log, whose partition is the account's.
    fileprivate var withoutSigner: Self {
        var claims = self
        claims.account = nil
        claims.payload = nil
        let claim = steps.firstIndex { $0.status == .claimed } ?? steps.endIndex
        for index in steps.indices.suffix(from: claim) {
            claims.steps[index].circumstances = nil
            claims.steps[index].place = nil
        }
        return claims
    }
}
