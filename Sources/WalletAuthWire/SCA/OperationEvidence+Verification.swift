/// The reason a document proves nothing.
public enum EvidenceFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// It is not signed by a trusted key, or was changed.
    case forged(JOSEError)
    /// It is signed, but does not have the form of evidence.
    case malformed(MalformedValue)
    /// It is signed, but contradicts itself; the text says where.
    case contradiction(String)
    /// It is signed, but depends on a signature that cannot be verified here; the text says which.
    case unverifiable(String)

    /// The text for an auditor.
    public var description: String {
        switch self {
        case .forged(.unknownKey):
            """
            it is signed by a key that is not one of those given: after a rotation of the audit key, export the keys again \
            with `walletauth audit key` on your own server, and compare that those you had are unchanged
            """
        case .forged(.invalidSignature): "its signature is wrong: it was changed, or another server's key made it"
        case .forged(.wrongType): "it is a signed document of another kind"
        case .forged(let error): "it is not a readable signed document (\(error))"
        case .malformed(let value): "it is signed, but does not have the form of evidence: \(value)"
        case .contradiction(let what): "it is signed, but contradicts itself: \(what)"
        case .unverifiable(let what): "it is signed, but cannot be verified here: \(what)"
        }
    }
}

extension OperationEvidence {
    /// Verifies the document offline.
    ///
    /// Besides the signature, all statements are checked against each other: the hash against the bytes, the device's
    /// or passkey's signature against both, the authentication code against the operation, the categories against the
    /// consent, the states against the steps, and the times against each other.
    /// - Parameters:
    ///   - keys: the server's audit keys, as printed by `walletauth audit key`.
    ///   - rsaVerifier: creates a verifier for an RSA key, which some passkeys have and this module does not support;
    ///     `WalletAuthVerifier` and the server do. Without it, a document with such a signature is
    ///     ``EvidenceFault/unverifiable(_:)``.
    /// - Returns: the content.
    /// - Throws: ``EvidenceFault``.
    public func verified(
        by keys: JWKSet, rsaVerifier: (JWK) -> (any JWSVerifier)? = { _ in nil }
    ) throws(EvidenceFault) -> OperationEvidenceClaims {
        let payload: [UInt8]
        do {
            payload = try CompactJWS(rawValue, maximumBytes: Self.maximumBytes)
                .payload(signedByAuditKeys: keys, type: .walletOperationEvidence)
        } catch { throw .forged(error) }
        let claims: OperationEvidenceClaims
        let operation: OperationPayload
        do {
            claims = try OperationEvidenceClaims(parsing: payload)
            operation = try OperationPayload(parsing: claims.payload)
        } catch { throw .malformed(error) }
        try EvidenceCheck(claims: claims, operation: operation).run(rsaVerifier)
        return claims
    }
}

extension CompactJWS {
    /// The payload of a document signed by one of a server's audit keys.
    /// - Parameters:
    ///   - keys: the keys, as printed by `walletauth audit key`.
    ///   - type: the required type of the document.
    func payload(signedByAuditKeys keys: JWKSet, type: JWSType) throws(JOSEError) -> [UInt8] {
        let verifiers = keys.keys.compactMap { try? $0.verifier() }
        // After a restore, a new key may have the name of one that was lost.
        let fitting = verifiers.first {
            $0.keyID == header.keyID && $0.algorithm == header.algorithm && $0.isValid(signature, for: signingInput)
        }
        return try verified(by: fitting.map { [$0] } ?? verifiers, type: type).payload
    }
}

/// Refuses a document that contradicts itself.
func require(_ isSo: Bool, _ otherwise: @autoclosure () -> String) throws(EvidenceFault) {
    guard isSo else { throw .contradiction(otherwise()) }
}

/// Checks the statements of a document against each other.
private struct EvidenceCheck {
    let claims: OperationEvidenceClaims
    let operation: OperationPayload

    /// By how many milliseconds two times may be in the wrong order: of concurrent calls, the one that began later may
    /// be written first.
    static let tolerance: Int64 = 60_000
    /// How many milliseconds the consent could be used.
    static let consentLifetime: Int64 = 300_000
    /// How many wrong values an event allows.
    static let tries = 5

    func run(_ rsaVerifier: (JWK) -> (any JWSVerifier)?) throws(EvidenceFault) {
        try operationBelongs()
        try decision()
        try order()
        try status()
        try attempts(rsaVerifier)
        try consent()
        try authorization()
    }

    private func operationBelongs() throws(EvidenceFault) {
        try require(operation.eventID == claims.eventID, "the operation's bytes name another event")
        try require(operation.operationID == claims.operationID, "the operation's bytes name another operation")
        try require(operation.clientID == claims.clientID, "the operation's bytes name another client")
        try require(operation.account == claims.account, "the operation's bytes name another account")
    }

    private func decision() throws(EvidenceFault) {
        let granted = claims.findings.filter(\.isGranted)
        switch claims.decision {
        case .required:
            try require(granted.isEmpty, "consent was required although an exemption was granted")
        case .exempt(let exemption):
            try require(
                granted.count == 1 && granted.first?.exemption == exemption,
                "the exemption is not the one finding that grants one")
        }
    }

    private func order() throws(EvidenceFault) {
        let opening: OperationEvidenceClaims.Step.Kind = claims.decision == .required ? .requested : .exempted
        try require(
            claims.steps.first?.kind == opening && claims.steps.first?.at == claims.requestedAt,
            "there is no record of how it was requested")
        var earlier = claims.requestedAt
        for step in claims.steps {
            try require(
                step.at > earlier - Self.tolerance,
                "“\(step.kind.rawValue)” is dated before the step recorded ahead of it"
            )
            earlier = max(earlier, step.at)
            let isChallenge = step.kind == .challenged
            // Without an entry, the database alone would be the source of a step.
            try require(
                step.place != nil || isChallenge || step.kind == .voided,
                "“\(step.kind.rawValue)” names no entry of the audit log")
            try require(
                isChallenge == (step.verification != nil), "“\(step.kind.rawValue)” does not match the method it names")
            try require(
                !step.isWithdrawal || step.kind == .refused, "“\(step.kind.rawValue)” is said to be a withdrawal")
            try require(
                isChallenge || claims.steps.count { $0.kind == step.kind } == 1,
                "“\(step.kind.rawValue)” happened more than once")
        }
        let ends: Set<OperationEvidenceClaims.Step.Kind> = [
            .locked, .cancelled, .refused, .voided, .authorized,
        ]
        if let end = claims.steps.firstIndex(where: { ends.contains($0.kind) }) {
            try require(end == claims.steps.count - 1, "something happened after its end")
        }
        // Whether an entry is of this operation, and whether its details were erased with the account, only the log
        // itself can show.
        let places = claims.steps.compactMap(\.place)
        for (earlier, later) in zip(places, places.dropFirst()) {
            try require(
                earlier.partition == later.partition && earlier.sequence < later.sequence,
                "the entries of the audit log are not of one chain in the order of the steps")
        }
    }

    private func status() throws(EvidenceFault) {
        let kinds = Set(claims.steps.map(\.kind))
        let isRequired = claims.decision == .required
        try require(
            isRequired || kinds.isDisjoint(with: [.requested, .challenged, .verified, .locked]),
            "it is exempt, but the person was asked")
        let fits: Bool =
            switch claims.status {
            case .scaRequired: isRequired && kinds.isSubset(of: [.requested, .challenged])
            case .exempt: kinds == [.exempted]
            case .verified:
                isRequired && kinds.isSubset(of: [.requested, .challenged, .verified])
                    && kinds.contains(.verified)
            case .authorized: kinds.contains(.authorized) && (!isRequired || kinds.contains(.verified))
            case .failed: isRequired && kinds.contains(.locked) && !kinds.contains(.verified)
            case .cancelled: !kinds.isDisjoint(with: [.cancelled, .refused, .voided])
            case .expired: kinds.isDisjoint(with: [.locked, .cancelled, .refused, .voided, .authorized])
            }
        try require(fits, "the status \(claims.status.rawValue) does not follow from what happened")
    }

    private func attempts(_ rsaVerifier: (JWK) -> (any JWSVerifier)?) throws(EvidenceFault) {
        try require(
            claims.decision == .required || claims.attempts.isEmpty, "it is exempt, but a value was compared")
        let wrong = claims.attempts.count { !$0.isRight }
        try require(wrong <= Self.tries, "\(wrong) wrong values were compared, and \(Self.tries) lock the event")
        try require(
            (claims.status == .failed) == (wrong == Self.tries), "the status does not fit the number of wrong values")
        for (index, attempt) in claims.attempts.enumerated() {
            let number = index + 1
            let isChallenged = claims.steps.contains {
                $0.verification == attempt.verification && $0.at < attempt.at + Self.tolerance
            }
            try require(isChallenged, "attempt \(number) uses a method that was not challenged")
            try require(
                attempt.isRight || (attempt.device == nil && attempt.session == nil && attempt.passkey == nil),
                "attempt \(number) is wrong, but has a signature")
            guard attempt.isRight else { continue }
            let isByPush = attempt.verification == .push
            let isByPasskey = attempt.verification.method == .passkey
            try require(
                ((attempt.verification.channel == .device && !isByPasskey) || isByPush) == (attempt.device != nil),
                "attempt \(number) lacks the device's signature, or has one too many")
            try require(
                isByPush == (attempt.session != nil) && attempt.session != claims.session,
                "attempt \(number) does not name the other session that approved it, or names one too many")
            if let device = attempt.device { try check(device, of: attempt, number: number) }
            try require(
                isByPasskey == (attempt.passkey != nil),
                "attempt \(number) lacks the passkey's signature, or has one too many")
            if let passkey = attempt.passkey {
                let isInApp = attempt.verification == .devicePasskey
                try check(passkey, inApp: isInApp, number: number, rsaVerifier)
            }
        }
    }

    private func check(
        _ passkey: PasskeySignature, inApp isInApp: Bool, number: Int, _ rsaVerifier: (JWK) -> (any JWSVerifier)?
    ) throws(EvidenceFault) {
        do {
            try passkey.check(
                at: claims.issuer, inApp: isInApp, event: claims.eventID, payload: claims.payload,
                rsaVerifier: rsaVerifier)
        } catch {
            switch error {
            case .wrong(let what):
                throw .contradiction("the passkey's signature of attempt \(number) \(what)")
            case .unverifiable:
                throw .unverifiable("the passkey's signature of attempt \(number) is by an RSA key")
            }
        }
    }

    private func check(
        _ device: OperationEvidenceClaims.Device, of attempt: OperationEvidenceClaims.Attempt, number: Int
    ) throws(EvidenceFault) {
        let assertion: DeviceAssertion
        do { assertion = try device.assertion() } catch {
            throw .contradiction("the device's signature of attempt \(number) is wrong (\(error))")
        }
        func same(_ isSame: Bool, _ what: String) throws(EvidenceFault) {
            try require(isSame, "the device's signature of attempt \(number) is over another \(what)")
        }
        try same(assertion.audience == claims.issuer, "server")
        try same(assertion.account == claims.account, "account")
        try same(assertion.deviceID == device.id, "device")
        guard let event = claims.eventID.transactionID else { throw .contradiction("the event has no name") }
        try same(assertion.act.transactionID == event, "event")
        try same(assertion.act == .sca(event, .operation(claims.payload)), "operation or purpose")
        let isPIN = if case .pin = assertion.factor { true } else { false }
        // Another device proves either factor for the same way, and only `amr` says which.
        let names =
            attempt.verification == .push ? attempt.methods.contains("pin") : attempt.verification.method == .pin
        try same(isPIN == names, "factor")
        try require(
            device.biometricKey == nil || !isPIN,
            "attempt \(number) was by a PIN, and names a voucher for a biometric key")
        if let attestedAt = device.attestation?.attestedAt.secondsSince1970 {
            try require(
                attestedAt <= (attempt.at + Self.tolerance) / 1000,
                "the app of attempt \(number) was attested after its signature")
        }
        let signed = assertion.issuedAt.secondsSince1970 * 1000
        try require(
            abs(signed - attempt.at) <= Self.consentLifetime + Self.tolerance,
            "attempt \(number) was signed at another time")
    }

    private func consent() throws(EvidenceFault) {
        guard let verified = claims.step(.verified) else { return }
        guard let last = claims.attempts.last(where: \.isRight) else {
            throw .contradiction("the person agreed, but nothing was proved for this operation")
        }
        try require(
            abs(verified.at - last.at) <= Self.tolerance, "the time of the consent is not the time of its proof")
        try require(
            verified.at < operation.expiresAt.secondsSince1970 * 1000 + Self.tolerance,
            "the person agreed after the time limit")
        if let signIn = verified.signIn {
            try require(
                signIn.at <= verified.at + Self.tolerance, "the sign-in that counted came after the consent")
        }
        try require(
            Set(claims.factors.compactMap(\.category)).count >= 2,
            "the consent does not rest on two categories of factor")
    }

    private func authorization() throws(EvidenceFault) {
        guard let step = claims.step(.authorized) else {
            try require(claims.authorization == nil, "there is an authentication code, but it was not carried out")
            return
        }
        guard let authorization = claims.authorization else {
            throw .contradiction("it was carried out, but there is no authentication code")
        }
        let basis = claims.step(.verified) ?? claims.steps.first
        try require(
            step.at < (basis?.at ?? claims.requestedAt) + Self.consentLifetime + Self.tolerance,
            "it was carried out after the time limit")
        let code: AuthenticationCodeClaims
        do {
            let jws = try CompactJWS(authorization.code.rawValue)
            code = try AuthenticationCodeClaims(
                JSONValue.object(
                    parsing: jws.verified(by: authorization.key.verifier(), type: .walletOperation).payload))
        } catch { throw .contradiction("the authentication code's signature or form is wrong (\(error))") }
        func same(_ isSame: Bool, _ what: String) throws(EvidenceFault) {
            try require(isSame, "the authentication code is for another \(what)")
        }
        try same(code.issuer == claims.issuer, "server")
        try same(code.clientID == claims.clientID, "client")
        try same(code.account == claims.account, "account")
        try same(code.operationID == claims.operationID, "operation")
        try same(code.operation == operation.operation, "type, amount, payee or details")
        try same(
            abs(code.issuedAt.secondsSince1970 * 1000 - step.at) <= Self.tolerance, "time")
        switch (code.basis, claims.decision) {
        case (.verified(let consent), .required):
            try same(consent.eventID == claims.eventID, "event")
            try same(consent.payloadHash == .operation(claims.payload), "operation's bytes")
            try same(
                abs(consent.at.secondsSince1970 * 1000 - (claims.step(.verified)?.at ?? 0)) <= Self.tolerance,
                "time of the consent")
            try require(
                Set(consent.methods) == Set(claims.factors.map(\.method)),
                "the authentication code does not name exactly the factors that counted")
        case (.exempt(let exemption), .exempt(let granted)): try same(exemption == granted, "exemption")
        default: throw .contradiction("the authentication code has a different basis from the decision")
        }
    }
}
