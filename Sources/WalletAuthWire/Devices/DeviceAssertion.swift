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

/// A ``DeviceAssertion`` with its signatures: a general JWS as compact JSON. It is a secret: with the server's keys and
/// a stolen device, a signature of a PIN key reveals whether a guessed PIN is right.
public typealias SignedAssertion = Secret<SecretKinds.SignedAssertion>

extension SecretKinds {
    /// ``WalletAuthWire/SignedAssertion``.
    public enum SignedAssertion: SecretKind {
        /// `pin_assertion`.
        public static let field = "pin_assertion"
    }
}

extension DeviceAssertion {
    private static let members: Set = [
        "aud", "sub", "enr", "epoch", "cid", "nonce", "pur", "txid", "txh", "decision", "factor", "iat",
    ]

    /// Reads a payload, and every member of it.
    init(parsing payload: [UInt8]) throws(JOSEError) {
        let claims = try SignedClaims(payload, members: Self.members)
        audience = try claims.value("aud")
        account = try claims.value("sub")
        deviceID = try claims.value("enr")
        challengeID = try claims.value("cid")
        nonce = try claims.value("nonce")
        issuedAt = try claims.date("iat")
        switch (try claims.string("factor"), try claims.integer("epoch")) {
        case ("BIOMETRIC", 0): factor = .biometric
        case ("PIN", let number):
            guard let epoch = PINEpoch(exactly: number) else { throw .claim(name: "epoch", .malformed) }
            factor = .pin(epoch)
        default: throw .claim(name: "factor", .malformed)
        }
        guard let purpose = AssertionPurpose(rawValue: try claims.string("pur")) else {
            throw .claim(name: "pur", .malformed)
        }
        guard
            let act = Act(
                purpose, transactionID: try claims.optional("txid"), payloadHash: try claims.value("txh"))
        else { throw .claim(name: "txid", .mismatch) }
        try require(try claims.optionalString("decision") == act.decision, claim: "decision")
        self.act = act
    }

    /// The payload, members in the order of docs/wpin-1.md.
    var payload: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("aud", audience.rawValue)
        writer.member("sub", account.rawValue)
        writer.member("enr", deviceID.rawValue)
        writer.member("epoch", factor.epochNumber)
        writer.member("cid", challengeID.rawValue)
        writer.member("nonce", nonce.rawValue)
        writer.member("pur", act.purpose.rawValue)
        writer.member("txid", act.transactionID?.rawValue)
        writer.member("txh", act.payloadHash.rawValue)
        writer.member("decision", act.decision)
        writer.member("factor", factor.name)
        writer.member("iat", issuedAt.secondsSince1970)
        writer.endObject()
        return writer.bytes
    }

    /// Signs the assertion.
    /// - Parameters:
    ///   - device: the device's key, which must have a public half.
    ///   - secondKeys: the keys of ``AssertionKeys/seconds``, in order.
    /// - Returns: the general JWS as JSON.
    /// - Throws: ``JOSEError`` for a key that may not sign this, and what the signer throws.
    public func signed(by device: any AsyncJWSSigner, _ secondKeys: any AsyncJWSSigner...) async throws
        -> SignedAssertion
    {
        try await signed(by: device, secondKeys)
    }

    /// Signs the assertion.
    /// - Parameters:
    ///   - device: the device's key, which must have a public half.
    ///   - secondKeys: the keys of ``AssertionKeys/seconds``, in order.
    /// - Returns: the general JWS as JSON.
    /// - Throws: ``JOSEError`` for a key that may not sign this, and what the signer throws.
    public func signed(by device: any AsyncJWSSigner, _ secondKeys: [any AsyncJWSSigner]) async throws
        -> SignedAssertion
    {
        let payload = payload
        var signers = [try StatementSigner(device, keyID: .thumbprint)]
        // A PIN key's thumbprint would reveal as much as its signature; the position of the signature identifies the
        // key.
        for key in secondKeys { signers.append(try StatementSigner(key, keyID: .none)) }
        var signatures: [String] = []
        for signer in signers {
            let encoder = try CompactJWSEncoder(signer: signer, type: .walletAuth)
            signatures.append(try await encoder.encode(payload, signer: signer))
        }
        return try SignedAssertion(String(decoding: try GeneralJWS.combining(signatures), as: UTF8.self))
    }
}

extension DeviceAssertion.Factor {
    fileprivate var name: String {
        switch self {
        case .pin: "PIN"
        case .biometric: "BIOMETRIC"
        }
    }

    fileprivate var epochNumber: Int64 {
        switch self {
        case .pin(let epoch): Int64(epoch.number)
        case .biometric: 0
        }
    }
}
