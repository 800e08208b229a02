// Keys and their formats: sealing, signing keys and their schedule.

internal import Crypto
package import WalletAuthWire

/// A private key that signs tokens. The JOSE headers for each kind of token are prepared in advance.
package struct SigningKey: Sendable {
    private enum Material: Sendable {
        case es256(P256.Signing.PrivateKey)
        case rs256(RS256Signer)
        case edDSA(Curve25519.Signing.PrivateKey)
    }

    /// The `kid` in headers and in the key set.
    package let id: String
    /// ES256 for access tokens; RS256, ES256 or EdDSA for ID tokens.
    package let algorithm: SigningAlgorithm
    package let publicKey: JWK
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

    package static func generate(_ algorithm: SigningAlgorithm, id: String) throws -> SigningKey {
        switch algorithm {
        case .es256: try SigningKey(id: id, material: .es256(P256.Signing.PrivateKey()))
        case .rs256: try SigningKey(id: id, material: .rs256(RS256Signer.generate(keyID: id)))
        case .edDSA: try SigningKey(id: id, material: .edDSA(Curve25519.Signing.PrivateKey()))
        }
    }

    /// Restores a key from its ``privateBytes``.
    package init(_ algorithm: SigningAlgorithm, id: String, privateBytes: [UInt8]) throws {
        switch algorithm {
        case .es256:
            try self.init(id: id, material: .es256(P256.Signing.PrivateKey(rawRepresentation: privateBytes)))
        case .rs256: try self.init(id: id, material: .rs256(RS256Signer(der: privateBytes, keyID: id)))
        case .edDSA:
            try self.init(id: id, material: .edDSA(Curve25519.Signing.PrivateKey(rawRepresentation: privateBytes)))
        }
    }

    /// To be sealed.
    package var privateBytes: [UInt8] {
        switch material {
        case .es256(let key): Array(key.rawRepresentation)
        case .rs256(let key): key.privateBytes
        case .edDSA(let key): Array(key.rawRepresentation)
        }
    }

    /// Signs an access token (RFC 9068), in compact form.
    package func accessToken(_ claims: AccessTokenClaims) throws -> AccessToken {
        try AccessToken(accessTokens.encode(claims.bytes, signer: signer))
    }

    /// Signs a message of another type, in compact form. These are rare, so the header is encoded each time.
    /// - Throws: ``WalletAuthWire/JOSEError`` for an invalid header, and errors of the cryptographic library.
    package func message(_ payload: [UInt8], type: JWSType) throws -> String {
        try CompactJWSEncoder(signer: signer, type: type).encode(payload, signer: signer)
    }

    /// Signs an ID token (OpenID Connect Core §2), in compact form.
    package func idToken(_ claims: IDTokenClaims) throws -> IDToken {
        try IDToken(idTokens.encode(claims.json.bytes, signer: signer))
    }
}

/// When a signing key is published, begins to sign and is removed.
package struct SigningKeySchedule: Sendable, Hashable {
    /// The time a new key is published before it signs. Default 2 hours, longer than any client may cache the key set.
    package var publicationLead: Duration
    /// The time a key stays published after its last signature. Default 25 hours, longer than the lifetime of any
    /// token, including ID tokens and backends' long access tokens.
    package var retirementLag: Duration
    /// How long clients may cache the key set. It must be shorter than the lead. Default 10 minutes.
    package var keySetMaximumAge: Duration

    package init() {
        publicationLead = .hours(2)
        retirementLag = .hours(25)
        keySetMaximumAge = .minutes(10)
    }

    /// Whether a key may begin to sign, since every cached copy of the key set includes it by now.
    package func maySign(publishedAt: Timestamp, now: Timestamp) -> Bool {
        now >= publishedAt + publicationLead
    }

    /// Keys whose last signature is older than this may be removed: no token of theirs is valid.
    package func removable(now: Timestamp) -> Timestamp {
        now - retirementLag
    }
}
