internal import Core
internal import Kernel
internal import SignIn
internal import Store
package import WalletAuthWire

/// Answers to a challenge: one charge first, one verification, one winner.
extension ConsentEvents {
    /// Limits wrong values of one kind for one account over all events, so that another event brings no further attempts.
    private static let trying = AttemptPolicy(
        free: 10, afterwards: .delay(first: .minutes(1), longest: .hours(1)), forgottenAfter: .hours(24))

    package typealias AttemptOutcome = Result<SCAAttemptResponse, ConsentRefusal>

    /// The decision before a value is compared.
    enum Reservation: Sendable {
        case compare(ChargedAttempt)
        case over(AttemptOutcome)
    }

    /// Verifies a value.
    /// - Parameter request: the value and its method.
    package func attempt(_ request: SCAAttemptRequest, by call: ConsentingApp) async throws -> AttemptOutcome {
        guard let found = call.operation else { return .failure(.eventNotFound) }
        let outcome: AttemptOutcome
        if let value = request.value {
            switch try await reserve(request, found, call: call) {
            case .over(let over): outcome = over
            case .compare(let attempt):
                outcome = try await settle(attempt, by: verification.decide(on: value, of: attempt))
            }
        } else {
            outcome = try await self.outcome(of: request, found, call: call)
        }
        return try await naming(outcome, of: found)
    }

    /// The counter for wrong values of a method, over all events of an account.
    private func subject(of verification: SCAVerification, for account: AccountRecord) throws -> [UInt8] {
        Digests.keyed(
            "sca-\(verification.method.rawValue)-\(verification.channel.rawValue)", [account.id.uuid],
            key: try keyRing.active(.attempts))
    }

    /// The digest by which a value that is sent again is found. Another challenge has another code, so the value is another guess there.
    private func digest(of request: SCAAttemptRequest, for record: WalletOperationRecord) throws -> [UInt8]? {
        guard let value = request.value else { return nil }
        let verification = request.verification
        return Digests.keyed(
            "sca-value",
            [
                record.id.uuid, verification.method.rawValue, verification.channel.rawValue,
                String(record.event.challenges), value.reveal(),
            ], key: try keyRing.active(.attempts))
    }

    /// Whether a value has the form of a correct one: the right number of digits, or the characters of an assertion.
    private static func isPossible(_ value: SCAValue, by verification: SCAVerification) -> Bool {
        switch verification {
        case .authenticator: TypedCode.isPossible(value.reveal(), digits: TOTP.digits)
        case .devicePasskey: (try? PasskeyAssertionResponse(text: value.reveal())) != nil
        case .devicePIN, .deviceBiometric, .push: (try? SignedAssertion(value.reveal())) != nil
        default: verification.method != .otp || TypedCode.isPossible(value.reveal(), digits: CodeDigits.sent)
        }
    }

    /// Charges an attempt, for the event and over all events, before anything is compared. A value whose result is not known was charged
    /// when it was sent before.
    /// - Parameters:
    ///   - request: the method that is answered.
    ///   - known: the event's operation, read before.
    ///   - challenge: the digest of a hosted page's challenge, which must be the current one; `nil` for an app's call.
    func reserve(
        _ request: SCAAttemptRequest, _ known: WalletOperationRecord, challenge: [UInt8]? = nil, call: ConsentingApp
    ) async throws -> Reservation {
        let subject = try subject(of: request.verification, for: call.account)
        return try await ledger.database.retryingWrite("an operation") { connection in
            guard var record = try WalletOperations.refresh(known, on: connection) else {
                return .over(.failure(.eventNotFound))
            }
            guard try self.lives(call, on: connection) else {
                return .over(.failure(.unauthorized(.unusableToken(.ended))))
            }
            let value = try self.digest(of: request, for: record)
            let isKnown = value.map { record.event.compared.contains($0) } ?? false
            if try !isKnown && self.lockAbandoned(record, call: call, on: connection) {
                return .over(.failure(.over(.locked)))
            }
            func failed(_ reason: SCAAttemptReason) -> Reservation {
                .over(
                    .success(
                        SCAAttemptResponse(
                            status: .failed, reason: reason, remainingAttempts: Int64(record.event.remainingAttempts))))
            }
            var isCharged = true
            switch record.event.reserving(request.verification, value: value, now: call.now) {
            case .over(let end): return .over(.failure(.over(end)))
            case .notChallenged: return failed(.notChallenged)
            case .codeExpired: return failed(.codeExpired)
            // The response to the correct value was lost. Nothing is compared, and the response has no new information.
            case .verified: return .over(.success(Self.verified(record.event)))
            case .compare(let next):
                // A page that was opened before the challenge was renewed is void.
                guard challenge == nil || record.challenge.id == challenge else { return failed(.notChallenged) }
                // Input that cannot be a correct value is not compared and costs no attempt.
                if let value = request.value, !Self.isPossible(value, by: request.verification) {
                    return failed(.invalidValue)
                }
                if case .refuse(let until) = try Attempts.reserve(
                    subject, under: Self.trying, now: call.now, on: connection)
                {
                    return .over(
                        .failure(.tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: call.now))))
                }
                record.event = next
            case .compareAgain(let next):
                record.event = next
                isCharged = false
            }
            guard try WalletOperations.save(record, on: connection) else { throw WriteConflict() }
            record.revision += 1
            return .compare(
                ChargedAttempt(
                    record: record, verification: request.verification, value: value, isCharged: isCharged,
                    subject: subject, call: call))
        }
    }

    /// Locks an event whose last attempts were lost with their process, so that no attempt is left although too few failed to lock it.
    /// Each of them is recorded as a wrong value of the currently challenged method.
    /// - Returns: whether it locked the event.
    func lockAbandoned(
        _ record: WalletOperationRecord, call: ConsentingApp, on connection: any SQLConnection
    ) throws -> Bool {
        guard case .challenged(let challenge) = record.event.state,
            let locked = record.event.abandoning(now: ledger.clock.writeTime(since: call.now))
        else { return false }
        var next = record
        next.event = locked
        guard try WalletOperations.save(next, on: connection) else { throw WriteConflict() }
        for _ in record.event.wrong..<locked.wrong {
            try WalletOperations.add(
                WalletOperations.Attempt(
                    proof: SCAEvent.Proof(challenge.verification, methods: [], at: call.now), isRight: false,
                    evidence: nil), to: record.id, on: connection)
        }
        try recordLock(of: next, call: call, on: connection)
        return true
    }

    /// Records that an event is locked, and notifies the holder.
    func recordLock(
        of record: WalletOperationRecord, call: ConsentingApp, on connection: any SQLConnection
    ) throws {
        let email = factors.accounts.open(call.account.email, .email, of: call.account.id)
        let operation = try vault.open(record).payload.operation
        try ledger.step(
            .locked, record, origin: call.origin, now: call.now, message: .locked(operation), email: email
        ).write(on: connection)
    }

    /// The result of a hosted page.
    private func outcome(
        of request: SCAAttemptRequest, _ record: WalletOperationRecord, call: ConsentingApp
    ) async throws -> AttemptOutcome {
        switch record.event.status(at: call.now) {
        case .over(let end): return .failure(.over(end))
        case .verified: return .success(Self.verified(record.event))
        case .pending(let challenge):
            var response = SCAAttemptResponse(
                status: .failed, reason: .notChallenged, remainingAttempts: Int64(record.event.remainingAttempts))
            if record.event.proofs.contains(where: { $0.verification == request.verification }) {
                response.reason = .additionalFactorRequired
                response.availableVerifications = try await ledger.database.read {
                    try self.offered(record, call: call, on: $0)
                }
            } else if challenge?.verification == request.verification, record.event.spent > 0 {
                response.reason = .invalidValue
            }
            return .success(response)
        }
    }

    static func verified(_ event: SCAEvent) -> SCAAttemptResponse {
        SCAAttemptResponse(status: .verified, reason: .valid, remainingAttempts: Int64(event.remainingAttempts))
    }
}

/// The result of an attempt, in one write with what it changes.
extension ConsentEvents {
    /// Settles an attempt by the verification's decision.
    func settle(_ attempt: ChargedAttempt, by decision: AttemptVerification.Decision) async throws -> AttemptOutcome {
        let proof: ConsentProof?
        switch decision {
        case .right(let shown): proof = shown
        case .wrong: proof = nil
        case .device(let presented, let proof):
            return try await WriteConflict.retrying("an operation") {
                let asserted = try await assertions.verify(presented)
                // The assertion, the consent and the attempt are saved together.
                return try await ledger.database.write { connection in
                    switch try asserted.save(on: connection) {
                    case .first(.success): return try settle(attempt, with: proof, on: connection)
                    // Counted when it first arrived.
                    case .repeated(.success):
                        return try releaseRepetition(attempt, as: .notChallenged, on: connection)
                    case .repeated(.failure(.wrongPIN)), .repeated(.failure(.locked)):
                        return try releaseRepetition(attempt, as: .invalidValue, on: connection)
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
        if current.event.status(at: writeTime(of: attempt)) == .over(.expired) {
            // A code stays good for the next operation. For other values, this takes back what their comparison was charged.
            if case .authenticator = proved.condition {} else { _ = try meets(proved.condition, call, on: connection) }
            return try release(&current, attempt, on: connection)
        }
        // Another challenge may have been made in the meantime, which voided this one: another code, passkey, device or page.
        guard current.challenge == attempt.record.challenge else {
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

    /// Refunds the attempt of a correct value that was used before, or whose challenge was void by the end of the comparison. It proves
    /// nothing, but it was no guess either.
    private func release(
        _ current: inout WalletOperationRecord, _ attempt: ChargedAttempt, as reason: SCAAttemptReason = .notChallenged,
        on connection: any SQLConnection
    ) throws -> AttemptOutcome {
        try Attempts.refund(attempt.subject, on: connection)
        guard case .pending = current.event.status(at: writeTime(of: attempt)) else {
            return late(current.event, attempt)
        }
        current.event = current.event.releasing()
        guard try WalletOperations.save(current, on: connection) else { throw WriteConflict() }
        return late(current.event, attempt, as: reason)
    }

    /// Refunds the attempt of a repeated assertion, and returns the result of the first one.
    private func releaseRepetition(
        _ attempt: ChargedAttempt, as reason: SCAAttemptReason, on connection: any SQLConnection
    ) throws -> AttemptOutcome {
        guard var current = try WalletOperations.refresh(attempt.record, on: connection) else {
            try refundCharge(of: attempt, on: connection)
            return .failure(.over(.expired))
        }
        guard let event = current.event.settling(attempt.value) else { return settledBefore(current.event, attempt) }
        current.event = event
        return try release(&current, attempt, as: reason, on: connection)
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
