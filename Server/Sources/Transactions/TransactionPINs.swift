internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// The acts that a PIN may be evaluated for: a confirmed transaction of the device, with exactly the bytes that it received, or one
/// of its own drafts. Other requests are refused without a charge.
struct TransactionPINs: PINSubject {
    let ledger: TransactionLedger
    let drafts: TransactionDrafts
    let admission: DeviceAdmission
    let issuer: Issuer

    func refusal(
        of request: PINEvaluationRequest, by device: DeviceRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> TransactionRefusal? {
        guard case .use(let use, _) = request.ask, case .transaction(let id, let hash) = use.act else { return nil }
        // Nothing is charged for what expired while the request waited.
        let present = ledger.clock.writeTime(since: now)
        if let refusal = try admission.refusal(of: device, now: present, on: connection) {
            return TransactionRefusal(refusal)
        }
        if let restriction = device.restriction(at: present) { return TransactionRefusal(restriction) }
        if let draft = request.draft {
            return try drafts.refusal(of: draft, id: id, hash: hash, by: device, now: present, on: connection)
        }
        guard let rowID = UniqueID(uuid: id.rawValue), let record = try Transactions.find(rowID, on: connection),
            record.issuer == issuer.rawValue, let holder = record.state.device,
            holder.rawValue == device.id.uuid
        else { return .notFound }
        let transition = record.state.signing(by: holder, with: .pin, now: present)
        guard case .next = transition else { return try TransactionRefusal(transition) }
        return record.payload?.hash == hash ? nil : .otherPayload
    }

    func pinLocked(
        for act: DeviceAssertion.Act, on device: DeviceRecord, origin: RequestOrigin, now: Timestamp,
        connection: any SQLConnection
    ) throws {
        guard let id = act.transactionID.flatMap({ UniqueID(uuid: $0.rawValue) }) else { return }
        try ledger.fail(id, of: DeviceID(device.id.uuid), on: connection, origin: origin, arrival: now)
    }

    func refusedLastTry(for act: DeviceAssertion.Act) {
        guard let id = act.transactionID.flatMap({ UniqueID(uuid: $0.rawValue) }) else { return }
        ledger.changes.changed(id)
    }
}
