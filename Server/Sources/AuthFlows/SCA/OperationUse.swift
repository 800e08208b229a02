internal import AuthCore
internal import AuthStore
public import WalletAuthWire

/// Carrying an operation out: once, by the client that asked for it, and exactly as it was agreed to.
extension RequestedOperations {
    /// Authorizes an operation.
    /// - Parameters:
    ///   - consumption: what is carried out.
    ///   - id: the operation's name.
    ///   - key: with the same key and the same body the same answer comes again.
    ///   - call: the backend's call.
    /// - Throws: infrastructure trouble.
    public func consume(
        _ consumption: OperationConsumption, of id: WalletOperationID, key: IdempotencyKey?,
        call presented: PresentedCall
    ) async throws -> Result<OperationAuthorization, OperationRefusal> {
        let call: BackendCall
        switch try await BackendCalls(context: context).check(presented, scope: Self.scope) {
        case .failure(let refusal): return .failure(.unauthorized(refusal))
        case .success(let checked): call = checked
        }
        let jti = Base64URL.encode(context.random.bytes(16))
        let payeeID = try context.randomID()
        let keyDigest = key.map(Self.digest)
        return try await repeating { connection in
            guard
                var record = try WalletOperations.find(id.rawValue, client: call.client.id.rawValue, on: connection)
            else { return .failure(.operationNotFound) }
            let content = try self.vault.open(record)
            // Dynamic linking (RTS article 5): what was agreed to, to the letter, or nothing.
            guard content.operation.operation == consumption.operation,
                consumption.account == nil || consumption.account == content.operation.account
            else { return .failure(.operationChanged) }
            let isExempt = record.decision != .required
            guard consumption.eventID?.rawValue == (isExempt ? nil : record.id.uuid) else {
                return .failure(.operationChanged)
            }
            if let use = record.use, let keyDigest, use.key == keyDigest {
                return .success(
                    OperationAuthorization(authenticationCode: try self.vault.open(answer: use.answer, of: record.id)))
            }
            let next: SCAEvent
            switch record.event.consuming(now: call.now) {
            case .authorized(let used): next = used
            case .notVerified: return .failure(.notVerified)
            case .alreadyUsed: return .failure(.alreadyUsed)
            case .over(let end): return .failure(.over(end))
            }
            if let refusal = try self.refusalOfUse(record, content, on: connection) { return .failure(refusal) }
            // Who signed out, or was locked out, since they agreed pays nothing more by that.
            guard try Accounts.find(record.accountID, on: connection)?.state == .active,
                try Sessions.living(record.sessionID, now: call.now, on: connection) != nil
            else { return .failure(.sessionNotFound) }
            let code = try self.code(
                for: record, content, id: jti, signIn: self.countedSignIn(of: record, on: connection), call: call)
            record.event = next
            record.use = WalletOperationRecord.Use(
                key: keyDigest, answer: try self.vault.seal(answer: code, of: record.id))
            guard try WalletOperations.save(record, on: connection) else { throw Overtaken() }
            if isExempt {
                try self.recordExempt(record, content, now: call.now, on: connection)
            } else {
                try self.recordConsent(record, content, payeeID: payeeID, now: call.now, on: connection)
            }
            var step = try self.entry(.operationAuthorized, record, origin: call.origin, now: call.now)
            step.code = code
            try step.write(on: connection)
            return .success(OperationAuthorization(authenticationCode: code))
        }
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
        call: BackendCall
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
            of: record.accountID, to: isInformation ? .accountInformation : .operation, now: now, on: connection)
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
        let all = try TrustedPayees.all(of: record.accountID, client: record.clientID, on: connection)
        // By what is seen, not by its bytes: who takes somebody off the list wants no other spelling left on it.
        for known in all where vault.account(ofPayee: known) == payee.account {
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
                throw Overtaken()
            }
        }
        if let series = operation.endedSeries {
            try WalletOperations.endSeries(
                series.rawValue, client: record.clientID, account: record.accountID, now: now, on: connection)
        }
    }
}
