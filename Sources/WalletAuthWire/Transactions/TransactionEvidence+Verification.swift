extension TransactionEvidence {
    /// Verifies the document offline, with public keys only.
    ///
    /// Besides the server's signature, it checks the device's signature against the payload, and all statements against
    /// each other: the payload against transaction, client, account and expiry, the state and all times against the
    /// steps, the factor against the required one. Of the payload, it checks only the form: text that a later rule
    /// would refuse stays provable.
    /// - Parameter keys: the server's audit keys, as printed by `walletauth audit key`.
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
    /// The parts of a payload that are compared with other statements.
    struct SignedPayload {
        var transactionID: TransactionID
        var clientID: ClientID
        var account: AccountID
        var requiredSecondFactor: RequiredSecondFactor
        var expiresAt: NumericDate
    }

    /// The content of the signed bytes; nil if the document does not contain them.
    func signedPayload() throws(MalformedValue) -> SignedPayload? {
        guard let payload else { return nil }
        do throws(MalformedValue) {
            switch origin {
            case .server:
                let read = try TransactionPayload(recorded: payload)
                return SignedPayload(
                    transactionID: read.transactionID, clientID: read.clientID, account: read.account,
                    requiredSecondFactor: read.requiredSecondFactor, expiresAt: read.expiresAt)
            case .client:
                let read = try ClientTransactionPayload(parsing: payload)
                return SignedPayload(
                    transactionID: read.transactionID, clientID: read.clientID, account: read.account,
                    requiredSecondFactor: read.requiredSecondFactor, expiresAt: read.expiresAt)
            }
        } catch {
            // The proof has members of the same names.
            let isWhole = error.field == "payload" || error.field == "request"
            throw MalformedValue(field: isWhole ? "payload" : "payload.\(error.field)", reason: error.reason)
        }
    }
}

/// Checks the statements of a document against each other.
private struct TransactionEvidenceCheck {
    let claims: TransactionEvidenceClaims
    let payload: TransactionEvidenceClaims.SignedPayload?

    /// By how many milliseconds two times may be in the wrong order: of concurrent calls, the one that began later may
    /// be written first.
    static let tolerance: Int64 = 60_000
    /// How many milliseconds a transaction may be open. The limits of a check may grow but never shrink, so that older
    /// proofs stay valid.
    static let longestLifetime: Int64 = 900_000
    /// The length of an audit entry's link in bytes: an HMAC by SHA-256.
    static let linkBytes = 32

    func run() throws(EvidenceFault) {
        try belongs()
        try history()
        try times()
        try auditEntries()
        try members()
        try signature()
    }

    private func belongs() throws(EvidenceFault) {
        guard let payload else { return }
        func same(_ isSame: Bool, _ inPayload: String, _ inProof: String) throws(EvidenceFault) {
            try require(isSame, "\(inPayload) of the payload differs from \(inProof) of the proof")
        }
        try same(payload.transactionID == claims.transactionID, "id", "transactionId")
        try same(payload.clientID == claims.clientID, "clientId", "clientId")
        try same(payload.account == claims.account, "account", "accountId")
        try same(payload.expiresAt.secondsSince1970 == claims.expiresAt / 1000, "expiresAt", "expiresAt")
    }

    private var happened: [TransactionStatus] { claims.steps.map(\.status) }

    /// Whether a device claimed it.
    private var isClaimed: Bool { happened.contains(.claimed) || claims.origin == .client }

    /// Whether the document omits the claiming account: the backend named no account, and none has signed.
    private var isSignerWithheld: Bool { isClaimed && claims.account == nil && claims.status != .signed }

    /// The steps must lead to the state, in order, each once.
    private func history() throws(EvidenceFault) {
        try require(
            claims.origin == .server || claims.status == .signed,
            "origin is client and status is \(claims.status.rawValue), and a transaction of an app is stored only once"
                + " it is signed")
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
        // The removal of a device and a restore are not steps of the transaction.
        case .cancelled: ways = (1...3).flatMap { [Array(path.prefix($0)), path.prefix($0) + [.cancelled]] }
        }
        let names = happened.isEmpty ? "none" : happened.map(\.rawValue).joined(separator: ", ")
        try require(
            ways.contains(happened),
            "status \(claims.status.rawValue) does not follow from the steps, which are \(names)")
    }

    private func times() throws(EvidenceFault) {
        guard let first = claims.steps.first, let last = claims.steps.last else {
            throw .contradiction("steps is empty")
        }
        try require(
            claims.createdAt < claims.expiresAt && claims.expiresAt - claims.createdAt <= Self.longestLifetime,
            "expiresAt is \(claims.expiresAt) and createdAt is \(claims.createdAt), and a transaction is open for 15"
                + " minutes at most")
        try require(
            first.at == claims.createdAt,
            "createdAt is \(claims.createdAt), and the first step, \(first.status.rawValue), is at \(first.at)")
        var earlier = first.at
        for step in claims.steps {
            try require(
                step.at > earlier - Self.tolerance,
                "the step \(step.status.rawValue) is at \(step.at), a minute or more before a step ahead of it")
            try require(
                step.at < claims.expiresAt,
                "the step \(step.status.rawValue) is at \(step.at), and expiresAt is \(claims.expiresAt)")
            earlier = max(earlier, step.at)
        }
        try end(after: last)
    }

    private func end(after last: TransactionEvidenceClaims.Step) throws(EvidenceFault) {
        let isOver = claims.status.isFinal && claims.status != .expired
        guard let endedAt = claims.endedAt else {
            try require(!isOver, "status is \(claims.status.rawValue), and endedAt is missing")
            return
        }
        try require(isOver, "status is \(claims.status.rawValue), and there is an endedAt")
        guard last.status != claims.status else {
            try require(
                endedAt == last.at,
                "endedAt is \(endedAt), and the last step, \(last.status.rawValue), is at \(last.at)")
            return
        }
        // A removal or a restore, which are not steps. A restore ends transactions that were open in the backup, even
        // after their time.
        try require(
            endedAt > last.at - Self.tolerance,
            "endedAt is \(endedAt), a minute or more before the last step, \(last.status.rawValue), at \(last.at)")
        try require(
            endedAt < claims.expiresAt || claims.cancellation == .restore,
            "endedAt is \(endedAt), and expiresAt is \(claims.expiresAt)")
    }

    private func auditEntries() throws(EvidenceFault) {
        var entries: [[Int64]: TransactionStatus] = [:]
        let ofSigner = isSignerWithheld ? happened.firstIndex(of: .claimed) : nil
        for (number, step) in claims.steps.enumerated() {
            let name = step.status.rawValue
            let isWithheld = ofSigner.map { number >= $0 } ?? false
            guard let place = step.place else {
                try require(isWithheld, "audit of the step \(name) is missing")
                continue
            }
            try require(!isWithheld, "accountId is missing, and there is an audit of the step \(name)")
            try require(
                place.link.count == Self.linkBytes,
                "audit.link of the step \(name) has \(place.link.count) bytes, and a link has \(Self.linkBytes)")
            let other = entries.updateValue(step.status, forKey: [place.partition, place.sequence])
            try require(
                other == nil,
                "audit of the step \(name) names the entry \(place.partition)/\(place.sequence), as does that of"
                    + " the step \(other?.rawValue ?? "")")
        }
    }

    /// The members that belong to some states only.
    private func members() throws(EvidenceFault) {
        let status = claims.status.rawValue
        try require(
            (claims.payload != nil) == (isClaimed && !isSignerWithheld),
            isClaimed
                ? "a device claimed it, and of payload and accountId one is missing"
                : "there is a payload, and no step CLAIMED")
        try require(
            (claims.status == .rejected) == (claims.reason != nil),
            "status is \(status), and reason is \(claims.reason?.rawValue ?? "missing")")
        try require(
            (claims.status == .cancelled) == (claims.cancellation != nil),
            "status is \(status), and cancellation is \(claims.cancellation?.rawValue ?? "missing")")
        try require(
            (claims.cancellation == .backend) == happened.contains(.cancelled),
            "cancellation is \(claims.cancellation?.rawValue ?? "missing"), and BACKEND goes with a step CANCELLED")
        try require(
            claims.cancellation != .deviceRemoved || isClaimed,
            "cancellation is DEVICE_REMOVED, and no device claimed it")
        try require(
            (claims.status == .signed) == (claims.signature != nil),
            "status is \(status), and device with secondFactor is \(claims.signature == nil ? "missing" : "there")")
    }

    private func signature() throws(EvidenceFault) {
        guard let signature = claims.signature else { return }
        guard let payload, let bytes = claims.payload, let account = claims.account, let endedAt = claims.endedAt
        else { throw .contradiction("status is SIGNED, and payload, accountId or endedAt is missing") }
        let assertion: DeviceAssertion
        do { assertion = try signature.device.assertion() } catch {
            throw .contradiction("device.signature is not by device.key, or is not an assertion (\(error))")
        }
        func same(_ isSame: Bool, _ signed: String, _ inProof: String) throws(EvidenceFault) {
            try require(isSame, "\(signed) in device.signature differs from \(inProof) of the proof")
        }
        try same(assertion.audience == claims.issuer, "aud", "iss")
        try same(assertion.account == account, "sub", "accountId")
        try same(assertion.deviceID == signature.device.id, "enr", "device.id")
        try require(
            assertion.act.purpose == .transaction,
            "pur in device.signature is \(assertion.act.purpose.rawValue), and a transaction is signed by transaction")
        try same(assertion.act.transactionID == claims.transactionID, "txid", "transactionId")
        try same(assertion.act.payloadHash == .transaction(bytes), "txh", "payloadHash")
        let factor: TransactionFactor = if case .pin = assertion.factor { .pin } else { .biometric }
        try same(factor == signature.secondFactor, "factor", "secondFactor")
        try require(
            payload.requiredSecondFactor.allowed.contains(factor),
            "secondFactor is \(factor.rawValue), and the payload's requiredSecondFactorType is"
                + " \(payload.requiredSecondFactor.rawValue)")
        try require(
            signature.device.biometricKey == nil || factor == .biometric,
            "there is a device.biometricKey, and secondFactor is \(factor.rawValue)")
        if let attestedAt = signature.device.attestation?.attestedAt.secondsSince1970 {
            try require(
                attestedAt <= (endedAt + Self.tolerance) / 1000,
                "device.attestation.attestedAt is \(attestedAt) s, and endedAt is \(endedAt) ms")
        }
        // The rule by which the server accepted the signature.
        do { try StatementAge.check(assertion.issuedAt, now: NumericDate(clamping: endedAt / 1000)) } catch {
            throw .contradiction(
                "iat in device.signature is \(assertion.issuedAt.secondsSince1970) s and endedAt is \(endedAt) ms: the"
                    + " device signed more than 330 seconds before, or more than 30 seconds after")
        }
    }
}
