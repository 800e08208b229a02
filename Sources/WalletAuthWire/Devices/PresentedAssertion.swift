import Crypto

/// The keys by which an assertion must be signed.
public struct AssertionKeys: Hashable, Sendable {
    /// The device's key, which signs first.
    public var device: JWK
    /// What signs behind it: the PIN key of the epoch or the biometric key; where a PIN is changed, the old PIN key and
    /// then the new one.
    public var seconds: [JWK]

    /// Names keys.
    /// - Parameters:
    ///   - device: the device's key.
    ///   - seconds: what signs behind it, in order.
    public init(device: JWK, seconds: JWK...) {
        self.device = device
        self.seconds = seconds
    }
}

/// A ``SignedAssertion`` that was parsed and **not yet verified**.
public struct PresentedAssertion: Sendable {
    /// What the sender says, by which the challenge and the keys are found. Nobody has vouched for it.
    public let unverified: DeviceAssertion
    /// The payload's SHA-256, by which a repetition is known: signatures by one key over one payload differ.
    public let payloadDigest: [UInt8]

    private let signatures: [CompactJWS]

    /// What the challenge asks for.
    public struct Expectation: Hashable, Sendable {
        /// This server.
        public var audience: Issuer
        /// The device's account.
        public var account: AccountID
        /// The device.
        public var deviceID: DeviceID
        /// What signs beside the device's key.
        public var factor: DeviceAssertion.Factor
        /// The challenge.
        public var challengeID: ChallengeID
        /// The challenge's nonce.
        public var nonce: Nonce
        /// What is to be done.
        public var act: DeviceAssertion.Act
        /// How old the assertion may be.
        public var age: StatementAge

        /// Sets an expectation.
        /// - Parameters:
        ///   - audience: this server.
        ///   - account: the device's account.
        ///   - deviceID: the device.
        ///   - factor: what signs beside the device's key.
        ///   - challengeID: the challenge.
        ///   - nonce: the challenge's nonce.
        ///   - act: what is to be done.
        ///   - age: how old the assertion may be.
        public init(
            audience: Issuer, account: AccountID, deviceID: DeviceID, factor: DeviceAssertion.Factor,
            challengeID: ChallengeID, nonce: Nonce, act: DeviceAssertion.Act, age: StatementAge = StatementAge()
        ) {
            self.audience = audience
            self.account = account
            self.deviceID = deviceID
            self.factor = factor
            self.challengeID = challengeID
            self.nonce = nonce
            self.act = act
            self.age = age
        }
    }

    /// What an assertion turned out to be. The sender is told only whether it is right.
    public enum Verdict: Hashable, Sendable {
        /// Everything is right.
        case proven
        /// The device signed what was asked for, and the second factor is wrong: a wrong PIN.
        case wrongSecondFactor
        /// It is not the device's, or not what was asked for. Nothing may change for it but the log.
        case refused(JOSEError)
    }

    /// Reads an assertion.
    /// - Parameter text: what the request brought.
    /// - Throws: ``JOSEError`` for logs.
    public init(_ text: SignedAssertion) throws(JOSEError) {
        let general = try GeneralJWS(Array(text.reveal().utf8), maximumBytes: DeviceStatement.maximumBytes)
        guard let first = general.signatures.first else { throw .malformed }
        signatures = general.signatures
        unverified = try DeviceAssertion(parsing: first.unverifiedPayload)
        payloadDigest = Array(SHA256.hash(data: first.unverifiedPayload))
    }

    /// Verifies the assertion. Every signature is checked, also after one was found wrong, so that the time does not tell
    /// which.
    /// - Parameters:
    ///   - keys: the keys by which it must be signed.
    ///   - expected: what the challenge asks for.
    ///   - now: the time of the verifier.
    public func verdict(keys: AssertionKeys, for expected: Expectation, now: NumericDate) -> Verdict {
        // Without a second key there would be no second factor.
        guard !keys.seconds.isEmpty, signatures.count == 1 + keys.seconds.count else { return .refused(.unknownKey) }
        let device = fault(in: signatures[0], by: keys.device, keyID: keys.device.thumbprint.rawValue)
        let seconds = zip(signatures.dropFirst(), keys.seconds).map { fault(in: $0, by: $1, keyID: nil) }
        if let fault = device ?? unverified.fault(for: expected, now: now) { return .refused(fault) }
        return seconds.allSatisfy { $0 == nil } ? .proven : .wrongSecondFactor
    }

    /// Verifies an assertion whose payload was found right before, where the second key before the last is gone with its
    /// epoch: the signatures by the device and by the last key. Nothing may follow from it but the answer of then.
    /// - Parameters:
    ///   - keys: the device's key, and what signs last.
    ///   - expected: what the challenge asks for.
    ///   - now: the time of the verifier.
    public func isRepetition(keys: AssertionKeys, for expected: Expectation, now: NumericDate) -> Bool {
        guard signatures.count == 3, let last = keys.seconds.last, keys.seconds.count == 1 else { return false }
        let faults = [
            fault(in: signatures[0], by: keys.device, keyID: keys.device.thumbprint.rawValue),
            fault(in: signatures[2], by: last, keyID: nil), unverified.fault(for: expected, now: now),
        ]
        return faults.allSatisfy { $0 == nil }
    }

    /// Whether the device itself signed what the challenge asks for, whatever signs beside it. It proves no factor: nothing may
    /// follow from it but the answer that the same payload got before.
    /// - Parameters:
    ///   - key: the device's key.
    ///   - expected: what the challenge asks for.
    ///   - now: the time of the verifier.
    public func isSigned(byDevice key: JWK, for expected: Expectation, now: NumericDate) -> Bool {
        fault(in: signatures[0], by: key, keyID: key.thumbprint.rawValue) == nil
            && unverified.fault(for: expected, now: now) == nil
    }

    /// Whether the device itself lately signed something about a transaction, whatever else is wrong. It makes the sender
    /// known, and proves no more.
    /// - Parameters:
    ///   - key: the device's key.
    ///   - id: the transaction.
    ///   - now: the time of the verifier.
    public func isSigned(byDevice key: JWK, about id: TransactionID, now: NumericDate) -> Bool {
        do {
            try StatementAge().check(unverified.issuedAt, now: now)
        } catch { return false }
        return unverified.act.transactionID == id
            && fault(in: signatures[0], by: key, keyID: key.thumbprint.rawValue) == nil
    }

    private func fault(in signature: CompactJWS, by key: JWK, keyID: String?) -> JOSEError? {
        do throws(JOSEError) {
            _ = try signature.verified(by: key.deviceVerifier(), type: .walletAuth)
            guard signature.header.keyID == keyID else { throw .unknownKey }
            return nil
        } catch { return error }
    }
}

extension PresentedAssertion: CustomStringConvertible, CustomReflectable {
    /// Always `<redacted>`: beside a stolen device a signature is a way to check guesses.
    public var description: String { "<redacted>" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension DeviceAssertion {
    fileprivate func fault(for expected: PresentedAssertion.Expectation, now: NumericDate) -> JOSEError? {
        do throws(JOSEError) {
            try require(audience == expected.audience, claim: "aud")
            try require(account == expected.account, claim: "sub")
            try require(deviceID == expected.deviceID, claim: "enr")
            try require(factor == expected.factor, claim: "epoch")
            try require(challengeID == expected.challengeID, claim: "cid")
            try require(nonce.matches(expected.nonce), claim: "nonce")
            try require(act.purpose == expected.act.purpose, claim: "pur")
            try require(act.transactionID == expected.act.transactionID, claim: "txid")
            try require(act.payloadHash == expected.act.payloadHash, claim: "txh")
            try expected.age.check(issuedAt, now: now)
            return nil
        } catch { return error }
    }
}
