internal import Core
package import Kernel
internal import SignIn
internal import Store
package import WalletAuthWire

/// SCA events as the person's app uses them: challenged, and answered.
package struct ConsentEvents: Sendable {
    let ledger: OperationLedger
    let factors: ConsentFactors
    let verification: AttemptVerification
    let assertions: DeviceAssertions
    let challenges: DeviceChallenges
    let seal: ConsentSeal
    let keyRing: KeyRing
    let random: any RandomBytes
    /// How long the factors of a sign-in count after a challenge.
    let idleLimit: Duration
    let limits: CodeLimits

    var vault: OperationVault { ledger.vault }

    /// Limits the codes sent to one account over all its events. An open app must not be able to flood a phone or run up the
    /// operator's bill. A correct code does not reset it.
    private static let sending = AttemptPolicy(
        free: 15, afterwards: .delay(first: .minutes(1), longest: .hours(1)), forgottenAfter: .hours(1))

    // MARK: - Challenges

    private enum Step: Sendable {
        case challenged(WalletOperationRecord)
        /// A code was sent and is still valid.
        case codePending(WalletOperationRecord, next: Timestamp)
        case refused(ConsentRefusal)
    }

    /// Challenges a verification method, or sends its code again.
    package func challenge(
        _ request: SCAChallengeRequest, by call: ConsentingApp
    ) async throws -> Result<SCAChallengeResponse, ConsentRefusal> {
        if let url = request.returnURL, !call.client.allows(returnURL: url) { return .failure(.returnURLNotRegistered) }
        guard let found = call.operation else { return .failure(.eventNotFound) }
        let content = try vault.open(found)
        let prepared = try prepare(request, for: found, content, call: call)
        let step = try await ledger.database.retryingWrite("an operation") { connection in
            try self.challenge(request, found, prepared, call: call, on: connection)
        }
        switch step {
        case .refused(let refusal): return try await naming(.failure(refusal), of: found)
        case .challenged(let record):
            return .success(
                try answer(
                    record, content, prepared.available, sent: request.verification.isSent ? true : nil,
                    resendAfter: FactorCodes.interval.wholeSeconds,
                    device: prepared.device?.challenge, passkey: prepared.passkey,
                    page: prepared.ticket.map { try seal.link($0, now: call.now) }))
        case .codePending(let record, let next):
            return .success(
                try answer(
                    record, content, prepared.available, sent: false,
                    resendAfter: max(1, (next - call.now).wholeSeconds),
                    device: nil))
        }
    }

    /// The parts of a challenge besides the event's row, made once before a write that may be repeated.
    private struct Preparation: Sendable {
        /// The method, with the masked destination of its code.
        var available: AvailableVerification
        var device: (challenge: SCAChallengeResponse.DeviceChallenge, digest: [UInt8])?
        var passkey: PasskeyRequestOptions?
        var ticket: ConsentTicket?
        /// The stored form of the code, if one is sent.
        var code: OpenFactorRecord.Code?
        var message: AuditLog.Entry?
        /// The counter of codes, or of push messages, sent to the account.
        var budget: [UInt8]
    }

    private func prepare(
        _ request: SCAChallengeRequest, for record: WalletOperationRecord, _ content: OperationContent,
        call: ConsentingApp
    ) throws -> Preparation {
        let kind = request.verification.sentFactor
        let address = kind.flatMap { factors.accounts.destination(of: $0, account: call.account) }
        let masked = kind.flatMap { kind in address.map { AccountVault.masked($0, of: kind) } }
        var prepared = Preparation(
            available: AvailableVerification(request.verification, destination: masked),
            device: try deviceChallenge(for: request.verification, call: call),
            passkey: request.verification == .devicePasskey
                ? try verification.passkeys.options(for: record, content, call: call) : nil,
            ticket: request.returnURL.map { makeTicket(for: request.verification, of: record, returnURL: $0) },
            budget: Digests.keyed(
                request.verification == .push ? "sca-pushing" : "sca-sending", [call.account.id.uuid],
                key: try keyRing.active(.attempts)))
        if request.verification.sendsCode {
            let (code, kept) = try verification.codes.make(for: record.id, now: call.now)
            prepared.code = kept
            prepared.message = try ledger.auditLog.entry(
                ConsentMessage.code(code, for: content.payload.operation, by: request.verification.channel),
                account: call.account.id, email: address, now: call.now)
        }
        return prepared
    }

    /// The write: the event's row, the message and the step of the trail, all or none.
    private func challenge(
        _ request: SCAChallengeRequest, _ known: WalletOperationRecord, _ prepared: Preparation, call: ConsentingApp,
        on connection: any SQLConnection
    ) throws -> Step {
        guard var record = try WalletOperations.refresh(known, on: connection) else {
            return .refused(.eventNotFound)
        }
        guard try lives(call, on: connection) else { return .refused(.unauthorized(.unusableToken(.ended))) }
        if try lockAbandoned(record, call: call, on: connection) { return .refused(.over(.locked)) }
        // Another verification would be refused as well: only another sign-in helps.
        if AuthenticationStrength.isCrossDevice(call.session.facts.methods) { return .refused(.strongerSignIn) }
        let verifications = try verifications(record, call: call, on: connection)
        // The code goes to the address that the call found. If that was changed since, the code must not count.
        let isReachable = try !request.verification.sendsCode || hasSameAddresses(as: call.account, on: connection)
        if case .pending = record.event.status(at: call.now),
            !isReachable || !verifications.contains(request.verification)
        {
            let offered = factors.described(verifications, to: call.account)
            return .refused(
                request.verification == .push ? .pushUnavailable(offered) : .verificationUnavailable(offered))
        }
        switch record.event.challenging(request.verification, now: call.now) {
        case .over(let end): return .refused(.over(end))
        case .verified: return .refused(.alreadyVerified)
        case .noCodeLeft: return .refused(.noCodeLeft)
        case .noChallengeLeft: return .refused(.noChallengeLeft)
        case .tooSoon(let next):
            return .refused(.tooManyAttempts(retryAfter: RetryAfter.seconds(until: next, now: call.now)))
        case .sentAlready(_, let next): return .codePending(record, next: next)
        case .challenged(let next):
            if request.verification.isSent,
                case .refuse(let until) = try Attempts.count(
                    prepared.budget, under: limits.applied(to: Self.sending), now: call.now, on: connection)
            {
                return .refused(.tooManyAttempts(retryAfter: RetryAfter.seconds(until: until, now: call.now)))
            }
            if request.verification == .push, let refusal = try push(record, verifications, call: call, on: connection)
            {
                return .refused(refusal)
            }
            record.event = next
            record.challenge = WalletOperationRecord.Challenge(
                code: prepared.code,
                id: prepared.device?.digest ?? prepared.ticket?.digest
                    ?? prepared.passkey.map { AppPasskeyConsents.digest(of: $0.challenge) })
            guard try WalletOperations.save(record, on: connection) else { throw WriteConflict() }
            try prepared.message?.write(on: connection)
            // The person is active: the factors of their sign-in count for as long as the code is valid, if they still count.
            try Sessions.keepCounting(
                call.session.id, until: call.now + idleLimit, now: call.now, on: connection)
            try OperationStep(
                vault: vault, kind: .challenged, record: record, origin: call.origin, now: call.now,
                challenged: prepared.available
            ).write(on: connection)
            return .challenged(record)
        }
    }

    /// Has the account's devices told that an operation waits, in the write of its challenge.
    /// - Returns: why none was told.
    private func push(
        _ record: WalletOperationRecord, _ verifications: [SCAVerification], call: ConsentingApp,
        on connection: any SQLConnection
    ) throws -> ConsentRefusal? {
        let subject = ApprovalSubject(kind: .operation, id: record.id, expiresAt: record.event.expiresAt)
        return
            switch try factors.pushes.post(
                subject, to: call.account.id, brand: call.account.brandID, by: call.session.facts.clientID, asked: true,
                now: call.now, on: connection)
        {
        case .posted: nil
        case .noAddress:
            .pushUnavailable(factors.described(verifications.filter { $0 != .push }, to: call.account))
        case .heldBack: .tooManyAttempts(retryAfter: Self.pause.wholeSeconds)
        }
    }

    /// How long an app waits after a push message was held back.
    private static let pause = Duration.minutes(10)

    /// The methods by which the person can still consent, as the app shows them.
    func offered(
        _ record: WalletOperationRecord, call: ConsentingApp, on connection: any SQLConnection
    ) throws -> [AvailableVerification] {
        try factors.described(verifications(record, call: call, on: connection), to: call.account)
    }

    private func verifications(
        _ record: WalletOperationRecord, call: ConsentingApp, on connection: any SQLConnection
    ) throws -> [SCAVerification] {
        var available = try factors.available(to: call.account, in: call.session, now: call.now, on: connection)
        if call.thumbprint == nil {
            available.amrByVerification = available.amrByVerification.filter { $0.key.channel != .device }
        }
        // The factors of the session's sign-in count as long as the session was never idle for too long (RTS article 4(3)(d)).
        let signIn = try OperationSession(call.session, of: call.account, at: call.now, on: connection)
        return available.needed(besides: record.event.methods + signIn.methods(at: call.now))
    }

    /// Whether a session is still active when the write runs. It may have ended since the call was authenticated, or its account been
    /// closed or erased. Then no code is sent, and no data is stored that an erasure would have deleted.
    func lives(_ call: ConsentingApp, on connection: any SQLConnection) throws -> Bool {
        try Sessions.living(call.session.id, now: call.now, on: connection) != nil
    }

    /// Whether the account still has the e-mail address and phone number that a call found.
    private func hasSameAddresses(as found: AccountRecord, on connection: any SQLConnection) throws -> Bool {
        let account = try Accounts.find(found.id, on: connection)
        return account?.email == found.email && account?.phone == found.phone
    }

    /// The challenge that the device's biometric key signs: for this session's key and device, single-use.
    private func deviceChallenge(
        for verification: SCAVerification, call: ConsentingApp
    ) throws -> (challenge: SCAChallengeResponse.DeviceChallenge, digest: [UInt8])? {
        guard verification == .deviceBiometric, let thumbprint = call.thumbprint, let device = call.device else {
            return nil
        }
        let made = try challenges.issue(
            DeviceChallenges.Binding(purpose: .sca, thumbprint: thumbprint, account: nil, device: device.id.uuid),
            now: call.now)
        return (
            SCAChallengeResponse.DeviceChallenge(id: made.challengeID, nonce: made.nonce),
            DeviceChallenges.digest(of: made.challengeID)
        )
    }

    /// The ticket that opens a hosted page.
    private func makeTicket(
        for verification: SCAVerification, of record: WalletOperationRecord, returnURL: RedirectURI
    ) -> ConsentTicket {
        ConsentTicket(
            event: record.id.uuid, account: record.accountID.uuid, method: verification.method.rawValue,
            mark: Base64URL.encode(random.bytes(16)), returnURL: returnURL.rawValue)
    }

    private func answer(
        _ record: WalletOperationRecord, _ content: OperationContent, _ available: AvailableVerification, sent: Bool?,
        resendAfter: Int64, device: SCAChallengeResponse.DeviceChallenge?, passkey: PasskeyRequestOptions? = nil,
        page: WebURL? = nil
    ) throws -> SCAChallengeResponse {
        var end = record.event.expiresAt
        if case .challenged(let challenge) = record.event.state, let code = challenge.codeExpiresAt { end = code }
        let maySend = available.verification.isSent && record.event.sends < SCALimits.sends
        return SCAChallengeResponse(
            eventID: content.payload.eventID, operationID: content.payload.operationID,
            verification: available.verification,
            destination: available.destination,
            expiresAt: NumericDate(clamping: end.seconds), resendAfter: maySend ? resendAfter : nil,
            redirectURL: page, payload: content.bytes, deviceChallenge: device, passkey: passkey, sent: sent)
    }
}

/// Why an app's request about an SCA event is refused.
package enum ConsentRefusal: Error, Sendable, Hashable {
    /// The call's token or proof is invalid.
    case unauthorized(OAuthRefusal)
    /// The session was approved from another device, and approves nothing itself.
    case strongerSignIn
    /// This session has no such event.
    case eventNotFound
    /// The person cannot consent by this method, or it would not help.
    case verificationUnavailable([AvailableVerification])
    /// No push message reaches a device that could approve. These methods remain.
    case pushUnavailable([AvailableVerification])
    /// The return URL is not registered for the client.
    case returnURLNotRegistered
    /// No more codes are sent for this event; other methods remain.
    case noCodeLeft
    /// No more challenges for this event; the last one remains valid.
    case noChallengeLeft
    /// Too many wrong values or codes over all events, or a code requested too soon; in seconds.
    case tooManyAttempts(retryAfter: Int64)
    /// The person already consented: repeat the operation.
    case alreadyVerified
    /// The holder refused the event, here or elsewhere.
    case refused
    /// The event is locked, expired, cancelled or used.
    case over(SCAEvent.End)

    /// One of each kind, but those of the caller.
    static let all: [ConsentRefusal] = [
        .strongerSignIn, .eventNotFound, .verificationUnavailable([]), .pushUnavailable([]), .returnURLNotRegistered,
        .noCodeLeft, .noChallengeLeft, .tooManyAttempts(retryAfter: 1), .alreadyVerified, .refused, .over(.locked),
    ]
}
