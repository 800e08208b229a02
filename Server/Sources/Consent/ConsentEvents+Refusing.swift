internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// "I did not ask for this", from the app or the hosted page.
extension ConsentEvents {
    /// How often a holder is notified of refusals.
    private static let telling = AttemptPolicy(
        free: 5, afterwards: .delay(first: .minutes(10), longest: .hours(24)), forgottenAfter: .hours(24))
    /// Once for each event that was over when a device refused it.
    private static let tellingLate = AttemptPolicy(
        free: 1, afterwards: .delay(first: .hours(24), longest: .hours(24)), forgottenAfter: .hours(24))

    /// Refuses the event that an app's call is about.
    /// - Parameter isWithdrawal: whether the person started it and no longer wants it, so that there is nothing to warn of.
    package func refuse(
        by call: ConsentingApp, isWithdrawal: Bool = false
    ) async throws -> Result<Void, ConsentRefusal> {
        guard let found = call.operation else { return .failure(.eventNotFound) }
        return try await refuse(found, by: call, isWithdrawal: isWithdrawal)
    }

    /// Tells an event that the holder refused, in an app or on the page, from one that its backend withdrew or a restore ended. The state is
    /// the same, so its steps tell: a read that only cancelled events cost.
    func naming<Answer>(
        _ outcome: Result<Answer, ConsentRefusal>, of operation: WalletOperationRecord
    ) async throws -> Result<Answer, ConsentRefusal> {
        guard case .failure(.over(.cancelled)) = outcome else { return outcome }
        let refused = OperationEvidenceClaims.Step.Kind.refused.rawValue
        let isRefused = try await ledger.database.read { try SCASteps.last(refused, of: operation.id, on: $0) != nil }
        return isRefused ? .failure(.refused) : outcome
    }

    /// Ends an event, even after consent if nothing was carried out yet. Refusing what was refused or withdrawn already succeeds, and
    /// on another device it warns the holder of what the session that asked withdrew.
    ///
    /// The holder is notified, since another person may have the link or the phone: five times, then with growing delays, so that no one
    /// can flood a mailbox.
    /// - Parameters:
    ///   - approver: the device, if the holder refused it on another one than the session's. For a while no push is sent then for
    ///     what is asked for from there, even if the event or the session that asked has ended meanwhile.
    ///   - isWithdrawal: whether the person who asked no longer wants it. Then no one is notified.
    func refuse(
        _ known: WalletOperationRecord, by call: ConsentingApp, on approver: ApprovingDevice? = nil,
        isWithdrawal: Bool = false
    ) async throws -> Result<Void, ConsentRefusal> {
        let operation = try vault.open(known).payload.operation
        let email = factors.accounts.open(call.account.email, .email, of: call.account.id)
        let subject = Digests.of("sca-refused-notice", call.account.id.bytes)
        return try await ledger.database.retryingWrite("an operation") { connection in
            guard var now = try WalletOperations.refresh(known, on: connection) else {
                return .failure(.eventNotFound)
            }
            guard try approver?.mayApprove(at: call.now, on: connection) ?? lives(call, on: connection) else {
                return .failure(.unauthorized(.unusableToken(.ended)))
            }
            let writeTime = ledger.clock.writeTime(since: call.now)
            if approver != nil, now.event.status(at: writeTime) != .over(.used) {
                let device = try Sessions.find(now.sessionID, on: connection)?.facts.deviceID
                try factors.pushes.endAsking(of: now.accountID, from: device, now: call.now, on: connection)
            }
            func step() throws -> OperationStep {
                let mayTell =
                    if isWithdrawal {
                        false
                    } else if case .compare = try Attempts.count(
                        subject, under: Self.telling, now: call.now, on: connection)
                    {
                        true
                    } else {
                        false
                    }
                return try ledger.step(
                    .refused, now, approver: approver, isWithdrawal: isWithdrawal, origin: call.origin, now: call.now,
                    message: mayTell ? .refused(operation) : nil, email: email)
            }
            guard let next = now.event.cancelling(now: writeTime) else {
                guard case .over(let end) = now.event.status(at: writeTime), end != .cancelled else {
                    // What ended has no further step. The audit log has the refusal, and the holder the notice.
                    if approver != nil, try isFirstWarning(of: now, at: call.now, on: connection) {
                        try step().entry?.write(on: connection)
                    }
                    return .success(())
                }
                return .failure(.over(end))
            }
            now.event = next
            guard try WalletOperations.save(now, on: connection) else { throw WriteConflict() }
            try step().write(on: connection)
            return .success(())
        }
    }

    /// Whether no one was warned yet of an event that is over, since the session that asked or the backend withdrew it.
    private func isFirstWarning(
        of record: WalletOperationRecord, at now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        let refused = OperationEvidenceClaims.Step.Kind.refused.rawValue
        if let step = try SCASteps.last(refused, of: record.id, on: connection),
            try !OperationFacts(step.facts).isWithdrawal
        {
            return false
        }
        let subject = Digests.of("sca-refused-late", record.id.bytes)
        guard case .compare = try Attempts.count(subject, under: Self.tellingLate, now: now, on: connection) else {
            return false
        }
        return true
    }
}
