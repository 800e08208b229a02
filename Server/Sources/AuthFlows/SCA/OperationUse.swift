internal import AuthCore
internal import AuthStore
package import WalletAuthWire

/// Carrying an operation out: once, by the client that asked for it, and exactly as it was agreed to.
extension RequestedOperations {
    /// Authorizes an operation.
    /// - Parameters:
    ///   - consumption: what is carried out.
    ///   - id: the operation's name.
    ///   - key: with the same key and the same body the same answer comes again.
    ///   - call: the backend's call.
    /// - Throws: infrastructure errors.
    package func consume(
        _ consumption: OperationConsumption, of id: WalletOperationID, key: IdempotencyKey?, call: BackendCaller
    ) async throws -> Result<OperationAuthorization, WalletOperationRefusal> {
        let fresh = Fresh(
            codeID: Base64URL.encode(context.random.bytes(16)), payeeID: try context.randomID(),
            key: key.map(Self.digest))
        return try await repeating { connection in
            guard
                let record = try WalletOperations.find(id.rawValue, client: call.client.id.rawValue, on: connection)
            else { return .failure(.operationNotFound) }
            let content = try self.vault.open(record)
            guard Self.isLinked(consumption, to: record, content) else { return .failure(.operationChanged) }
            if let use = record.use, let key = fresh.key, use.key == key {
                return .success(
                    OperationAuthorization(authenticationCode: try self.vault.open(answer: use.answer, of: record.id)))
            }
            switch try self.use(record, content, now: call.now, on: connection) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let used):
                let code = try self.write(used, of: record, content, fresh, call: call, on: connection)
                return .success(OperationAuthorization(authenticationCode: code))
            }
        }
    }

    /// What a use needs beside the rows: made once, before the write that may have to be repeated.
    private struct Fresh: Sendable {
        /// The authentication code's `jti`.
        let codeID: String
        /// For a payee who is trusted from now on.
        let payeeID: UniqueID
        /// The digest of the Idempotency-Key.
        let key: String?
    }

    /// Dynamic linking (RTS article 5): what was agreed to, to the letter, or nothing.
    private static func isLinked(
        _ consumption: OperationConsumption, to record: WalletOperationRecord, _ content: OperationVault.Content
    ) -> Bool {
        // What passed without consent has no event that its backend could name.
        let event = record.decision == .required ? record.id.uuid : nil
        return content.operation.operation == consumption.operation
            && (consumption.account == nil || consumption.account == content.operation.account)
            && consumption.eventID?.rawValue == event
    }

    /// The event used up, where it may be at this moment.
    private func use(
        _ record: WalletOperationRecord, _ content: OperationVault.Content, now: Timestamp,
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
        // Who signed out, or was locked out, since they agreed pays nothing more by that.
        guard try Accounts.find(record.accountID, on: connection)?.state == .active,
            try Sessions.living(record.sessionID, now: now, on: connection) != nil
        else { return .failure(.sessionNotFound) }
        return .success(used)
    }

    /// The write: the use with its answer, what follows from it for later operations, and the step of the trail.
    /// - Returns: the authentication code.
    private func write(
        _ used: SCAEvent, of found: WalletOperationRecord, _ content: OperationVault.Content, _ fresh: Fresh,
        call: BackendCaller, on connection: any SQLConnection
    ) throws -> AuthenticationCode {
        // Of the event as it was found: the code says when the person agreed, which the used one no longer does.
        let code = try code(
            for: found, content, id: fresh.codeID, signIn: countedSignIn(of: found, on: connection), call: call)
        var record = found
        record.event = used
        record.use = WalletOperationRecord.Use(key: fresh.key, answer: try vault.seal(answer: code, of: record.id))
        guard try WalletOperations.save(record, on: connection) else { throw UpdateConflict() }
        switch record.decision {
        case .required:
            try recordConsent(record, content, payeeID: fresh.payeeID, now: call.now, on: connection)
        case .exempt: try recordExempt(record, content, now: call.now, on: connection)
        }
        var step = try entry(.operationAuthorized, record, origin: call.origin, now: call.now)
        step.code = code
        try step.write(on: connection)
        return code
    }

    /// What the sign-in proved for the consent, as it was found when the person agreed: what comes to count, or ceases to,
    /// between that and the moment at which the operation is carried out changes nothing of what they agreed by.
    private func countedSignIn(
        of record: WalletOperationRecord, on connection: any SQLConnection
    ) throws -> [String] {
        guard
            let facts = try SCASteps.facts(
                ofLast: OperationEvidenceClaims.Step.Kind.verified.rawValue, of: record.id, on: connection),
            let signIn = try OperationFacts(facts).signIn, signIn.isCounted
        else { return [] }
        return signIn.methods
    }

    private func code(
        for record: WalletOperationRecord, _ content: OperationVault.Content, id: String, signIn: [String],
        call: BackendCaller
    ) throws -> AuthenticationCode {
        let basis: AuthenticationCodeClaims.Basis
        switch (record.decision, record.event.state) {
        case (.exempt(let exemption), _): basis = .exempt(exemption)
        case (.required, .verified(let at)):
            var methods = signIn
            for method in record.event.methods { methods = methods.adding(method) }
            basis = .verified(
                AuthenticationCodeClaims.Consent(
                    eventID: content.operation.eventID, payloadHash: .operation(content.payload), methods: methods,
                    at: NumericDate(clamping: at.seconds)))
        case (.required, _): throw SourceFailure()
        }
        let claims = AuthenticationCodeClaims(
            issuer: context.settings.issuer, clientID: call.client.id, account: content.operation.account, id: id,
            issuedAt: NumericDate(clamping: call.now.seconds), operationID: content.operation.operationID,
            operation: content.operation.operation, basis: basis)
        return try AuthenticationCode(
            context.keyRing.signer(.es256).message(claims.json.bytes, type: .walletOperation))
    }

    /// What a consent changes for the operations that follow it.
    private func recordConsent(
        _ record: WalletOperationRecord, _ content: OperationVault.Content, payeeID: UniqueID, now: Timestamp,
        on connection: any SQLConnection
    ) throws {
        let operation = content.operation.operation
        let isInformation = context.settings.sca.policy.exemptions.accountInformation.contains(operation.type)
        try SCAHistory.recordConsent(
            of: record.accountID, to: isInformation ? .accountInformation : .operation, client: record.clientID,
            now: now, on: connection)
        guard let payee = operation.payee else { return }
        switch operation.type {
        case .trustPayee:
            try distrust(payee, of: record, on: connection)
            // There is room: ``refusalOfUse(_:_:on:)`` has looked, in this write.
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

    /// What an operation changes that passed without consent.
    private func recordExempt(
        _ record: WalletOperationRecord, _ content: OperationVault.Content, now: Timestamp,
        on connection: any SQLConnection
    ) throws {
        let operation = content.operation.operation
        if let amount = operation.amount, let seen = try newCount(of: record, on: connection) {
            guard try SCAHistory.count(amount.minorUnits, of: record.accountID, seen: seen, on: connection) else {
                throw UpdateConflict()
            }
        }
        if let series = operation.endedSeries {
            try WalletOperations.endSeries(
                series.rawValue, client: record.clientID, account: record.accountID, now: now, on: connection)
        }
    }
}
