internal import Core
package import Kernel
package import SignIn
internal import Store
package import WalletAuthWire

/// Signing in elsewhere, on the device: the page's code is scanned, the number chosen, and the sign-in approved or refused.
///
/// The rows are those of `SignIn`, whose page shows code and number. As with transactions, the device signs each request, and no session is
/// needed.
package struct ScannedSignIns: Sendable {
    let devices: DeviceTransactions
    let vault: ScanSignInVault
    let keyRing: KeyRing

    private var ledger: TransactionLedger { devices.ledger }

    package typealias Outcome<Value: Sendable> = Result<Value, DeviceTransactionRefusal>

    /// Claims the sign-in of a scanned code. Idempotent for the device.
    package func claim(_ claim: ScannedSignInClaim, call: DeviceCaller) async throws -> Outcome<ScannedSignIn> {
        guard let id = UniqueID(uuid: claim.code.transactionID.rawValue), claim.code.leads(to: devices.issuer) else {
            return .failure(.refused(.notFound))
        }
        let drawn = ScanNumbers.draw(devices.random)
        let network = call.origin.networkDigest(key: try keyRing.active(.attempts))
        return try await take(id, call) { step, connection in
            let content = try vault.content(of: step.record)
            let account = step.device.accountID
            guard let holder = try Accounts.find(account, on: connection), holder.brandID == step.record.brandID,
                try Brands.takesScans(step.record.brandID, on: connection),
                let secret = try secretStep(claim.code.secret, content, step)
            else { return .failure(.notFound) }
            if let known = step.record.claim {
                guard known.device == step.device.id else { return .failure(.alreadyClaimed) }
                guard step.record.state == .claimed else { return .failure(step.over ?? .notFound) }
                return .success(try view(step, content))
            }
            if let over = step.over { return .failure(over) }
            guard secret else { return .failure(.scanExpired) }
            if let until = try ScanSignIns.heldUntil(account, now: step.now, on: connection) {
                return .failure(.scansHeld(retryAfter: RetryAfter.seconds(until: until, now: step.now)))
            }
            if case .failure(let refusal) = try devices.factorsToSign(
                on: step.device, for: .any, now: step.now, connection: connection)
            {
                return .failure(refusal)
            }
            step.record.claim = ScanSignInRecord.Claim(
                account: account, device: step.device.id, number: drawn.shown, numbers: drawn.numbers,
                sameNetwork: step.record.network == network)
            step.record.state = .claimed
            step.record.endsAt = step.now + ScanLimits.deciding
            step.event = .claimed
            return .success(try view(step, content))
        }
    }

    /// Compares the number that the person chose with the one on the page. The wrong one ends the attempt.
    package func choose(
        _ choice: ScannedSignInChoice, of id: TransactionID, call: DeviceCaller
    ) async throws -> Outcome<DeviceTransaction> {
        guard let rowID = UniqueID(uuid: id.rawValue) else { return .failure(.refused(.notFound)) }
        let nonce = try Nonce(Base64URL.encode(devices.random.bytes(32)))
        return try await take(rowID, call) { step, connection in
            guard var claim = step.record.claim, claim.device == step.device.id else { return .failure(.notFound) }
            if let over = step.over { return .failure(over) }
            // Several codes may have been claimed before the wrong numbers.
            if let until = try ScanSignIns.heldUntil(claim.account, now: step.now, on: connection) {
                return .failure(.scansHeld(retryAfter: RetryAfter.seconds(until: until, now: step.now)))
            }
            guard choice.number == claim.number else {
                step.record.state = .mismatched
                step.record.endsAt = step.now
                step.event = .mismatched
                return .failure(.numberMismatch)
            }
            let factors: [TransactionFactor]
            switch try devices.factorsToSign(on: step.device, for: .any, now: step.now, connection: connection) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let able): factors = able
            }
            if step.record.state == .claimed {
                let payload = SignInPayload(
                    signIn: try view(step, vault.content(of: step.record)),
                    clientID: try ClientID(step.record.clientID), number: claim.number, nonce: nonce)
                claim.payload = try vault.seal(payload: payload.bytes, of: rowID)
                step.record.claim = claim
                step.record.state = .chosen
                step.isChanged = true
            }
            return .success(try transaction(step, .confirmed, factors))
        }
    }

    /// "This is not me". Before the sign-in it ends the attempt. After it, it also ends every session that was opened by scanning: which of
    /// them is the stranger's, the phone does not know.
    package func refuse(
        _ refusal: ScannedSignInRefusal, of id: TransactionID, call: DeviceCaller
    ) async throws -> Outcome<Void> {
        guard let rowID = UniqueID(uuid: id.rawValue) else { return .failure(.refused(.notFound)) }
        return try await take(rowID, call) { step, connection in
            guard let claim = step.record.claim, claim.device == step.device.id else { return .failure(.notFound) }
            switch step.record.state {
            // It is over already, and opened nothing. A wrong number stays one: it counts toward the limit of three.
            case .rejected, .mismatched, .failed: return .success(())
            case .signed, .used:
                // A code for the app that was not redeemed yet opens nothing either.
                try RedeemedCodes.void(
                    ScanSignInRecord.grantID(of: rowID), until: step.now + AuthorizationGrant.memory, on: connection)
                try Sessions.endAll(
                    of: claim.account, openedBy: AuthenticationStrength.crossDevice, because: .endedByHolder,
                    now: step.now, on: connection)
            case .open, .claimed, .chosen: break
            }
            step.record.state = .rejected
            step.event = .rejected
            return .success(())
        }
    }

    /// Approves the sign-in with the device's key and a fresh second factor.
    package func sign(
        _ signature: TransactionSignature, of id: TransactionID, origin: RequestOrigin
    ) async throws -> Outcome<DeviceTransaction> {
        let now = ledger.clock.now()
        guard let rowID = UniqueID(uuid: id.rawValue), let presented = try? PresentedAssertion(signature.assertion)
        else { return .failure(.assertion(.invalidCredentials)) }
        let found = try await ledger.database.read { connection -> (PayloadHash, DeviceAssertions.Signer?)? in
            guard let claim = try ScanSignIns.find(rowID, on: connection)?.claim, let payload = claim.payload,
                claim.device.uuid == presented.unverified.deviceID.rawValue
            else { return nil }
            return (payload.hash, try DeviceAssertions.signer(of: presented, on: connection))
        }
        guard let (hash, signer) = found else { return .failure(.assertion(.invalidCredentials)) }
        let request = DeviceAssertions.Presented(presented, act: .transaction(id, hash), origin: origin, now: now)
        let outcome = try await WriteConflict.retrying("a sign-in") { () -> Outcome<DeviceTransaction> in
            let asserted = try await devices.assertions.verify(request, by: signer)
            if let refusal = asserted.refusal { return .failure(.assertion(refusal)) }
            return try await ledger.database.write { connection in
                switch try asserted.signer(
                    with: presented.unverified.factor, admittedBy: devices.admission, now: now, on: connection)
                {
                case .accepted(let device):
                    return try sign(rowID, presented, by: device, origin: origin, arrival: now, on: connection)
                        .mapError { .refused($0) }
                case .refused(let refusal): return .failure(.refused(refusal))
                case .unproven(let refusal), .repeated(.failure(let refusal)):
                    if refusal.isLock { try fail(rowID, origin: origin, now: now, on: connection) }
                    return .failure(.assertion(refusal))
                case .repeated(.success(let proof)):
                    return try signed(rowID, presented, on: proof.device, now: now, connection)
                        .mapError { .refused($0) }
                }
            }
        }
        ledger.changes.changed(rowID)
        return outcome
    }
}

// MARK: - Steps

extension ScannedSignIns {
    /// A step in the write that takes it.
    private struct Step {
        var record: ScanSignInRecord
        let device: DeviceRecord
        let now: Timestamp
        /// What the audit log says of it; `nil` if it changes nothing, or nothing that is worth an entry.
        var event: ScanSignInEvent?
        var isChanged = false

        /// Why it cannot go on; `nil` if it can.
        var over: TransactionRefusal? {
            if record.hasExpired(at: now) { return .scanExpired }
            return switch record.state {
            case .open, .claimed, .chosen: nil
            case .signed, .used: .over(.signed)
            case .rejected: .over(.rejected)
            case .failed: .over(.failed)
            case .mismatched: .numberMismatch
            }
        }
    }

    /// Reads the row, decides, and writes it under its guard together with the audit log's entry, also for a refusal that ends it.
    private func take<Value: Sendable>(
        _ id: UniqueID, _ call: DeviceCaller,
        decide: @escaping @Sendable (inout Step, any SQLConnection) throws -> Result<Value, TransactionRefusal>
    ) async throws -> Outcome<Value> {
        let outcome = try await ledger.database.retryingWrite("a sign-in") { connection -> Outcome<Value> in
            guard let device = try Devices.find(call.device.id, on: connection),
                let record = try ScanSignIns.find(id, on: connection)
            else { return .failure(.refused(.notFound)) }
            let now = ledger.clock.writeTime(since: call.now)
            if let refusal = try devices.admission.refusal(of: device, now: now, on: connection) {
                return .failure(.refused(TransactionRefusal(refusal)))
            }
            var step = Step(record: record, device: device, now: now)
            let decided = try decide(&step, connection)
            if step.event != nil || step.isChanged {
                guard try ScanSignIns.save(step.record, on: connection) else { throw WriteConflict() }
            }
            if let event = step.event {
                try note(event, step.record, origin: call.origin, now: now, on: connection)
            }
            return decided.mapError { .refused($0) }
        }
        ledger.changes.changed(id)
        return outcome
    }

    private func note(
        _ event: ScanSignInEvent, _ record: ScanSignInRecord, origin: RequestOrigin, now: Timestamp,
        on connection: any SQLConnection
    ) throws {
        guard let claim = record.claim, let account = try Accounts.find(claim.account, on: connection) else {
            throw InvariantViolation()
        }
        var message: ScanSignInMessage?
        // The row with this wrong number has been written: the last one of those that are allowed tells the holder.
        if event == .mismatched, try ScanSignIns.heldUntil(account.id, now: now, on: connection) != nil {
            message = .held
        }
        var details = JSONObject.naming(claim.device)
        details.set("scan", record.id.uuid)
        try ledger.auditLog.entry(
            event, account: account.id, client: record.clientID, origin: origin, now: now, details: details,
            message: message, email: AccountVault(vault.sealing).email(of: account)
        ).write(on: connection)
    }

    /// Whether a secret is that of a code that still works; `nil` if the page never showed it.
    private func secretStep(
        _ secret: TransactionSecret, _ content: ScanSignInContent, _ step: Step
    ) throws -> Bool? {
        let living = step.record.livingSteps(at: step.now)
        // A claimed row ends later than its page showed codes, so the last steps are those of that time.
        let last = min(living.upperBound, ScanLimits.showing.wholeSeconds / ScanLimits.step + 1)
        for number in (0...last).reversed() where try content.secret(of: number) == secret {
            return living.contains(number)
        }
        return nil
    }

    private func view(_ step: Step, _ content: ScanSignInContent) throws -> ScannedSignIn {
        guard let claim = step.record.claim else { throw InvariantViolation() }
        return ScannedSignIn(
            transactionID: try TransactionID(step.record.id.uuid),
            account: try AccountID(bytes: claim.account.bytes), service: content.service, browser: content.browser,
            system: content.system, sameNetwork: claim.sameNetwork, numbers: claim.numbers,
            expiresAt: NumericDate(clamping: step.record.endsAt.seconds))
    }

    private func transaction(
        _ step: Step, _ status: TransactionStatus, _ factors: [TransactionFactor]
    ) throws -> DeviceTransaction {
        guard let payload = try vault.payload(of: step.record) else { throw DamagedRow() }
        var view = DeviceTransaction(
            transactionID: try TransactionID(step.record.id.uuid), status: status, payload: payload,
            allowedSecondFactors: factors, expiresAt: NumericDate(clamping: step.record.endsAt.seconds))
        if factors.contains(.biometric) {
            view.challenge = try devices.challenges.issue(
                try .transaction(view.transactionID, on: step.device), now: step.now)
        }
        return view
    }
}

// MARK: - The signature

extension ScannedSignIns {
    private func sign(
        _ id: UniqueID, _ presented: PresentedAssertion, by device: DeviceRecord, origin: RequestOrigin,
        arrival: Timestamp, on connection: any SQLConnection
    ) throws -> Result<DeviceTransaction, TransactionRefusal> {
        let now = ledger.clock.writeTime(since: arrival)
        guard var record = try ScanSignIns.find(id, on: connection), var claim = record.claim,
            claim.device == device.id, let account = try Accounts.find(claim.account, on: connection),
            try Brands.takesScans(record.brandID, on: connection)
        else { return .failure(.notFound) }
        let step = Step(record: record, device: device, now: now)
        if let over = step.over {
            return record.state == .signed || record.state == .used
                ? try signed(id, presented, on: device, now: now, connection) : .failure(over)
        }
        guard record.state == .chosen else { return .failure(.notConfirmed) }
        let opener =
            presented.unverified.factor == .biometric ? AuthenticationStrength.biometric : AuthenticationStrength.pin
        claim.signature = ScanSignInRecord.Signature(
            assertion: presented.payloadDigest,
            methods: [opener, device.keyStorage.method, AuthenticationStrength.crossDevice],
            securityVersion: account.securityVersion, at: now)
        record.claim = claim
        record.state = .signed
        record.endsAt = now + ScanLimits.continuing
        guard try ScanSignIns.save(record, on: connection) else { throw WriteConflict() }
        try note(.approved, record, origin: origin, now: now, on: connection)
        return .success(try transaction(Step(record: record, device: device, now: now), .signed, []))
    }

    /// The response to a repeated assertion.
    private func signed(
        _ id: UniqueID, _ presented: PresentedAssertion, on device: DeviceRecord, now: Timestamp,
        _ connection: any SQLConnection
    ) throws -> Result<DeviceTransaction, TransactionRefusal> {
        guard let record = try ScanSignIns.find(id, on: connection) else { return .failure(.notFound) }
        let step = Step(record: record, device: device, now: now)
        guard record.claim?.signature?.assertion == presented.payloadDigest else {
            return .failure(step.over ?? .notConfirmed)
        }
        return .success(try transaction(step, .signed, []))
    }

    /// Ends the sign-in that a device claimed, because its PIN is locked.
    func fail(_ id: UniqueID, origin: RequestOrigin, now: Timestamp, on connection: any SQLConnection) throws {
        guard var record = try ScanSignIns.find(id, on: connection), record.state == .chosen else { return }
        record.state = .failed
        guard try ScanSignIns.save(record, on: connection) else { throw WriteConflict() }
        try note(.failed, record, origin: origin, now: now, on: connection)
    }

    /// Why a device's PIN is not evaluated for a sign-in; `nil` if it is, and a refusal for another one's. Nothing is charged for one that
    /// is over.
    func refusal(
        of record: ScanSignInRecord, _ hash: PayloadHash, by device: DeviceRecord, now: Timestamp
    ) -> TransactionRefusal? {
        guard let claim = record.claim, claim.device == device.id else { return .notFound }
        if let over = Step(record: record, device: device, now: now).over { return over }
        guard let payload = claim.payload else { return .notConfirmed }
        return payload.hash == hash ? nil : .otherPayload
    }
}
