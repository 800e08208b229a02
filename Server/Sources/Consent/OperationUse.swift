internal import Core
package import Kernel
internal import SignIn
internal import Store
package import WalletAuthWire

/// Carrying out an operation: once, by the client that requested it, and exactly as consented to.
extension RequestedOperations {
    /// Authorizes an operation.
    /// - Parameters:
    ///   - consumption: the operation as the backend will carry it out.
    ///   - id: the name that the backend gave the operation.
    ///   - key: the same key and body get the same response again.
    package func consume(
        _ consumption: OperationConsumption, of id: WalletOperationID, key: IdempotencyKey?, call: BackendCaller
    ) async throws -> Result<OperationAuthorization, WalletOperationRefusal> {
        let fresh = Fresh(
            codeID: Base64URL.encode(random.bytes(16)), payeeID: try random.uniqueID(),
            key: key?.digest)
        return try await ledger.database.retryingWrite("an operation") { connection in
            let now = ledger.clock.writeTime(since: call.now)
            guard let record = try settled(id.rawValue, client: call.client.id.rawValue, at: now, on: connection)
            else { return .failure(.operationNotFound) }
            let content = try self.vault.open(record)
            // Without an event there is nothing to compare, if there is no consent either.
            if consumption.eventID == nil, case .pending = record.event.status(at: now) {
                return .failure(.notVerified)
            }
            guard Self.isLinked(consumption, to: record, content) else { return .failure(.operationChanged) }
            if let use = record.use, let key = fresh.key, use.key == key {
                return .success(
                    OperationAuthorization(authenticationCode: try self.vault.open(answer: use.answer, of: record.id)))
            }
            // The backend may have read in the meantime that it expired, which is final.
            if record.event.status(at: now) == .over(.expired) { return .failure(.over(.expired)) }
            switch try self.use(record, content, now: call.now, on: connection) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let used):
                let code = try self.write(used, of: record, content, fresh, call: call, on: connection)
                return .success(OperationAuthorization(authenticationCode: code))
            }
        }
    }

    /// Random values made once, before a write that may be repeated.
    private struct Fresh: Sendable {
        let codeID: String
        /// For a payee who becomes trusted.
        let payeeID: UniqueID
        let key: String?
    }

    /// Dynamic linking (RTS article 5): byte for byte what the person consented to.
    private static func isLinked(
        _ consumption: OperationConsumption, to record: WalletOperationRecord, _ content: OperationContent
    ) -> Bool {
        // Without consent there is no event that the backend could name.
        let event = record.decision == .required ? record.id.uuid : nil
        return content.payload.operation == consumption.operation
            && (consumption.account == nil || consumption.account == content.payload.account)
            && consumption.eventID?.rawValue == event
    }

    /// The event in its used state, if it may be used now.
    private func use(
        _ record: WalletOperationRecord, _ content: OperationContent, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> Result<SCAEvent, WalletOperationRefusal> {
        let used: SCAEvent
        switch record.event.consuming(now: now) {
        case .authorized(let next): used = next
        case .notVerified: return .failure(.notVerified)
        case .alreadyUsed: return .failure(.alreadyUsed)
        case .over(let end): return .failure(.over(end))
        }
        if let refusal = try refusalOfUse(record, content, on: connection) { return .failure(refusal) }
        // A person who signed out or was locked out after consenting pays nothing.
        guard try Accounts.find(record.accountID, on: connection)?.state == .active,
            try Sessions.living(record.sessionID, now: now, on: connection) != nil
        else { return .failure(.sessionNotFound) }
        return .success(used)
    }

    /// The write: the use with its response, its effect on later operations, and the step of the trail.
    /// - Returns: the authentication code.
    private func write(
        _ used: SCAEvent, of found: WalletOperationRecord, _ content: OperationContent, _ fresh: Fresh,
        call: BackendCaller, on connection: any SQLConnection
    ) throws -> AuthenticationCode {
        // From the event as found: the code contains the time of consent, which the used event no longer has.
        let consent = try RecordedSteps(audit: audit, record: found, now: call.now).consent(on: connection)
        let signer = try keyRing.signer(.es256)
        let code = try code(
            for: found, content, id: fresh.codeID, signIn: Self.countedSignIn(of: consent), by: signer, call: call)
        var record = found
        record.event = used
        record.use = WalletOperationRecord.Use(
            key: fresh.key, answer: try vault.seal(code.rawValue, .answer, of: record.id))
        guard try WalletOperations.save(record, on: connection) else { throw WriteConflict() }
        switch record.decision {
        case .required:
            try recordConsent(record, content, payeeID: fresh.payeeID, now: call.now, on: connection)
        case .exempt: try recordExempt(record, content, now: call.now, on: connection)
        }
        var step = try ledger.step(.authorized, record, origin: call.origin, now: call.now)
        step.key = signer.publicKey
        try step.write(on: connection)
        return code
    }

    /// The factors of the sign-in that counted at the time of consent. Factors that start or stop counting before the operation is
    /// carried out do not change the consent.
    private static func countedSignIn(of consent: SCASteps.Record) throws -> [String] {
        guard let signIn = try OperationFacts(consent.facts).signIn, signIn.isCounted else { return [] }
        return signIn.methods
    }

    private func code(
        for record: WalletOperationRecord, _ content: OperationContent, id: String, signIn: [String],
        by signer: SigningKey, call: BackendCaller
    ) throws -> AuthenticationCode {
        let basis: AuthenticationCodeClaims.Basis
        switch (record.decision, record.event.state) {
        case (.exempt(let exemption), _): basis = .exempt(exemption)
        case (.required, .verified(let at)):
            var methods = signIn
            for method in record.event.methods { methods = methods.adding(method) }
            basis = .verified(
                AuthenticationCodeClaims.Consent(
                    eventID: content.payload.eventID, payloadHash: .operation(content.bytes), methods: methods,
                    at: NumericDate(clamping: at.seconds)))
        case (.required, _): throw InvariantViolation()
        }
        let claims = AuthenticationCodeClaims(
            issuer: issuer, clientID: call.client.id, account: content.payload.account, id: id,
            issuedAt: NumericDate(clamping: call.now.seconds), operationID: content.payload.operationID,
            operation: content.payload.operation, basis: basis)
        return try AuthenticationCode(signer.message(claims.json.bytes, type: .walletOperation))
    }

    /// Records the effect of a consent on later operations.
    private func recordConsent(
        _ record: WalletOperationRecord, _ content: OperationContent, payeeID: UniqueID, now: Timestamp,
        on connection: any SQLConnection
    ) throws {
        let operation = content.payload.operation
        let isInformation = settings.policy.exemptions.accountInformation.contains(operation.type)
        try SCAHistory.recordConsent(
            of: record.accountID, to: isInformation ? .accountInformation : .operation, client: record.clientID,
            now: now, on: connection)
        guard let payee = operation.payee else { return }
        switch operation.type {
        case .trustPayee:
            try distrust(payee, of: record, on: connection)
            // There is room: ``refusalOfUse(_:_:on:)`` checked it in this write.
            _ = try TrustedPayees.add(
                vault.seal(payee: payee, id: payeeID), id: payeeID, of: record.accountID, client: record.clientID,
                now: now, on: connection)
        case .distrustPayee: try distrust(payee, of: record, on: connection)
        default: break
        }
    }

    private func distrust(
        _ payee: Payee, of record: WalletOperationRecord, on connection: any SQLConnection
    ) throws {
        for known in try listed(payee, of: record.accountID, client: record.clientID, on: connection) {
            try TrustedPayees.remove(known.id, of: record.accountID, on: connection)
        }
    }

    /// Records the effect of an operation that was exempt from consent.
    private func recordExempt(
        _ record: WalletOperationRecord, _ content: OperationContent, now: Timestamp,
        on connection: any SQLConnection
    ) throws {
        let operation = content.payload.operation
        if let amount = operation.amount, let seen = try newCount(of: record, on: connection) {
            guard try SCAHistory.count(amount.minorUnits, of: record.accountID, seen: seen, on: connection) else {
                throw WriteConflict()
            }
        }
        if let series = operation.endedSeries {
            try WalletOperations.endSeries(
                series.rawValue, client: record.clientID, account: record.accountID, now: now, on: connection)
        }
    }
}
