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
