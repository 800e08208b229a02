extension JWSType {
    /// A device's proof at a native sign-in: ``DeviceProofContent``.
    public static let deviceProof = JWSType("wallet-auth-device+jws")
    /// A device's signature over one request: ``DeviceRequestSignature``.
    public static let deviceRequest = JWSType("wallet-auth-request+jws")
    /// An enrolled device's proof of its key: ``EnrollmentProof``.
    public static let enrollment = JWSType("wallet-auth-enrollment+jws")
}

/// The maximum age of a statement signed by a device's key. The server's nonce in it expires separately; this limit
/// checks the device's clock. A transaction's proof is verified with the same age, which may grow but never shrink.
enum StatementAge {
    private static let maximum = Duration.seconds(300)
    /// The tolerated clock difference.
    private static let leeway = Duration.seconds(30)

    static func check(_ issuedAt: NumericDate, now: NumericDate) throws(JOSEError) {
        guard issuedAt <= now.advanced(by: leeway) else { throw .claim(name: "iat", .tooEarly) }
        guard now <= issuedAt.advanced(by: maximum).advanced(by: leeway) else { throw .claim(name: "iat", .expired) }
    }
}

/// The common form of compact statements signed by a device's key: ES256, a `typ` of their own, and the key's
/// thumbprint in `kid`.
enum DeviceStatement {
    /// The maximum length; a longer text is refused unread.
    static let maximumBytes = 8192

    static func claims(
        _ text: String, type: JWSType, by key: JWK, members: Set<String>
    ) throws(JOSEError) -> SignedClaims {
        let statement = try CompactJWS(text, maximumBytes: maximumBytes)
        guard statement.header.type == type else { throw .wrongType }
        guard statement.header.keyID == key.thumbprint.rawValue else { throw .unknownKey }
        let payload = try statement.verified(by: key.deviceVerifier(), type: type).payload
        return try SignedClaims(payload, members: members)
    }

    static func sign(_ payload: [UInt8], type: JWSType, by key: any AsyncJWSSigner) async throws -> String {
        let signer = try StatementSigner(key, keyID: .thumbprint)
        return try await CompactJWSEncoder(signer: signer, type: type).encode(payload, signer: signer)
    }
}

extension JWK {
    /// The verifier of a device's key, which must be P-256.
    func deviceVerifier() throws(JOSEError) -> any JWSVerifier {
        guard case .p256 = key else { throw .keyNotAllowed("is not of P-256") }
        return try verifier()
    }
}

/// A device's key, with the key identifier for the header.
struct StatementSigner: AsyncJWSSigner {
    enum KeyID {
        /// The thumbprint of the public half.
        case thumbprint
        /// None: the position of the signature identifies the key.
        case none
    }

    let keyID: String?
    private let key: any AsyncJWSSigner

    init(_ key: any AsyncJWSSigner, keyID: KeyID) throws(JOSEError) {
        guard key.algorithm == .es256 else { throw .algorithmDoesNotFitKey }
        switch keyID {
        case .thumbprint:
            guard let jwk = key.publicJWK else { throw .headerNotAllowed("kid") }
            self.keyID = jwk.thumbprint.rawValue
        case .none: self.keyID = nil
        }
        self.key = key
    }

    var algorithm: SigningAlgorithm { .es256 }
    var publicJWK: JWK? { key.publicJWK }
    func sign(_ bytes: [UInt8]) async throws -> [UInt8] { try await key.sign(bytes) }
}

/// The claims of a statement signed by a device's key. Every member is known and has a value, so that a device never signs
/// content that the server would ignore.
struct SignedClaims {
    private let claims: JWTClaims

    init(_ payload: [UInt8], members: Set<String>) throws(JOSEError) {
        claims = try JWTClaims(parsing: payload)
        do { try claims.object.refuseMembers(otherThan: members) } catch { throw .malformedJSON(error) }
        for member in claims.object.members where member.value == .null {
            throw .claim(name: member.name, .malformed)
        }
    }

    func string(_ name: String) throws(JOSEError) -> String { try claims.string(name) }

    func date(_ name: String) throws(JOSEError) -> NumericDate {
        // A fraction of a second would be a second spelling of the same claim.
        guard let value = claims.object[name] else { throw .claim(name: name, .missing) }
        guard let date = value.integer.flatMap(NumericDate.init(exactly:)) else {
            throw .claim(name: name, .malformed)
        }
        return date
    }

    func integer(_ name: String) throws(JOSEError) -> Int64 {
        guard let value = claims.object[name] else { throw .claim(name: name, .missing) }
        guard let integer = value.integer else { throw .claim(name: name, .malformed) }
        return integer
    }

    func value<Value: WireValue>(_ name: String, as type: Value.Type = Value.self) throws(JOSEError) -> Value {
        let text = try string(name)
        do { return try Value(text) } catch { throw .claim(name: name, .malformed) }
    }

    /// An issuer. The expected one, which nearly every statement names, is not parsed again.
    func issuer(_ name: String, expected: Issuer) throws(JOSEError) -> Issuer {
        try string(name).utf8.elementsEqual(expected.rawValue.utf8) ? expected : value(name)
    }

    func optional<Value: WireValue>(_ name: String, as type: Value.Type = Value.self) throws(JOSEError) -> Value? {
        claims.object[name] == nil ? nil : try value(name)
    }

    func optionalString(_ name: String) throws(JOSEError) -> String? {
        claims.object[name] == nil ? nil : try string(name)
    }
}

/// Refuses an unexpected claim.
func require(_ condition: Bool, claim name: String) throws(JOSEError) {
    guard condition else { throw .claim(name: name, .mismatch) }
}
