internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// The verification of one value, whose attempt is already charged.
struct AttemptVerification: Sendable {
    let events: ConsentEvents
    /// The row with the attempt charged.
    let record: WalletOperationRecord
    let request: SCAAttemptRequest
    /// The digest of the value that the attempt was charged for (``SCAEvent/compared``).
    let value: [UInt8]?
    /// Whether this comparison was charged, and not another one of the same value.
    let isCharged: Bool
    /// The counter for wrong values of this kind, over all events.
    let subject: [UInt8]
    let call: ConsentingApp

    private var context: ServerContext { events.context }

    /// The time at which a write decides. The comparison took its time: a backend may have read in the meantime that the operation
    /// expired, which is final.
    private var writeTime: Timestamp { context.writeTime(since: call.now) }

    /// A correct value, and its single-use parts.
    struct Proved: Sendable {
        /// Its values in `amr`.
        var methods: [String]
        /// The evidence to keep.
        var evidence: [UInt8]?
        /// The authenticator's code that it is, which stays good for another operation until it is spent.
        var authenticatorCode: AuthenticatorCode?
        /// Uses up single-use parts. If it returns false, the value is wrong.
        var spend: @Sendable (any SQLConnection) throws -> Bool = { _ in true }
    }

    /// A right code of an authenticator app.
    struct AuthenticatorCode: Sendable {
        var step: Int64
        /// The secret that it was compared with, as stored.
        var sealed: [UInt8]
    }

    /// The result of a verification.
    enum Ending: Sendable {
        case answered(SCAAttemptResponse)
        case over(SCAEvent.End)
        /// The session ended in the meantime, so the value proves nothing.
        case signedOut

        var result: Result<SCAAttemptResponse, ConsentRefusal> {
            switch self {
            case .answered(let response): .success(response)
            case .over(let end): .failure(.over(end))
            case .signedOut: .failure(.unauthorized(.invalidToken))
            }
        }
    }

    func run(_ value: SCAValue) async throws -> Result<SCAAttemptResponse, ConsentRefusal> {
        let ending: Ending
        switch request.verification {
        case .sms, .email: ending = try await conclude(code(value))
        case .authenticator: ending = try await conclude(authenticator(value))
        case .devicePIN: ending = try await devicePIN(value)
        case .deviceBiometric: ending = try await deviceBiometric(value)
        // These belong to a hosted page (``ConsentInteraction``); the wire format lets no value for them through.
        default: ending = try await conclude(nil)
        }
        return ending.result
    }

    // MARK: - Methods

    private func code(_ value: SCAValue) -> Proved? {
        let codes = FactorCodes(context: context, use: .consent)
        guard let kind = request.verification.sentFactor, let kept = record.challenge.code,
            codes.isRight(value.reveal(), kept: kept, for: record.id, now: call.now)
        else { return nil }
        return Proved(methods: [kind.authenticationMethod])
    }

    private func authenticator(_ value: SCAValue) async throws -> Proved? {
        let (account, now) = (call.account.id, call.now)
        let stored = try await context.database.read { try TOTPSecrets.active(of: account, on: $0) }
        let vault = AuthenticatorVault(context.sealing)
        guard let stored, let secret = vault.openBytes(stored.sealed, .secret, of: account),
            let step = TOTP.step(of: value.reveal(), secret: secret, now: call.now)
        else { return nil }
        return Proved(
            methods: [FactorKind.totp.authenticationMethod],
            authenticatorCode: AuthenticatorCode(step: step, sealed: stored.sealed)
        ) { connection in
            // Another app may have replaced it since the challenge.
            try !TOTPSecrets.isCooling(of: account, now: now, on: connection)
                && TOTPSecrets.spend(step: step, of: account, sealed: stored.sealed, on: connection)
        }
    }

    private func devicePIN(_ value: SCAValue) async throws -> Ending {
        // A different device may sign too, with its own PIN. It is excluded before anything is written.
        guard let act = try act, let assertion = try? SignedAssertion(value.reveal()), let device = try await device(),
            let presented = try? PresentedAssertion(assertion), presented.unverified.deviceID.rawValue == device.id.uuid
        else {
            return try await conclude(nil)
        }
        let proved = try Proved(
            methods: [device.keyStorage.method, AuthenticationStrength.pin],
            evidence: evidence(of: assertion, device: device))
        let outcome: AssertionOutcome<Ending> = try await PINAssertions(context: context).verify(
            presented, act: act, origin: call.origin, now: call.now
        ) { decision, connection in
            // In the write that ends the PIN's challenge, so that the consent and the attempt commit together.
            let isRight = (try? decision.get()) != nil
            return try settle(isRight ? proved : nil, on: connection)
        }
        if let ending = outcome.effect { return ending }
        switch outcome.decision {
        // A repetition of an assertion that was counted when it first arrived.
        case .success: return try await releaseRepetition(as: .notChallenged)
        case .failure(.wrongPIN), .failure(.locked): return try await releaseRepetition(as: .invalidValue)
        case .failure: return try await conclude(nil)
        }
    }

    private func deviceBiometric(_ value: SCAValue) async throws -> Ending {
        guard let act = try act, let thumbprint = call.thumbprint, let assertion = try? SignedAssertion(value.reveal()),
            let device = try await device(), let presented = try? PresentedAssertion(assertion),
            record.challenge.id
                == Digests.of("challenge", Array(presented.unverified.challengeID.rawValue.utf8))
        else { return try await conclude(nil) }
        let decision = try await BiometricAssertions(context: context).check(
            presented, act: act, purpose: .sca, thumbprint: thumbprint, now: call.now)
        guard case .success(let proof) = decision, proof.device.id == device.id else { return try await conclude(nil) }
        return try await conclude(
            Proved(
                methods: [device.keyStorage.method, AuthenticationStrength.biometric],
                evidence: evidence(of: assertion, device: device)))
    }

    /// The act that a device signs: this event, and the bytes that were shown.
    private var act: DeviceAssertion.Act? {
        get throws {
            let content = try events.vault.open(record)
            return content.operation.eventID.transactionID.map { .sca($0, .operation(content.payload)) }
        }
    }

    private func device() async throws -> DeviceRecord? {
        try await context.database.read { connection in
            try ConsentFactors.trustedDevice(of: call.session, now: call.now, on: connection)
        }
    }

    private func evidence(of assertion: SignedAssertion, device: DeviceRecord) throws -> [UInt8] {
        var object = JSONObject()
        object.set("assertion", assertion.reveal())
        object.set("device_id", device.id.uuid)
        object["device_key"] = .object(try device.key.json)
        return try events.vault.seal(object.bytes, .evidence, of: record.id)
    }

    // MARK: - Conclusion

    /// Concludes a verification with a proof, or with none.
    func conclude(_ proved: Proved?) async throws -> Ending {
        try await events.operations.repeating { try settle(proved, on: $0) }
    }

    /// Writes the result of the verification.
    private func settle(_ proved: Proved?, on connection: any SQLConnection) throws -> Ending {
        guard var now = try WalletOperations.refresh(record, on: connection) else {
            try refundCharge(on: connection)
            return .over(.expired)
        }
        guard try events.lives(call, on: connection) else {
            try refundCharge(on: connection)
            return .signedOut
        }
        guard let event = now.event.settling(value) else { return settledBefore(now.event) }
        now.event = event
        let proof = SCAEvent.Proof(request.verification, methods: proved?.methods ?? [], at: call.now)
        guard let proved else { return try fail(&now, proof, on: connection) }
        if now.event.status(at: writeTime) == .over(.expired) {
            // A code stays good for the next operation. For other values, this takes back what their comparison was charged.
            if proved.authenticatorCode == nil { _ = try proved.spend(connection) }
            return try release(&now, on: connection)
        }
        guard try proved.spend(connection) else {
            return try wasUsedBefore(proved, on: connection)
                ? release(&now, as: .codeUsed, on: connection) : fail(&now, proof, on: connection)
        }
        // Another code may have been sent in the meantime, which voided this one.
        if let code = record.challenge.code, now.challenge.code != code { return try release(&now, on: connection) }
        let response: SCAAttemptResponse
        let signIn = try events.signIn(call, on: connection)
        switch now.event.proving(proof, beside: signIn.methods(at: call.now), now: call.now) {
        case .late: return try release(&now, on: connection)
        case .verified(let next):
            now.event = next
            response = ConsentEvents.verified(next)
        case .additionalFactorRequired(let next):
            now.event = next
            response = SCAAttemptResponse(
                status: .failed, reason: .additionalFactorRequired,
                remainingAttempts: Int64(next.remainingAttempts),
                availableVerifications: try events.offered(now, call: call, on: connection))
        }
        guard try WalletOperations.save(now, on: connection) else { throw WriteConflict() }
        try WalletOperations.add(
            WalletOperations.Attempt(
                proof: proof, isRight: true, evidence: proved.evidence,
                circumstances: try events.vault.seal(call.origin, of: now.id)), to: now.id, on: connection)
        try Attempts.succeed(subject, on: connection)
        if response.status == .verified {
            try events.operations.entry(.verified, now, by: signIn, origin: call.origin, now: call.now)
                .write(on: connection)
        }
        return .answered(response)
    }

    /// Whether it is an authenticator's code that was right once. The app showed it, so it says nothing to a guesser; the person only has
    /// to wait for the next one.
    private func wasUsedBefore(_ proved: Proved, on connection: any SQLConnection) throws -> Bool {
        guard let code = proved.authenticatorCode,
            let stored = try TOTPSecrets.active(of: call.account.id, on: connection)
        else { return false }
        return stored.sealed == code.sealed && stored.lastStep >= code.step
    }

    /// Refunds what this comparison was charged, if nothing comes of it. Copies of the value would each refund the one charge, and with it
    /// those of other events.
    private func refundCharge(on connection: any SQLConnection) throws {
        if isCharged { try Attempts.refund(subject, on: connection) }
    }

    private func fail(
        _ now: inout WalletOperationRecord, _ proof: SCAEvent.Proof, on connection: any SQLConnection
    ) throws -> Ending {
        try Attempts.fail(subject, on: connection)
        guard case .pending = now.event.status(at: writeTime) else { return lateEnding(now.event) }
        now.event = now.event.failing()
        guard try WalletOperations.save(now, on: connection) else { throw WriteConflict() }
        try WalletOperations.add(
            WalletOperations.Attempt(
                proof: proof, isRight: false, evidence: nil,
                circumstances: try events.vault.seal(call.origin, of: now.id)), to: now.id, on: connection)
        guard case .locked = now.event.state else {
            return .answered(
                SCAAttemptResponse(
                    status: .failed, reason: .invalidValue, remainingAttempts: Int64(now.event.remainingAttempts)))
        }
        try events.recordLock(of: now, call: call, on: connection)
        return .over(.locked)
    }

    /// Refunds the attempt of a correct value that was used before, or whose challenge was void by the end of the comparison. It proves
    /// nothing, but it was no guess either.
    private func release(
        _ now: inout WalletOperationRecord, as reason: SCAAttemptReason = .notChallenged,
        on connection: any SQLConnection
    ) throws -> Ending {
        try Attempts.refund(subject, on: connection)
        guard case .pending = now.event.status(at: writeTime) else { return lateEnding(now.event) }
        now.event = now.event.releasing()
        guard try WalletOperations.save(now, on: connection) else { throw WriteConflict() }
        return lateEnding(now.event, as: reason)
    }

    /// Refunds the attempt of a repeated assertion, and returns the result of the first one.
    private func releaseRepetition(as reason: SCAAttemptReason) async throws -> Ending {
        try await events.operations.repeating { connection in
            guard var now = try WalletOperations.refresh(record, on: connection) else {
                try refundCharge(on: connection)
                return .over(.expired)
            }
            guard let event = now.event.settling(value) else { return settledBefore(now.event) }
            now.event = event
            return try release(&now, as: reason, on: connection)
        }
    }

    /// The response to a value whose repetition had its result recorded first. The one attempt of both is counted with it.
    private func settledBefore(_ event: SCAEvent) -> Ending {
        guard case .challenged = event.state, event.challenges == record.event.challenges else {
            return lateEnding(event)
        }
        return lateEnding(event, as: .invalidValue)
    }

    /// The response to a value that arrived after its event was decided.
    private func lateEnding(_ event: SCAEvent, as reason: SCAAttemptReason = .notChallenged) -> Ending {
        switch event.status(at: writeTime) {
        case .over(let end): .over(end)
        case .verified: .answered(ConsentEvents.verified(event))
        case .pending:
            .answered(
                SCAAttemptResponse(
                    status: .failed, reason: reason, remainingAttempts: Int64(event.remainingAttempts)))
        }
    }
}
