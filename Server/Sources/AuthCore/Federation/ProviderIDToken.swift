internal import Crypto
public import WalletAuthWire

/// Whether an ID token of another provider says who the person is (OpenID Connect Core §3.1.3.7), for one expectation.
public enum ProviderIDToken {
    /// What the server expects of a token.
    public struct Expectation: Sendable {
        /// The provider's issuer, to the letter.
        public var issuer: String
        /// The client that the server is at the provider.
        public var clientID: String
        /// The server's own nonce, which no token is taken without.
        public var nonce: Nonce
        /// The access token that came with it, where one did.
        public var accessToken: String?

        /// Each parameter is the property of its name.
        public init(issuer: String, clientID: String, nonce: Nonce, accessToken: String? = nil) {
            self.issuer = issuer
            self.clientID = clientID
            self.nonce = nonce
            self.accessToken = accessToken
        }
    }

    /// Why a token is not taken.
    public enum Refusal: Error, Sendable, Hashable {
        /// None of the provider's keys that are known has the token's `kid`: they may have been changed.
        case unknownKey
        /// Anything else.
        case wrong(JOSEError)
    }

    /// What is signed by other means than a provider's own key pair, or with a key that this server has no verifier for,
    /// is no ID token: neither `none` nor a MAC by the client's secret (RFC 8725 §2.1).
    public static let algorithms: Set<SigningAlgorithm> = [.rs256, .es256, .edDSA]

    private static let leeway = Duration.seconds(60)
    private static let longestSubject = 255

    /// Verifies a token.
    /// - Parameters:
    ///   - token: as it came.
    ///   - keys: the provider's.
    ///   - expected: what the server expects.
    ///   - now: the present.
    /// - Returns: its claims.
    /// - Throws: ``Refusal``.
    public static func verified(
        _ token: IDToken, by keys: JWKSet, for expected: Expectation, now: NumericDate
    ) throws(Refusal) -> JSONObject {
        do {
            let jws = try CompactJWS(token.reveal())
            guard algorithms.contains(jws.header.algorithm) else { throw JOSEError.algorithmNotAllowed }
            // Another kind of token by the same key, such as an access token, is no ID token.
            guard [nil, .jwt].contains(jws.header.type) else { throw JOSEError.wrongType }
            let claims = try jws.verified(by: try verifiers(keys, for: jws.header.algorithm)).claims().object
            try check(claims, expected, algorithm: jws.header.algorithm, now: now)
            return claims
        } catch JOSEError.unknownKey {
            throw .unknownKey
        } catch let error as JOSEError {
            throw .wrong(error)
        } catch {
            throw .wrong(.malformed)
        }
    }

    /// The provider's keys of the token's algorithm: a key is never used by an algorithm that it is not of.
    private static func verifiers(
        _ keys: JWKSet, for algorithm: SigningAlgorithm
    ) throws(JOSEError) -> [any JWSVerifier] {
        var verifiers: [any JWSVerifier] = []
        for key in keys.keys where key.algorithm == algorithm {
            verifiers.append(algorithm == .rs256 ? try RS256Verifier(key) : try key.verifier())
        }
        return verifiers
    }

    private static func check(
        _ object: JSONObject, _ expected: Expectation, algorithm: SigningAlgorithm, now: NumericDate
    ) throws {
        let claims: IDTokenClaims
        do { claims = try IDTokenClaims(object) } catch { throw JOSEError.claim(name: error.field, .malformed) }
        guard claims.issuer == expected.issuer else { throw JOSEError.claim(name: "iss", .mismatch) }
        guard (1...longestSubject).contains(claims.subject.utf8.count) else {
            throw JOSEError.claim(name: "sub", .malformed)
        }
        guard claims.audience.contains(expected.clientID) else { throw JOSEError.claim(name: "aud", .mismatch) }
        if claims.audience.count > 1 || claims.authorizedParty != nil {
            guard let party = claims.authorizedParty else { throw JOSEError.claim(name: "azp", .missing) }
            guard party == expected.clientID else { throw JOSEError.claim(name: "azp", .mismatch) }
        }
        guard now < claims.expiresAt.advanced(by: leeway) else { throw JOSEError.claim(name: "exp", .expired) }
        guard claims.issuedAt <= now.advanced(by: leeway) else { throw JOSEError.claim(name: "iat", .tooEarly) }
        guard let nonce = claims.nonce else { throw JOSEError.claim(name: "nonce", .missing) }
        guard nonce.matches(expected.nonce) else { throw JOSEError.claim(name: "nonce", .mismatch) }
        if let token = expected.accessToken, let hash = claims.accessTokenHash {
            guard ConstantTime.equal(hash, accessTokenHash(token, algorithm)) else {
                throw JOSEError.claim(name: "at_hash", .mismatch)
            }
        }
    }

    /// The left half of the hash that the signature's algorithm has (§3.1.3.6): Ed25519's is SHA-512.
    private static func accessTokenHash(_ token: String, _ algorithm: SigningAlgorithm) -> String {
        let bytes = Array(token.utf8)
        return algorithm == .edDSA
            ? Base64URL.encode(Array(SHA512.hash(data: bytes)).prefix(32))
            : Base64URL.encode(Array(SHA256.hash(data: bytes)).prefix(16))
    }
}
