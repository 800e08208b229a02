internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// The result of an attempt, in one write with what it changes.
extension ConsentEvents {
    /// Settles an attempt by the verification's decision.
    func settle(_ attempt: ChargedAttempt, by decision: AttemptVerification.Decision) async throws -> AttemptOutcome {
        let proof: ConsentProof?
        switch decision {
        case .right(let shown): proof = shown
        case .wrong: proof = nil
        case .foreign:
            return try await ledger.database.retryingWrite("an operation") {
                try release(attempt, as: .invalidValue, isCounted: true, on: $0)
            }
        case .device(let presented, let proof):
            return try await WriteConflict.retrying("an operation") {
                let asserted = try await assertions.verify(presented)
                // The assertion, the consent and the attempt are saved together.
                return try await ledger.database.write { connection in
                    switch try asserted.save(on: connection) {
                    case .first(.success): return try settle(attempt, with: proof, on: connection)
                    // Counted when it first arrived.
                    case .repeated(.success):
                        return try release(attempt, as: .notChallenged, on: connection)
                    case .repeated(.failure(.wrongPIN)), .repeated(.failure(.locked)):
                        return try release(attempt, as: .invalidValue, on: connection)
                    case .first(.failure), .repeated(.failure):
                        return try settle(attempt, with: nil, on: connection)
                    }
                }
            }
        }
        return try await ledger.database.retryingWrite("an operation") { try settle(attempt, with: proof, on: $0) }
    }

    /// The time at which a write decides. The comparison took its time: a backend may have read in the meantime that the operation
    /// expired, which is final.
    private func writeTime(of attempt: ChargedAttempt) -> Timestamp { ledger.clock.writeTime(since: attempt.call.now) }

    /// - Parameter proved: `nil` for a wrong value.
    private func settle(
        _ attempt: ChargedAttempt, with proved: ConsentProof?, on connection: any SQLConnection
    ) throws -> AttemptOutcome {
        let call = attempt.call
        guard var current = try WalletOperations.refresh(attempt.record, on: connection) else {
            try refundCharge(of: attempt, on: connection)
            return .failure(.over(.expired))
        }
        guard try lives(call, on: connection), try attempt.approver?.mayApprove(at: call.now, on: connection) ?? true
        else {
            try refundCharge(of: attempt, on: connection)
            return .failure(.unauthorized(.unusableToken(.ended)))
        }
        guard let event = current.event.settling(attempt.value) else { return settledBefore(current.event, attempt) }
        current.event = event
        let proof = SCAEvent.Proof(attempt.verification, methods: proved?.methods ?? [], at: call.now)
        guard let proved else { return try fail(&current, proof, attempt, on: connection) }
        // The event's time may be over, or another challenge may have been made, which voided this one: another code, passkey, device or
        // page.
        guard current.event.status(at: writeTime(of: attempt)) != .over(.expired),
            current.challenge == attempt.record.challenge
        else {
            // A code stays good for the next operation. For other values, this takes back what their comparison was charged.
            if case .authenticator = proved.condition {} else { _ = try meets(proved.condition, call, on: connection) }
            return try release(&current, attempt, on: connection)
        }
        guard try meets(proved.condition, call, on: connection) else {
            return try wasUsedBefore(proved, by: call.account, on: connection)
                ? release(&current, attempt, as: .codeUsed, on: connection)
                : fail(&current, proof, attempt, on: connection)
        }
        let response: SCAAttemptResponse
        let signIn = try OperationSession(call.session, of: call.account, at: call.now, on: connection)
        switch current.event.proving(proof, beside: signIn.methods(at: call.now), now: call.now) {
        case .late: return try release(&current, attempt, on: connection)
        case .verified(let next):
            current.event = next
            response = Self.verified(next)
        case .additionalFactorRequired(let next):
            current.event = next
            response = SCAAttemptResponse(
                status: .failed, reason: .additionalFactorRequired,
                remainingAttempts: Int64(next.remainingAttempts),
                availableVerifications: try offered(current, call: call, on: connection))
        }
        guard try WalletOperations.save(current, on: connection) else { throw WriteConflict() }
        try WalletOperations.add(
            WalletOperations.Attempt(
                proof: proof, isRight: true, evidence: proved.evidence,
                circumstances: try vault.seal(call.origin, of: current.id)), to: current.id, on: connection)
        try Attempts.succeed(attempt.subject, on: connection)
        if response.status == .verified {
            try ledger.step(
                .verified, current, by: signIn, approver: attempt.approver, origin: call.origin, now: call.now
            ).write(on: connection)
        }
        return .success(response)
    }

    /// Whether it is an authenticator's code that was right once. The app showed it, so it says nothing to a guesser; the person only has
    /// to wait for the next one.
    private func wasUsedBefore(
        _ proved: ConsentProof, by account: AccountRecord, on connection: any SQLConnection
    ) throws -> Bool {
        guard case .authenticator(let step, let sealed) = proved.condition,
            let stored = try TOTPSecrets.active(of: account.id, on: connection)
        else { return false }
        return stored.sealed == sealed && stored.lastStep >= step
    }

    /// Uses up what a right value consists of, if it is still as it was compared.
    private func meets(
        _ condition: ConsentProof.Condition, _ call: ConsentingApp, on connection: any SQLConnection
    ) throws -> Bool {
        let account = call.account
        switch condition {
        case .none: return true
        case .authenticator(let step, let sealed):
            // Another app may have replaced it since the challenge.
            return try !TOTPSecrets.isCooling(of: account.id, now: call.now, on: connection)
                && TOTPSecrets.spend(step: step, of: account.id, sealed: sealed, on: connection)
        case .password: return try isUnchanged(account, on: connection)
        case .accountPIN(let proof):
            // The PIN may have been replaced since the challenge.
            return try isUnchanged(account, on: connection)
                && AccountPINs.isSettled(of: account.id, now: call.now, on: connection) && proof.spend(on: connection)
        case .passkey(let proof): return try proof.spend(on: connection)
        }
    }

    /// Whether the account is as it was before the comparison: it may have been closed meanwhile, or its password may
    /// have changed or expired.
    private func isUnchanged(_ account: AccountRecord, on connection: any SQLConnection) throws -> Bool {
        let present = try Accounts.find(account.id, on: connection)
        return present?.state == .active && present?.securityVersion == account.securityVersion
            && present?.passwordState == .current
    }

    /// Refunds what this comparison was charged, if nothing comes of it. Copies of the value would each refund the one charge, and with it
    /// those of other events.
    private func refundCharge(of attempt: ChargedAttempt, on connection: any SQLConnection) throws {
        if attempt.isCharged { try Attempts.refund(attempt.subject, on: connection) }
    }

    private func fail(
        _ current: inout WalletOperationRecord, _ proof: SCAEvent.Proof, _ attempt: ChargedAttempt,
        on connection: any SQLConnection
    ) throws -> AttemptOutcome {
        try Attempts.fail(attempt.subject, on: connection)
        guard case .pending = current.event.status(at: writeTime(of: attempt)) else {
            return late(current.event, attempt)
        }
        current.event = current.event.failing()
        guard try WalletOperations.save(current, on: connection) else { throw WriteConflict() }
        try WalletOperations.add(
            WalletOperations.Attempt(
                proof: proof, isRight: false, evidence: nil,
                circumstances: try vault.seal(attempt.call.origin, of: current.id)), to: current.id, on: connection)
        guard case .locked = current.event.state else {
            return .success(
                SCAAttemptResponse(
                    status: .failed, reason: .invalidValue, remainingAttempts: Int64(current.event.remainingAttempts)))
        }
        try recordLock(of: current, call: attempt.call, on: connection)
        return .failure(.over(.locked))
    }

    /// Gives back the attempt of a value that proves nothing, but was no guess either: it was used before, its challenge was void by the
    /// end of the comparison, or it cannot be the account's.
    /// - Parameter isCounted: whether it counts over all events nevertheless, so that such values are few.
    private func release(
        _ current: inout WalletOperationRecord, _ attempt: ChargedAttempt, as reason: SCAAttemptReason = .notChallenged,
        isCounted: Bool = false, on connection: any SQLConnection
    ) throws -> AttemptOutcome {
        if isCounted {
            try Attempts.fail(attempt.subject, on: connection)
        } else {
            try Attempts.refund(attempt.subject, on: connection)
        }
        guard case .pending = current.event.status(at: writeTime(of: attempt)) else {
            return late(current.event, attempt)
        }
        current.event = current.event.releasing()
        guard try WalletOperations.save(current, on: connection) else { throw WriteConflict() }
        return late(current.event, attempt, as: reason)
    }

    /// The same for an attempt that was not settled yet, such as that of a repeated assertion, which gets the result of the first one.
    private func release(
        _ attempt: ChargedAttempt, as reason: SCAAttemptReason, isCounted: Bool = false,
        on connection: any SQLConnection
    ) throws -> AttemptOutcome {
        guard var current = try WalletOperations.refresh(attempt.record, on: connection) else {
            try refundCharge(of: attempt, on: connection)
            return .failure(.over(.expired))
        }
        guard let event = current.event.settling(attempt.value) else { return settledBefore(current.event, attempt) }
        current.event = event
        return try release(&current, attempt, as: reason, isCounted: isCounted, on: connection)
    }

    /// The response to a value whose repetition had its result recorded first. The one attempt of both is counted with it.
    private func settledBefore(_ event: SCAEvent, _ attempt: ChargedAttempt) -> AttemptOutcome {
        guard case .challenged = event.state, event.challenges == attempt.record.event.challenges else {
            return late(event, attempt)
        }
        return late(event, attempt, as: .invalidValue)
    }

    /// The response to a value that arrived after its event was decided.
    private func late(
        _ event: SCAEvent, _ attempt: ChargedAttempt, as reason: SCAAttemptReason = .notChallenged
    ) -> AttemptOutcome {
        switch event.status(at: writeTime(of: attempt)) {
        case .over(let end): .failure(.over(end))
        case .verified: .success(Self.verified(event))
        case .pending:
            .success(
                SCAAttemptResponse(
                    status: .failed, reason: reason, remainingAttempts: Int64(event.remainingAttempts)))
        }
    }
}
