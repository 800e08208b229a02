import Crypto

/// A DPoP proof whose signature and binding were found right (RFC 9449 section 4).
///
/// Two things are left to the caller: whether the nonce is one of its own, and whether the `jti` was seen before.
public struct DPoPProof: Hashable, Sendable {
    /// What the algorithms that proofs are signed with are called in metadata and challenges.
    public static let algorithmNames: [String] = [SigningAlgorithm.es256, .edDSA].flatMap(\.names)

    /// The key that the sender holds.
    public let key: JWK
    /// The key's thumbprint: `jkt`.
    public let thumbprint: JWKThumbprint
    /// `jti`.
    public let id: String
    /// `htm`: the request's method.
    public let method: String
    /// `htu`: the request's URL, normalized.
    public let target: HTTPTarget
    /// `iat`.
    public let issuedAt: NumericDate
    /// `nonce`: the server's, where the proof carries one.
    public let nonce: Nonce?
    /// `ath`: the hash of the access token, where the proof carries one.
    public let accessTokenHash: String?

    /// The request that a proof must be for.
    public struct Expectation: Hashable, Sendable {
        /// The request's method.
        public var method: String
        /// The request's URL as the client knows it.
        public var target: HTTPTarget
        /// The access token shown with the request; nil where there is none, as at the token endpoint.
        public var accessToken: AccessToken?
        /// How old a proof may be.
        public var maximumAge: Duration
        /// How far clocks may lie apart.
        public var leeway: Duration

        /// Sets an expectation.
        /// - Parameters:
        ///   - method: the request's method.
        ///   - target: the request's URL.
        ///   - accessToken: the access token shown with it.
        ///   - maximumAge: how old a proof may be.
        ///   - leeway: how far clocks may lie apart.
        public init(
            method: String, target: HTTPTarget, accessToken: AccessToken? = nil, maximumAge: Duration = .seconds(300),
            leeway: Duration = .seconds(30)
        ) {
            self.method = method
            self.target = target
            self.accessToken = accessToken
            self.maximumAge = maximumAge
            self.leeway = leeway
        }
    }

    /// A longer proof is refused unread.
    static let maximumBytes = 4096

    /// `ath` of an access token: base64url of its SHA-256 (RFC 9449 section 4.2).
    /// - Parameter token: the access token.
    public static func hash(of token: AccessToken) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Array(token.reveal().utf8))))
    }
}

extension DPoPProof {
    /// Verifies a proof as RFC 9449 section 4.3 lists it. That there is exactly one DPoP header is for the caller.
    /// - Parameters:
    ///   - text: the DPoP header's value.
    ///   - expected: the request that it must be for.
    ///   - now: the time of the verifier.
    /// - Returns: the proof.
    /// - Throws: ``JOSEError`` for logs; the sender is told `invalid_dpop_proof` and nothing else.
    public static func verified(
        _ text: String, for expected: Expectation, now: NumericDate
    ) throws(JOSEError) -> DPoPProof {
        let token = try CompactJWS(text, embeddedKey: .required, maximumBytes: maximumBytes)
        guard let key = token.header.embeddedKey else { throw .headerNotAllowed("jwk") }
        guard token.header.type == .dpop else { throw .wrongType }
        // Everything cheap comes before the signature, which is what costs.
        let proof = try DPoPProof(key: key, claims: try JWTClaims(parsing: token.unverifiedPayload), for: expected)
        try proof.check(expected, now: now)
        _ = try token.verified(by: key.verifier(), type: .dpop)
        return proof
    }

    private init(key: JWK, claims: JWTClaims, for expected: Expectation) throws(JOSEError) {
        self.key = key
        thumbprint = key.thumbprint
        id = try claims.string("jti")
        guard (1...256).contains(id.utf8.count) else { throw .claim(name: "jti", .malformed) }
        method = try claims.string("htm")
        do {
            let text = try claims.string("htu")
            // Nearly every proof names the URL as it is expected; what is normalized needs no second time.
            target = text == expected.target.rawValue ? expected.target : try HTTPTarget(text)
        } catch let error as JOSEError {
            throw error
        } catch { throw .claim(name: "htu", .malformed) }
        issuedAt = try claims.requiredDate("iat")
        do {
            nonce = try claims.object.value("nonce")
            accessTokenHash = try claims.object.string("ath")
        } catch { throw .claim(name: error.field, .malformed) }
    }

    private func check(_ expected: Expectation, now: NumericDate) throws(JOSEError) {
        guard method == expected.method else { throw .claim(name: "htm", .mismatch) }
        guard target == expected.target else { throw .claim(name: "htu", .mismatch) }
        guard issuedAt <= now.advanced(by: expected.leeway) else { throw .claim(name: "iat", .tooEarly) }
        guard now <= issuedAt.advanced(by: expected.maximumAge).advanced(by: expected.leeway) else {
            throw .claim(name: "iat", .expired)
        }
        if let token = expected.accessToken {
            guard let accessTokenHash else { throw .claim(name: "ath", .missing) }
            guard ConstantTime.equal(accessTokenHash, DPoPProof.hash(of: token)) else {
                throw .claim(name: "ath", .mismatch)
            }
        }
    }
}

/// Makes DPoP proofs of one key. The header, which carries the key, is encoded once.
public struct DPoPProofEncoder: Sendable {
    private let encoder: CompactJWSEncoder

    /// What one proof says.
    public struct Content: Hashable, Sendable {
        /// `jti`: base64url of at least 12 random bytes.
        public var id: String
        /// `htm`.
        public var method: String
        /// `htu`.
        public var target: HTTPTarget
        /// `iat`: by the server's clock where the skew is known.
        public var issuedAt: NumericDate
        /// `nonce`: the last that the server sent.
        public var nonce: Nonce?
        /// The access token that the request shows; its hash goes into `ath`.
        public var accessToken: AccessToken?

        /// Sets what a proof says.
        /// - Parameters:
        ///   - id: `jti`.
        ///   - method: the request's method.
        ///   - target: the request's URL.
        ///   - issuedAt: the time.
        ///   - nonce: the last that the server sent.
        ///   - accessToken: the access token that the request shows.
        public init(
            id: String, method: String, target: HTTPTarget, issuedAt: NumericDate, nonce: Nonce? = nil,
            accessToken: AccessToken? = nil
        ) {
            self.id = id
            self.method = method
            self.target = target
            self.issuedAt = issuedAt
            self.nonce = nonce
            self.accessToken = accessToken
        }

        var bytes: [UInt8] {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("jti", id)
            writer.member("htm", method)
            writer.member("htu", target.rawValue)
            writer.member("iat", issuedAt.secondsSince1970)
            writer.member("ath", accessToken.map(DPoPProof.hash))
            writer.member("nonce", nonce?.rawValue)
            writer.endObject()
            return writer.bytes
        }
    }

    /// Prepares for a key.
    /// - Parameter signer: the key, which must show its public half.
    public init(signer: any AsyncJWSSigner) throws(JOSEError) {
        encoder = try CompactJWSEncoder(signer: signer, type: .dpop, embeddedKey: .required)
    }

    /// Makes a proof.
    /// - Parameters:
    ///   - content: what it says.
    ///   - signer: the key that this was prepared for.
    /// - Returns: the DPoP header's value.
    /// - Throws: what the signer throws.
    public func encode(_ content: Content, signer: any JWSSigner) throws -> String {
        try encoder.encode(content.bytes, signer: signer)
    }

    /// Makes a proof with a key that may have to wait.
    /// - Parameters:
    ///   - content: what it says.
    ///   - signer: the key that this was prepared for.
    /// - Returns: the DPoP header's value.
    /// - Throws: what the signer throws.
    public func encode(_ content: Content, signer: any AsyncJWSSigner) async throws -> String {
        try await encoder.encode(content.bytes, signer: signer)
    }
}
