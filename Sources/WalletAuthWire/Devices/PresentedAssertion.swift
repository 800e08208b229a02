import Crypto

/// The keys that must have signed an assertion.
public struct AssertionKeys: Hashable, Sendable {
    /// The device's key, which signs first.
    public var device: JWK
    /// The second signers: the PIN key of the epoch or the biometric key; when a PIN is changed, the old PIN key and
    /// then the new one.
    public var seconds: [JWK]

    /// Creates a set of keys.
    /// - Parameters:
    ///   - device: the device's key.
    ///   - seconds: the second signers, in order.
    public init(device: JWK, seconds: JWK...) {
        self.device = device
        self.seconds = seconds
    }
}

/// A ``SignedAssertion`` that was parsed and **not yet verified**.
public struct PresentedAssertion: Sendable {
    /// The sender's claims, used to find the challenge and the keys. They are not verified.
    public let unverified: DeviceAssertion
    /// The payload's SHA-256, which identifies a repetition: two signatures by one key over one payload differ.
    public let payloadDigest: [UInt8]

    private let signatures: [CompactJWS]

    /// The requirements of the challenge.
    public struct Expectation: Hashable, Sendable {
        /// This server.
        public var audience: Issuer
        /// The device's account.
        public var account: AccountID
        /// The device.
        public var deviceID: DeviceID
        /// The second factor.
        public var factor: DeviceAssertion.Factor
        /// The challenge.
        public var challengeID: ChallengeID
        /// The challenge's nonce.
        public var nonce: Nonce
        /// The act.
        public var act: DeviceAssertion.Act

        /// Creates an expectation.
        /// - Parameters:
        ///   - audience: this server.
        ///   - account: the device's account.
        ///   - deviceID: the device.
        ///   - factor: the second factor.
        ///   - challengeID: the challenge.
        ///   - nonce: the challenge's nonce.
        ///   - act: the act.
        public init(
            audience: Issuer, account: AccountID, deviceID: DeviceID, factor: DeviceAssertion.Factor,
            challengeID: ChallengeID, nonce: Nonce, act: DeviceAssertion.Act
        ) {
            self.audience = audience
            self.account = account
            self.deviceID = deviceID
            self.factor = factor
            self.challengeID = challengeID
            self.nonce = nonce
            self.act = act
        }
    }

    /// The result of verifying an assertion. The sender learns only whether it is right.
    public enum Verdict: Hashable, Sendable {
        /// Everything is right.
        case proven
        /// The device signed the expected content, but the second factor is wrong: a wrong PIN.
        case wrongSecondFactor
        /// It is not the device's, or not the expected content. It must change nothing but the log.
        case refused(JOSEError)
    }

    /// Parses an assertion.
    /// - Parameter text: the assertion in the request.
    /// - Throws: ``JOSEError``, for logs only.
    public init(_ text: SignedAssertion) throws(JOSEError) {
        let general = try GeneralJWS(Array(text.reveal().utf8), maximumBytes: DeviceStatement.maximumBytes)
        guard let first = general.signatures.first else { throw .malformed }
        signatures = general.signatures
        unverified = try DeviceAssertion(parsing: first.unverifiedPayload)
        payloadDigest = Array(SHA256.hash(data: first.unverifiedPayload))
    }

    /// Verifies the assertion. All signatures are checked even after one failed, so that the time does not reveal
    /// which.
    /// - Parameters:
    ///   - keys: the keys that must have signed it.
    ///   - expected: the requirements of the challenge.
    ///   - now: the verifier's time.
    public func verdict(keys: AssertionKeys, for expected: Expectation, now: NumericDate) -> Verdict {
        // Without a second key there would be no second factor.
        guard !keys.seconds.isEmpty, signatures.count == 1 + keys.seconds.count else { return .refused(.unknownKey) }
        let device = fault(in: signatures[0], by: keys.device, keyID: keys.device.thumbprint.rawValue)
        let seconds = zip(signatures.dropFirst(), keys.seconds).map { fault(in: $0, by: $1, keyID: nil) }
        if let fault = device ?? unverified.fault(for: expected, now: now) { return .refused(fault) }
        return seconds.allSatisfy { $0 == nil } ? .proven : .wrongSecondFactor
    }

    /// Verifies an assertion whose payload was accepted before, after the former PIN key was removed with its epoch:
    /// checks the signatures of the device and of the last key. Return only the answer of that time.
    /// - Parameters:
    ///   - keys: the device's key, and the last signer.
    ///   - expected: the requirements of the challenge.
    ///   - now: the verifier's time.
    public func isRepetition(keys: AssertionKeys, for expected: Expectation, now: NumericDate) -> Bool {
        guard signatures.count == 3, let last = keys.seconds.last, keys.seconds.count == 1 else { return false }
        let faults = [
            fault(in: signatures[0], by: keys.device, keyID: keys.device.thumbprint.rawValue),
            fault(in: signatures[2], by: last, keyID: nil), unverified.fault(for: expected, now: now),
        ]
        return faults.allSatisfy { $0 == nil }
    }

    /// Whether the device itself signed the expected content, whatever the second signature. It proves no factor:
    /// return only the answer that the same payload got before.
    /// - Parameters:
    ///   - key: the device's key.
    ///   - expected: the requirements of the challenge.
    ///   - now: the verifier's time.
    public func isSigned(byDevice key: JWK, for expected: Expectation, now: NumericDate) -> Bool {
        fault(in: signatures[0], by: key, keyID: key.thumbprint.rawValue) == nil
            && unverified.fault(for: expected, now: now) == nil
    }

    /// Whether the device itself recently signed anything about a transaction, even if it is wrong otherwise. It
    /// identifies the sender, and proves no more.
    /// - Parameters:
    ///   - key: the device's key.
    ///   - id: the transaction.
    ///   - now: the verifier's time.
    public func isSigned(byDevice key: JWK, about id: TransactionID, now: NumericDate) -> Bool {
        isRecent(at: now) && unverified.act.transactionID == id
            && fault(in: signatures[0], by: key, keyID: key.thumbprint.rawValue) == nil
    }

    /// Whether the assertion is recent at another time than that of its verdict. A transaction's proof is verified by
    /// the time stored with the signature, so a server that stores a later time than it verified by asks this as well.
    /// - Parameter now: the time to store.
    public func isRecent(at now: NumericDate) -> Bool {
        do {
            try StatementAge.check(unverified.issuedAt, now: now)
            return true
        } catch { return false }
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
    /// Always `<redacted>`: with a stolen device, a signature allows checking guesses.
    public var description: String { "<redacted>" }

    /// An empty mirror.
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
            try StatementAge.check(issuedAt, now: now)
            return nil
        } catch { return error }
    }
}
