internal import Core
internal import Kernel
package import SignIn
package import Store
package import WalletAuthWire

/// Operations that one session of an account requested, and that a person approves or refuses on a device with another session
/// (docs/decisions/0122-approving-on-the-phone.md).
///
/// The assertion, its charge and its result are those of a consent on the session's own device. What differs is who signs.
package struct PhoneApprovals: Sendable {
    let events: ConsentEvents
    let clients: ClientDirectory
    let devices: DeviceVault

    // MARK: - What waits

    /// The device of a call, if it may approve.
    package func device(of call: AppCaller) -> Result<DeviceRecord, ApprovalRefusal> {
        ApprovingDevice.admitted(call).map(\.device)
    }

    /// The operations that wait for an approval by a push message, the oldest first, but not those of the calling session.
    package func pending(
        after cursor: UniqueID?, limit: Int, call: AppCaller, on connection: any SQLConnection
    ) throws -> [WalletOperationRecord] {
        try WalletOperations.pushed(
            of: call.account.id, besides: call.session.id, after: cursor, limit: limit, now: call.now, on: connection)
    }

    /// An operation as the device shows it.
    /// - Parameter factors: those of the device.
    package func entry(
        _ record: WalletOperationRecord, on device: DeviceRecord, factors: [TransactionFactor], call: AppCaller,
        connection: any SQLConnection
    ) throws -> ApprovalEntry {
        let content = try events.vault.open(record)
        var challenge: ChallengeResponse?
        if factors.contains(.biometric) {
            challenge = try events.challenges.issue(
                DeviceChallenges.Binding(
                    purpose: .sca, thumbprint: call.thumbprint, account: nil, device: device.id.uuid), now: call.now)
        }
        return try ApprovalEntry(
            event: content.payload.eventID, operationID: content.payload.operationID, payload: content.bytes,
            requester: try requester(of: record, on: connection), allowedSecondFactors: factors, challenge: challenge,
            expiresAt: NumericDate(clamping: record.event.expiresAt.seconds))
    }

    /// The session that asked, as the account's page names it, and the browser of its challenge.
    private func requester(
        of record: WalletOperationRecord, on connection: any SQLConnection
    ) throws -> ApprovalRequester? {
        guard let session = try Sessions.find(record.sessionID, on: connection)?.facts else { return nil }
        // A sign-in in the browser does not name the device whose app it is for.
        let device =
            try session.deviceID.map { try Devices.find($0, on: connection) }
            ?? session.dpopThumbprint.flatMap {
                try Devices.find(dpopKey: $0, of: session.accountID, on: connection)
            }
        let challenged = OperationEvidenceClaims.Step.Kind.challenged.rawValue
        let step = try SCASteps.last(challenged, of: record.id, on: connection)
        let origin = try events.vault.open(circumstances: step?.circumstances, of: record.id)?.origin
        let kind = BrowserKind(RequestOrigin(address: "", userAgent: origin?.userAgent))
        return ApprovalRequester(
            service: try Clients.find(session.signedInTo, on: connection)?.name ?? session.signedInTo,
            device: try device.flatMap { try $0.state == .removed ? nil : devices.shownName(of: $0) },
            browser: kind.browser?.name, system: kind.system?.name)
    }

    // MARK: - Deciding

    /// Approves an operation by an assertion of the calling device.
    ///
    /// The device that approved gets its own result again. Another one gets ``ConsentRefusal/alreadyVerified``.
    package func approve(
        _ approval: ApprovalAttempt, of event: SCAEventID, by call: AppCaller
    ) async throws -> Result<SCAAttemptResponse, ApprovalRefusal> {
        let approver: ApprovingDevice
        switch ApprovingDevice.admitted(call) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let admitted): approver = admitted
        }
        guard let found = try await find(event, approval.operationID, by: call, whileAsking: true) else {
            return .failure(.consent(.eventNotFound))
        }
        let value = try SCAValue(approval.assertion.reveal(), by: .push)
        let request = SCAAttemptRequest(operationID: approval.operationID, verification: .push, value: value)
        let outcome: ConsentEvents.AttemptOutcome
        switch try await events.reserve(request, found.record, call: found.asking) {
        case .over(let over): outcome = over
        case .compare(var attempt):
            attempt.approver = approver
            outcome = try await events.settle(attempt, by: events.verification.decide(on: value, of: attempt))
        }
        return try await events.naming(own(outcome, of: found.record, by: approver), of: found.record)
            .mapError { .consent($0) }
    }

    /// Ends an operation that the person did not start, under the rules of a refusal in the app that requested it.
    ///
    /// The session that asked evades no refusal by signing out, asking for another way, withdrawing or waiting.
    package func refuse(
        _ refusal: SCARefusalRequest, of event: SCAEventID, by call: AppCaller
    ) async throws -> Result<Void, ApprovalRefusal> {
        let approver: ApprovingDevice
        switch ApprovingDevice.admitted(call) {
        case .failure(let refusal): return .failure(refusal)
        case .success(let admitted): approver = admitted
        }
        guard let found = try await find(event, refusal.operationID, by: call, whileAsking: false),
            try await wasPushed(found.record)
        else { return .failure(.consent(.eventNotFound)) }
        return try await events.refuse(found.record, by: found.asking, on: approver).mapError { .consent($0) }
    }

    /// Whether a push ever asked for an operation.
    private func wasPushed(_ record: WalletOperationRecord) async throws -> Bool {
        let challenged = OperationEvidenceClaims.Step.Kind.challenged.rawValue
        return try await events.ledger.database.read { connection in
            try SCASteps.all(of: record.id, on: connection).contains { step in
                try step.kind == challenged && OperationFacts(step.facts).verification == .push
            }
        }
    }

    /// The result for the device that brought it about. After a lost response, it may ask again until the operation is kept no longer.
    private func own(
        _ outcome: ConsentEvents.AttemptOutcome, of record: WalletOperationRecord, by approver: ApprovingDevice
    ) async throws -> ConsentEvents.AttemptOutcome {
        switch outcome {
        case .success(let response) where response.status == .verified:
            return try await didApprove(approver, record) ? outcome : .failure(.alreadyVerified)
        case .failure(.over(.used)):
            return try await didApprove(approver, record) ? .success(ConsentEvents.verified(record.event)) : outcome
        case .success, .failure: return outcome
        }
    }

    /// Whether a device's assertion is the one that the consent rests on.
    private func didApprove(_ approver: ApprovingDevice, _ record: WalletOperationRecord) async throws -> Bool {
        let proof = try await events.ledger.database.read { connection in
            try WalletOperations.attempts(of: record.id, on: connection).last { $0.isRight }
        }
        guard let proof, proof.proof.verification == .push, let evidence = proof.evidence else { return false }
        return try events.vault.device(in: evidence, of: record.id)?.id.rawValue == approver.device.id.uuid
    }

    // MARK: - The operation

    private struct Found: Sendable {
        let record: WalletOperationRecord
        /// The session that requested it, reached from the calling device.
        let asking: ConsentingApp
    }

    /// Finds an operation of the caller's account that another session requested.
    /// - Parameter whileAsking: whether that session must still be active.
    private func find(
        _ event: SCAEventID, _ operation: WalletOperationID, by call: AppCaller, whileAsking: Bool
    ) async throws -> Found? {
        guard let id = UniqueID(uuid: event.rawValue) else { return nil }
        let found = try await events.ledger.database.read { connection -> (WalletOperationRecord, SessionRecord)? in
            guard let record = try WalletOperations.find(event: id, on: connection),
                record.accountID == call.account.id, record.operationID == operation.rawValue,
                record.decision == .required, record.sessionID != call.session.id,
                let session = try whileAsking
                    ? Sessions.living(record.sessionID, now: call.now, on: connection)
                    : Sessions.find(record.sessionID, on: connection),
                session.facts.accountID == call.account.id
            else { return nil }
            return (record, session)
        }
        guard let (record, session) = found,
            let app = try await clients.find(
                ClientID(session.facts.signedInTo), now: call.now),
            // As for the app's own calls: what it requested ends with its right to ask.
            app.isFirstParty
        else { return nil }
        return Found(
            record: record,
            asking: ConsentingApp(
                account: call.account, session: session, device: nil, client: app, thumbprint: nil, origin: call.origin,
                now: call.now, operation: record))
    }
}
