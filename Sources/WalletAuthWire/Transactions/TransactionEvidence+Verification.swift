extension TransactionEvidence {
    /// Verifies the document with public keys alone.
    ///
    /// Beside the server's signature it checks the device's signature against the payload, and every statement against the others:
    /// the payload against transaction, client, account and expiry, the state against the steps, the factor against what was asked
    /// for.
    /// - Parameter keys: the server's audit keys, as `walletauth audit key` printed them.
    /// - Returns: the content.
    /// - Throws: ``EvidenceFault``.
    public func verified(by keys: JWKSet) throws(EvidenceFault) -> TransactionEvidenceClaims {
        let bytes: [UInt8]
        do {
            bytes = try CompactJWS(rawValue, maximumBytes: Self.maximumBytes)
                .payload(signedByAuditKeys: keys, type: .walletTransactionEvidence)
        } catch { throw .forged(error) }
        do {
            let claims = try TransactionEvidenceClaims(parsing: bytes)
            try TransactionEvidenceCheck(claims: claims, payload: claims.signedPayload()).run()
            return claims
        } catch let error as MalformedValue { throw .malformed(error) } catch let error as EvidenceFault {
            throw error
        } catch { throw .contradiction("\(error)") }
    }
}

extension TransactionEvidenceClaims {
    /// The parts of a payload that the other statements are held against.
    struct SignedPayload {
        var transactionID: TransactionID
        var clientID: ClientID
        var account: AccountID
        var requiredSecondFactor: RequiredSecondFactor
        var expiresAt: NumericDate
    }

    /// What the signed bytes say; nil while no device has claimed the transaction.
    func signedPayload() throws(MalformedValue) -> SignedPayload? {
        guard let payload else { return nil }
        switch origin {
        case .server:
            let read = try TransactionPayload(parsing: payload)
            return SignedPayload(
                transactionID: read.transactionID, clientID: read.clientID, account: read.account,
                requiredSecondFactor: read.requiredSecondFactor, expiresAt: read.expiresAt)
        case .client:
            let read = try ClientTransactionPayload(parsing: payload)
            return SignedPayload(
                transactionID: read.transactionID, clientID: read.clientID, account: read.account,
                requiredSecondFactor: read.requiredSecondFactor, expiresAt: read.expiresAt)
        }
    }
}

/// Holds the statements of a document against each other.
private struct TransactionEvidenceCheck {
    let claims: TransactionEvidenceClaims
    let payload: TransactionEvidenceClaims.SignedPayload?

    /// By how many milliseconds two times may be in the wrong order: of calls that run at once, the one that began later may be
    /// written first.
    static let tolerance: Int64 = 60_000
    /// How many milliseconds before it arrives an assertion may have been signed.
    static let assertionLifetime: Int64 = 300_000

    func run() throws(EvidenceFault) {
        try belongs()
        try history()
        try signature()
    }

    private func require(_ isSo: Bool, _ otherwise: @autoclosure () -> String) throws(EvidenceFault) {
        guard isSo else { throw .contradiction(otherwise()) }
    }

    private func belongs() throws(EvidenceFault) {
        guard let payload else { return }
        try require(payload.transactionID == claims.transactionID, "the payload is of another transaction")
        try require(payload.clientID == claims.clientID, "the payload names another client")
        try require(payload.account == claims.account, "the payload names another account")
        try require(
            payload.expiresAt.secondsSince1970 == claims.expiresAt / 1000, "the payload expires at another time")
    }

    /// The steps are those that lead to the state, in order, each once.
    private func history() throws(EvidenceFault) {
        let happened = claims.steps.map(\.status)
        let ways: [[TransactionStatus]]
        let path: [TransactionStatus] = claims.origin == .client ? [] : [.created, .claimed, .confirmed]
        switch claims.status {
        case .created: ways = [[.created]]
        case .claimed: ways = [[.created, .claimed]]
        case .confirmed: ways = [path]
        case .signed: ways = [path + [.signed]]
        case .rejected: ways = [[.created, .claimed, .rejected], path + [.rejected]]
        case .failed: ways = [[.created, .claimed, .failed], path + [.failed]]
        case .expired: ways = (1...3).map { Array(path.prefix($0)) }
        // The removal of a device and a restore are no steps of the transaction.
        case .cancelled: ways = (1...3).flatMap { [Array(path.prefix($0)), path.prefix($0) + [.cancelled]] }
        }
        try require(ways.contains(happened), "the state \(claims.status.rawValue) does not follow from the steps")
        try require(
            claims.origin == .server || claims.status == .signed,
            "a transaction of an app is not stored before it is signed")
        var earlier = claims.createdAt
        for step in claims.steps {
            try require(
                step.at > earlier - Self.tolerance, "“\(step.status.rawValue)” comes before the step ahead of it")
            earlier = max(earlier, step.at)
        }
        try require(
            (claims.payload != nil) == (happened.contains(.claimed) || claims.origin == .client),
            "there is a payload that no device claimed, or none where one did")
        let isOver = claims.status.isFinal && claims.status != .expired
        try require(isOver == (claims.endedAt != nil), "the time of its end does not fit the state")
        try require(
            (claims.status == .rejected) == (claims.reason != nil), "the reason of a rejection does not fit the state")
        try require(
            (claims.status == .cancelled) == (claims.cancellation != nil),
            "the reason of a cancellation does not fit the state")
        try require(
            (claims.cancellation == .backend) == happened.contains(.cancelled),
            "the reason of a cancellation does not fit the steps")
    }

    private func signature() throws(EvidenceFault) {
        try require(
            (claims.status == .signed) == (claims.signature != nil), "the signature does not fit the state")
        guard let signature = claims.signature else { return }
        guard let payload, let bytes = claims.payload, let account = claims.account, let endedAt = claims.endedAt
        else { throw .contradiction("it is signed, and there is nothing that was signed") }
        let assertion: DeviceAssertion
        do { assertion = try signature.device.assertion() } catch {
            throw .contradiction("the device's signature is wrong (\(error))")
        }
        func same(_ isSame: Bool, _ what: String) throws(EvidenceFault) {
            try require(isSame, "the device's signature is over another \(what)")
        }
        try same(assertion.audience == claims.issuer, "server")
        try same(assertion.account == account, "account")
        try same(assertion.deviceID == signature.device.id, "device")
        try same(assertion.act == .transaction(claims.transactionID, .transaction(bytes)), "payload or purpose")
        let factor: TransactionFactor = if case .pin = assertion.factor { .pin } else { .biometric }
        try same(factor == signature.secondFactor, "factor")
        try require(
            payload.requiredSecondFactor.allowed.contains(factor), "it was signed by a factor that was not asked for")
        try require(
            abs(assertion.issuedAt.secondsSince1970 * 1000 - endedAt) <= Self.assertionLifetime + Self.tolerance,
            "it was signed at another time")
        try require(endedAt < claims.expiresAt + Self.tolerance, "it was signed after it had expired")
    }
}
