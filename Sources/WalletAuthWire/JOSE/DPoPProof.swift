import Crypto

/// A DPoP proof with a verified signature and binding (RFC 9449 §4).
///
/// The caller must check that the nonce is its own, and that the `jti` is new. If it requires nonces, they tell when a proof was
/// made, and the sender's clock may be off by ``clockTolerance``.
public struct DPoPProof: Hashable, Sendable {
    /// The names of the proofs' algorithms in metadata and challenges.
    public static let algorithmNames: [String] = [SigningAlgorithm.es256, .edDSA].flatMap(\.names)

    /// The sender's key.
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
    /// `nonce`: the server's, if the proof has one.
    public let nonce: Nonce?
    /// `ath`: the hash of the access token, if the proof has one.
    public let accessTokenHash: String?

    /// The request that a proof must be for.
    public struct Expectation: Hashable, Sendable {
        /// The request's method.
        public var method: String
        /// The request's URL from the client's point of view.
        public var target: HTTPTarget
        /// The access token in the request; nil if there is none, as at the token endpoint.
        public var accessToken: AccessToken?
        /// The maximum age of a proof, where no nonce tells it.
        public var maximumAge: Duration
        /// The tolerated clock difference, where no nonce tells the age.
        public var leeway: Duration

        /// Creates an expectation.
        /// - Parameters:
        ///   - method: the request's method.
        ///   - target: the request's URL.
        ///   - accessToken: the access token in the request.
        ///   - maximumAge: the maximum age of a proof.
        ///   - leeway: the tolerated clock difference.
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

    /// How far a sender's clock may be off if a fresh nonce tells when the proof was made.
    public static let clockTolerance = Duration.seconds(300)

    /// Names the sender's clock if it is off by more than ``clockTolerance``; nil if it is not.
    /// - Parameter now: the verifier's time.
    /// - Returns: a sentence for the sender's developer, in ASCII.
    public func clockFault(at now: NumericDate) -> String? {
        let ahead = issuedAt.secondsSince1970 - now.secondsSince1970
        guard ahead.magnitude > DPoPProof.clockTolerance.components.seconds.magnitude else { return nil }
        let (minutes, seconds) = ahead.magnitude.quotientAndRemainder(dividingBy: 60)
        let difference = seconds == 0 ? "\(minutes) min" : "\(minutes) min \(seconds) s"
        return "The clock of the device is wrong: the proof's iat is \(difference) "
            + (ahead > 0 ? "ahead of" : "behind") + " the server's time, which the Date header has."
    }

    /// `ath` of an access token: base64url of its SHA-256 (RFC 9449 §4.2).
    /// - Parameter token: the access token.
    public static func hash(of token: AccessToken) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Array(token.reveal().utf8))))
    }
}

extension DPoPProof {
    /// Verifies a proof according to RFC 9449 §4.3. The caller checks that there is exactly one DPoP header.
    /// - Parameters:
    ///   - text: the DPoP header's value.
    ///   - expected: the request that it must be for.
    ///   - now: the verifier's time; nil if the verifier requires nonces. It then checks the nonce, and ``clockFault(at:)``.
    /// - Returns: the proof.
    /// - Throws: ``JOSEError``, for logs; the sender may learn its ``sentence(about:)``.
    public static func verified(
        _ text: String, for expected: Expectation, now: NumericDate?
    ) throws(JOSEError) -> DPoPProof {
        let token = try CompactJWS(text, embeddedKey: .required, maximumBytes: maximumBytes)
        guard let key = token.header.embeddedKey else { throw .headerNotAllowed("jwk") }
        guard token.header.type == .dpop else { throw .wrongType }
        // All cheap checks come before the expensive signature.
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
            // Nearly every proof names the URL as expected, already normalized.
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

    private func check(_ expected: Expectation, now: NumericDate?) throws(JOSEError) {
        guard method == expected.method else { throw .claim(name: "htm", .mismatch) }
        guard target == expected.target else { throw .claim(name: "htu", .mismatch) }
        if let now {
            guard issuedAt <= now.advanced(by: expected.leeway) else { throw .claim(name: "iat", .tooEarly) }
            guard now <= issuedAt.advanced(by: expected.maximumAge).advanced(by: expected.leeway) else {
                throw .claim(name: "iat", .expired)
            }
        }
        if let token = expected.accessToken {
            guard let accessTokenHash else { throw .claim(name: "ath", .missing) }
            guard ConstantTime.equal(accessTokenHash, DPoPProof.hash(of: token)) else {
                throw .claim(name: "ath", .mismatch)
            }
        }
    }
}

/// The content of a DPoP proof.
public struct DPoPProofContent: Hashable, Sendable {
    /// `jti`: base64url of at least 12 random bytes.
    public var id: String
    /// `htm`.
    public var method: String
    /// `htu`.
    public var target: HTTPTarget
    /// `iat`: in server time if the offset is known.
    public var issuedAt: NumericDate
    /// `nonce`: the server's last one.
    public var nonce: Nonce?
    /// The access token in the request; its hash goes into `ath`.
    public var accessToken: AccessToken?

    /// Creates the content of a proof.
    /// - Parameters:
    ///   - id: `jti`.
    ///   - method: the request's method.
    ///   - target: the request's URL.
    ///   - issuedAt: the time.
    ///   - nonce: the server's last nonce.
    ///   - accessToken: the access token in the request.
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

    /// The payload.
    package var bytes: [UInt8] {
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

    /// Signs the proof.
    /// - Parameter key: a key with a public half, which the header contains.
    /// - Returns: the DPoP header's value.
    public func signed(by key: any JWSSigner) throws -> String {
        try CompactJWSEncoder(proofsOf: key).encode(bytes, signer: key)
    }

    /// Signs the proof with a key that may have to wait.
    /// - Parameter key: a key with a public half, which the header contains.
    /// - Returns: the DPoP header's value.
    public func signed(by key: any AsyncJWSSigner) async throws -> String {
        try await CompactJWSEncoder(proofsOf: key).encode(bytes, signer: key)
    }
}

extension CompactJWSEncoder {
    /// Prepares the header of DPoP proofs.
    /// - Throws: ``JOSEError/headerNotAllowed(_:)`` if the key has no public half.
    package init(proofsOf key: any AsyncJWSSigner) throws(JOSEError) {
        try self.init(signer: key, type: .dpop, embeddedKey: .required)
    }
}
