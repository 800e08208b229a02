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
