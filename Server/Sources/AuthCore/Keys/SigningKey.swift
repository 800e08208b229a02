internal import Crypto
package import WalletAuthWire

/// A private key that signs tokens, with the JOSE header of each kind of token made ready.
package struct SigningKey: Sendable {
    /// The private half.
    private enum Material: Sendable {
        case es256(P256.Signing.PrivateKey)
        case rs256(RS256Signer)
        case edDSA(Curve25519.Signing.PrivateKey)
    }

    /// What the `kid` of headers and of the key set is.
    package let id: String
    /// The algorithm: ES256 for access tokens; RS256, ES256 or EdDSA for ID tokens.
    package let algorithm: SigningAlgorithm
    /// The public half, with the id.
    package let publicKey: JWK
    /// Verifies what this key signed.
    package let verifier: any JWSVerifier
    private let material: Material
    private let signer: any JWSSigner
    private let accessTokens: CompactJWSEncoder
    private let idTokens: CompactJWSEncoder

    private init(id: String, material: Material) throws {
        self.id = id
        self.material = material
        switch material {
        case .es256(let key):
            signer = P256Signer(key, keyID: id)
            publicKey = JWK(key.publicKey, keyID: id)
            verifier = P256Verifier(key.publicKey, keyID: id)
        case .edDSA(let key):
            signer = Ed25519Signer(key, keyID: id)
            publicKey = JWK(key.publicKey, keyID: id)
            verifier = Ed25519Verifier(key.publicKey, keyID: id)
        case .rs256(let key):
            signer = key
            guard let jwk = key.publicJWK else { throw JOSEError.keyNotAllowed("has no public half") }
            publicKey = jwk
            verifier = try RS256Verifier(jwk)
        }
        algorithm = signer.algorithm
        accessTokens = try CompactJWSEncoder(signer: signer, type: .accessToken)
        idTokens = try CompactJWSEncoder(signer: signer, type: .jwt)
    }

    /// Makes a key from the cryptographic library's own secure generator.
    /// - Parameters:
    ///   - algorithm: what it signs with.
    ///   - id: its `kid`.
    /// - Throws: what the library throws.
    package static func generate(_ algorithm: SigningAlgorithm, id: String) throws -> SigningKey {
        switch algorithm {
        case .es256: try SigningKey(id: id, material: .es256(P256.Signing.PrivateKey()))
        case .rs256: try SigningKey(id: id, material: .rs256(RS256Signer.generate(keyID: id)))
        case .edDSA: try SigningKey(id: id, material: .edDSA(Curve25519.Signing.PrivateKey()))
        }
    }

    /// A key from its ``privateBytes``.
    /// - Throws: what the library throws for bytes that are no such key.
    package init(_ algorithm: SigningAlgorithm, id: String, privateBytes: [UInt8]) throws {
        switch algorithm {
        case .es256:
            try self.init(id: id, material: .es256(P256.Signing.PrivateKey(rawRepresentation: privateBytes)))
        case .rs256: try self.init(id: id, material: .rs256(RS256Signer(der: privateBytes, keyID: id)))
        case .edDSA:
            try self.init(id: id, material: .edDSA(Curve25519.Signing.PrivateKey(rawRepresentation: privateBytes)))
        }
    }

    /// The private half, to be sealed.
    package var privateBytes: [UInt8] {
        switch material {
        case .es256(let key): Array(key.rawRepresentation)
        case .rs256(let key): key.privateBytes
        case .edDSA(let key): Array(key.rawRepresentation)
        }
    }

    /// Signs an access token (RFC 9068), in its compact form.
    /// - Parameter claims: what the token says.
    /// - Throws: what the library throws.
    package func accessToken(_ claims: AccessTokenClaims) throws -> AccessToken {
        try AccessToken(accessTokens.encode(claims.bytes, signer: signer))
    }

    /// Signs a message of another kind, in its compact form; made seldom, so its header is encoded each time.
    /// - Parameters:
    ///   - payload: any bytes.
    ///   - type: the `typ` of the header.
    /// - Throws: ``WalletAuthWire/JOSEError`` for a header that cannot be, and what the library throws.
    package func message(_ payload: [UInt8], type: JWSType) throws -> String {
        try CompactJWSEncoder(signer: signer, type: type).encode(payload, signer: signer)
    }

    /// Signs an ID token (OpenID Connect Core §2), in its compact form.
    /// - Parameter claims: what the token says.
    /// - Throws: what the library throws.
    package func idToken(_ claims: IDTokenClaims) throws -> IDToken {
        try IDToken(idTokens.encode(claims.json.bytes, signer: signer))
    }
}
