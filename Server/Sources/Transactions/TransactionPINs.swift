internal import Core
internal import HTTPTypes
internal import Kernel
package import SignIn
internal import Store
package import WalletAuthWire
internal import Web

/// Evaluates PINs, and charges one that is to sign a transaction only if the transaction still needs it: a confirmed one of the device,
/// with exactly the bytes that it received, or one of its own drafts. A transaction fails with the PIN that was to sign it.
package struct TransactionPINs: Sendable {
    let evaluation: PINEvaluation
    let ledger: TransactionLedger
    let drafts: TransactionDrafts
    let signIns: ScannedSignIns
    let admission: DeviceAdmission
    let issuer: Issuer

    /// Returns the server's share of a PIN key, and the challenge for the assertion.
    package func evaluate(
        _ request: PINEvaluationRequest, call: DeviceCaller
    ) async throws -> Result<PINEvaluationResponse, PINRefusal> {
        guard case .transaction(let id, let hash)? = request.ask.act else {
            return try await evaluation.evaluate(request, call: call)
        }
        let (device, now) = (call.device, call.now)
        let rowID = UniqueID(uuid: id.rawValue)
        let attempt = try evaluation.attempt(request, call: call)
        let opening = try await ledger.database.write { connection -> PINEvaluation.Opening in
            if let repetition = try evaluation.repetition(of: attempt, on: connection) { return repetition }
            if let refusal = try refusal(of: id, hash, request.draft, by: device, now: now, on: connection) {
                return .refused(.transaction(refusal))
            }
            let opening = try evaluation.charge(attempt, on: connection)
            if case .refused(let refusal) = opening, refusal.isLock, let rowID {
                try ledger.fail(
                    rowID, of: DeviceID(device.id.uuid), on: connection, origin: call.origin, arrival: now)
                try signIns.fail(rowID, origin: call.origin, now: now, on: connection)
            }
            return opening
        }
        if case .refused(let refusal) = opening, refusal.isLock, let rowID { ledger.changes.changed(rowID) }
        return try await evaluation.response(to: opening, of: attempt) ?? .failure(.challengeOver)
    }

    /// Why a transaction does not need the PIN. Then nothing is charged.
    private func refusal(
        of id: TransactionID, _ hash: PayloadHash, _ draft: TransactionDraft?, by device: DeviceRecord,
        now: Timestamp, on connection: any SQLConnection
    ) throws -> TransactionRefusal? {
        // Nothing is charged for what expired while the request waited.
        let present = ledger.clock.writeTime(since: now)
        if let refusal = try admission.refusal(of: device, now: present, on: connection) {
            return TransactionRefusal(refusal)
        }
        if let restriction = device.restriction(at: present) { return TransactionRefusal(restriction) }
        if let draft {
            return try drafts.refusal(of: draft, id: id, hash: hash, by: device, now: present, on: connection)
        }
        guard let rowID = UniqueID(uuid: id.rawValue) else { return .notFound }
        if let signIn = try ScanSignIns.find(rowID, on: connection) {
            return signIns.refusal(of: signIn, hash, by: device, now: present)
        }
        guard let record = try Transactions.find(rowID, on: connection), record.issuer == issuer.rawValue,
            let holder = record.state.device,
            holder.rawValue == device.id.uuid
        else { return .notFound }
        let transition = record.state.signing(by: holder, with: .pin, now: present)
        guard case .next = transition else { return try TransactionRefusal(transition) }
        return record.payload?.hash == hash ? nil : .otherPayload
    }
}

/// `POST /v1/pin/evaluate` (docs/wpin-1.md).
struct PINEvaluationEndpoint: Sendable {
    let pins: TransactionPINs
    let answers: PINAnswers

    var route: Route {
        Route(
            .post, Endpoints.pinEvaluation.path, body: .json, .problem,
            by: .device(PINEvaluationRequest.self, at: Endpoints.pinEvaluation)
        ) { request, signed in
            let outcome = try await pins.evaluate(signed.content, call: signed.call)
            return answers.response(to: outcome.map(\.json), request)
        }.stating(.devices, "evaluatePIN", "Evaluates a PIN, which counts as an attempt") {
            Contract(
                "The server's share of the PIN's key", takes: PINEvaluationRequest.shape,
                gives: PINEvaluationResponse.shape, refuses: PINRefusal.all.map { answers.answer(to: $0, .unknown) })
        }
    }
}

extension PINEvaluationRequest: DeviceContent {}
