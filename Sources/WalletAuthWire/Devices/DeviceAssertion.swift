/// An act of a person with their device and a second factor: signing in, agreeing to a payment, setting a PIN. One
/// format for all of them, signed by the device's key and by the key of the second factor.
public struct DeviceAssertion: Hashable, Sendable {
    /// `aud`: the issuer.
    public let audience: Issuer
    /// `sub`: the account.
    public let account: AccountID
    /// `enr`: the device.
    public let deviceID: DeviceID
    /// `factor` and `epoch`: the second factor.
    public let factor: Factor
    /// `cid`: the challenge being answered.
    public let challengeID: ChallengeID
    /// `nonce`: the challenge's.
    public let nonce: Nonce
    /// `pur`, `txid`, `txh` and `decision`: the act.
    public let act: Act
    /// `iat`.
    public let issuedAt: NumericDate

    /// The second factor, whose key signs together with the device's.
    public enum Factor: Hashable, Sendable {
        /// `PIN`: the key derived from the PIN of an epoch.
        case pin(PINEpoch)
        /// `BIOMETRIC`: the biometric key. Its `epoch` is 0.
        case biometric
    }

    /// The act, with its object.
    public enum Act: Hashable, Sendable {
        /// `login`. The hash is ``PayloadHash/signIn(thumbprint:codeChallenge:)``.
        case login(PayloadHash)
        /// `sca`: agrees to the event of a payment consent.
        case sca(TransactionID, PayloadHash)
        /// `transaction`: agrees to a transaction. The hash is ``PayloadHash/transaction(_:)``.
        case transaction(TransactionID, PayloadHash)
        /// `reject`: rejects either.
        case reject(TransactionID, PayloadHash)
        /// `enroll`: sets a PIN if none is active. The hash is ``PayloadHash/key(_:)`` of the new PIN key.
        case enroll(PayloadHash)
        /// `pin-change`: replaces the PIN. The hash is ``PayloadHash/key(_:)`` of the new PIN key.
        case pinChange(PayloadHash)
        /// `biometric`: registers the biometric key. The hash is ``PayloadHash/key(_:)`` of that key.
        case biometric(PayloadHash)
    }

    /// Creates the content of an assertion.
    /// - Parameters:
    ///   - audience: the issuer.
    ///   - account: the account.
    ///   - deviceID: the device.
    ///   - factor: the second factor; when setting or changing a PIN, with the new epoch.
    ///   - challengeID: the challenge being answered.
    ///   - nonce: the challenge's nonce.
    ///   - act: the act.
    ///   - issuedAt: the time, in server time if the offset is known.
    public init(
        audience: Issuer, account: AccountID, deviceID: DeviceID, factor: Factor, challengeID: ChallengeID,
        nonce: Nonce, act: Act, issuedAt: NumericDate
    ) {
        self.audience = audience
        self.account = account
        self.deviceID = deviceID
        self.factor = factor
        self.challengeID = challengeID
        self.nonce = nonce
        self.act = act
        self.issuedAt = issuedAt
    }
}

/// The kind of an act, without its object.
public enum AssertionPurpose: String, Hashable, Sendable, Codable, CaseIterable {
    /// Signs in.
    case login
    /// Agrees to the event of a payment consent.
    case sca
    /// Agrees to a transaction.
    case transaction
    /// Rejects a transaction or a payment consent.
    case reject
    /// Sets a PIN if none is active.
    case enroll
    /// Replaces the PIN.
    case pinChange = "pin-change"
    /// Registers the biometric key.
    case biometric
}

extension DeviceAssertion.Act {
    /// `pur`.
    public var purpose: AssertionPurpose {
        switch self {
        case .login: .login
        case .sca: .sca
        case .transaction: .transaction
        case .reject: .reject
        case .enroll: .enroll
        case .pinChange: .pinChange
        case .biometric: .biometric
        }
    }

    /// `txid`, if the act agrees to or rejects something with an identifier.
    public var transactionID: TransactionID? {
        switch self {
        case .sca(let id, _), .transaction(let id, _), .reject(let id, _): id
        case .login, .enroll, .pinChange, .biometric: nil
        }
    }

    /// `txh`.
    public var payloadHash: PayloadHash {
        switch self {
        case .login(let hash), .enroll(let hash), .pinChange(let hash), .biometric(let hash): hash
        case .sca(_, let hash), .transaction(_, let hash), .reject(_, let hash): hash
        }
    }

    /// `decision`, if there is one: `approve` or `reject`. It follows from the purpose; the signed content repeats it
    /// so that the evidence of a payment states it explicitly.
    var decision: String? {
        switch self {
        case .sca, .transaction: "approve"
        case .reject: "reject"
        case .login, .enroll, .pinChange, .biometric: nil
        }
    }

    /// Creates the act of a purpose, or returns nil if a member is missing or superfluous.
    init?(_ purpose: AssertionPurpose, transactionID: TransactionID?, payloadHash: PayloadHash) {
        switch (purpose, transactionID) {
        case (.login, nil): self = .login(payloadHash)
        case (.sca, let id?): self = .sca(id, payloadHash)
        case (.transaction, let id?): self = .transaction(id, payloadHash)
        case (.reject, let id?): self = .reject(id, payloadHash)
        case (.enroll, nil): self = .enroll(payloadHash)
        case (.pinChange, nil): self = .pinChange(payloadHash)
        case (.biometric, nil): self = .biometric(payloadHash)
        case (_, _): return nil
        }
    }
}
