import Crypto

extension JWSType {
    /// What makes a device known at a native sign-in: ``DeviceProofContent``.
    public static let deviceProof = JWSType("wallet-auth-device+jws")
    /// A device's signature over one request: ``DeviceRequestSignature``.
    public static let deviceRequest = JWSType("wallet-auth-request+jws")
    /// The proof that a device which is enrolled holds its key: ``EnrollmentProof``.
    public static let enrollment = JWSType("wallet-auth-enrollment+jws")
}

/// How old a statement by a device's key may be. Its nonce is the server's and ends sooner or later by itself; this holds
/// the device's clock to what it says. The proof of a transaction is held to the same age: it may grow and never shrink.
public struct StatementAge: Hashable, Sendable {
    /// How far back `iat` may lie.
    public var maximum: Duration
    /// How far clocks may lie apart.
    public var leeway: Duration

    /// Sets an age.
    /// - Parameters:
    ///   - maximum: how far back `iat` may lie.
    ///   - leeway: how far clocks may lie apart.
    public init(maximum: Duration = .seconds(300), leeway: Duration = .seconds(30)) {
        self.maximum = maximum
        self.leeway = leeway
    }

    func check(_ issuedAt: NumericDate, now: NumericDate) throws(JOSEError) {
        guard issuedAt <= now.advanced(by: leeway) else { throw .claim(name: "iat", .tooEarly) }
        guard now <= issuedAt.advanced(by: maximum).advanced(by: leeway) else { throw .claim(name: "iat", .expired) }
    }
}

/// What the compact statements by a device's key have in common: ES256, a `typ` of their own, and in `kid` the thumbprint
/// of the key.
enum DeviceStatement {
    /// No statement is longer; a longer text is refused unread.
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
    /// The verifier of a device's key, which is of P-256.
    func deviceVerifier() throws(JOSEError) -> any JWSVerifier {
        guard case .p256 = key else { throw .keyNotAllowed("is not of P-256") }
        return try verifier()
    }
}

/// A device's key with what the header is to say of it, whatever the key calls itself.
struct StatementSigner: AsyncJWSSigner {
    enum KeyID {
        /// The thumbprint of the public half.
        case thumbprint
        /// Nothing: the place of the signature names the key.
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
