/// What a person does with their device and a second factor: signs in, agrees to a payment, sets a PIN. One format for
/// everything, signed by the device's key and by the key of the second factor.
public struct DeviceAssertion: Hashable, Sendable {
    /// `aud`: the issuer.
    public let audience: Issuer
    /// `sub`: the account.
    public let account: AccountID
    /// `enr`: the device.
    public let deviceID: DeviceID
    /// `factor` and `epoch`: what signs beside the device's key.
    public let factor: Factor
    /// `cid`: the challenge that this answers.
    public let challengeID: ChallengeID
    /// `nonce`: the challenge's.
    public let nonce: Nonce
    /// `pur`, `txid`, `txh` and `decision`: what is done.
    public let act: Act
    /// `iat`.
    public let issuedAt: NumericDate

    /// What signs beside the device's key.
    public enum Factor: Hashable, Sendable {
        /// `PIN`: the key that the PIN of an epoch gives.
        case pin(PINEpoch)
        /// `BIOMETRIC`: the key behind the device's check of presence. Its `epoch` is 0.
        case biometric
    }

    /// What is done, with what it is done to.
    public enum Act: Hashable, Sendable {
        /// `login`. The hash is ``PayloadHash/signIn(thumbprint:codeChallenge:)``.
        case login(PayloadHash)
        /// `sca`: agrees to the event of a payment consent.
        case sca(TransactionID, PayloadHash)
        /// `transaction`: agrees to a transaction. The hash is ``PayloadHash/transaction(_:)``.
        case transaction(TransactionID, PayloadHash)
        /// `reject`: refuses either.
        case reject(TransactionID, PayloadHash)
        /// `enroll`: sets a PIN where none is in use. The hash is ``PayloadHash/key(_:)`` of the new PIN key.
        case enroll(PayloadHash)
        /// `pin-change`: puts a new PIN in the old one's place. The hash is ``PayloadHash/key(_:)`` of the new PIN key.
        case pinChange(PayloadHash)
        /// `biometric`: sets the biometric key. The hash is ``PayloadHash/key(_:)`` of that key.
        case biometric(PayloadHash)
    }

    /// Says what an assertion is to say.
    /// - Parameters:
    ///   - audience: the issuer.
    ///   - account: the account.
    ///   - deviceID: the device.
    ///   - factor: what signs beside the device's key; where a PIN is set or changed, the new epoch.
    ///   - challengeID: the challenge that this answers.
    ///   - nonce: the challenge's.
    ///   - act: what is done.
    ///   - issuedAt: the time, by the server's clock where the skew is known.
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

/// What a person does with a second factor, without what it is done to.
public enum AssertionPurpose: String, Hashable, Sendable, Codable, CaseIterable {
    /// Signs in.
    case login
    /// Agrees to the event of a payment consent.
    case sca
    /// Agrees to a transaction.
    case transaction
    /// Refuses a transaction or a payment consent.
    case reject
    /// Sets a PIN where none is in use.
    case enroll
    /// Puts a new PIN in the old one's place.
    case pinChange = "pin-change"
    /// Sets the biometric key.
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

    /// `txid`, where something with an identifier is agreed to or refused.
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

    /// `decision`, where there is one to take: `approve` or `reject`. It follows from the purpose; it stands in what is
    /// signed so that the evidence of a payment says it in a word.
    var decision: String? {
        switch self {
        case .sca, .transaction: "approve"
        case .reject: "reject"
        case .login, .enroll, .pinChange, .biometric: nil
        }
    }

    /// The act of a purpose, or nil where something is missing or too much.
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
