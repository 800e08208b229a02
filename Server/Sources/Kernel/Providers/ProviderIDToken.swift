// Verifies ID tokens of identity providers.

internal import Core
internal import Crypto
internal import Synchronization
package import WalletAuthWire

/// Verifies ID tokens of other providers (OpenID Connect Core §3.1.3.7).
package enum ProviderIDToken {
    /// The expected contents of a token.
    package struct Expectation: Sendable {
        /// Compared exactly.
        package var issuer: String
        /// The server's client ids at the provider. The token's audience must be one of them.
        package var clientIDs: [String]
        package var freshness: Freshness
        /// The access token that accompanied it, if any.
        package var accessToken: String?
        /// The authorization code that accompanied it, if any.
        package var code: String?
        /// The subject, if another token of the sign-in named it already.
        package var subject: String?
        package var algorithms = ProviderIDToken.algorithms

        /// Expects a token for one client with the server's own nonce.
        package init(issuer: String, clientID: String, nonce: Nonce, accessToken: String? = nil) {
            self.init(issuer: issuer, clientIDs: [clientID], freshness: .nonce(nonce))
            self.accessToken = accessToken
        }

        package init(issuer: String, clientIDs: [String], freshness: Freshness) {
            self.issuer = issuer
            self.clientIDs = clientIDs
            self.freshness = freshness
        }
    }

    /// The evidence that a token belongs to this sign-in and not to an earlier one.
    package enum Freshness: Sendable, Hashable {
        /// The server's own nonce is required.
        case nonce(Nonce)
        /// The same nonce if the token has one: another token of the same sign-in has shown it already. A token with
        /// `nonce_supported` must have it.
        case nonceWherePresent(Nonce)
        /// The token's age; it came with a code that works once.
        case age(Duration)
    }

    /// Why a token is refused.
    package enum Refusal: Error, Sendable, Hashable {
        /// No known key of the provider has the token's `kid`. The provider may have rotated its keys.
        case unknownKey
        case wrong(JOSEError)
    }

    /// Only signatures by a key pair of the provider. `none` and a MAC with the client secret are excluded (RFC 8725
    /// §2.1).
    package static let algorithms: Set<SigningAlgorithm> = [.rs256, .es256, .edDSA]

    private static let leeway = Duration.seconds(60)
    private static let longestSubject = 255

    /// A token whose signature was verified. An ID token gives its claims only for an expectation.
    package struct Signed: Sendable {
        /// Unjudged: for a JWT that is no ID token, such as a notification.
        package let claims: JSONObject
        fileprivate let algorithm: SigningAlgorithm
    }

    /// Verifies all else about a token and returns its claims.
    package static func verified(
        _ token: Signed, for expected: Expectation, now: NumericDate
    ) throws(Refusal) -> JSONObject {
        guard expected.algorithms.contains(token.algorithm) else { throw .wrong(.algorithmNotAllowed) }
        do {
            try check(token.claims, expected, algorithm: token.algorithm, now: now)
            return token.claims
        } catch let error as JOSEError {
            throw .wrong(error)
        } catch {
            throw .wrong(.malformed)
        }
    }

    /// Verifies only the signature of a JWT.
    /// - Parameters:
    ///   - text: the compact form.
    ///   - keys: the provider's.
    static func signed(
        _ text: String, by keys: JWKSet, algorithms: Set<SigningAlgorithm>
    ) throws(Refusal) -> Signed {
        do throws(JOSEError) {
            let jws = try CompactJWS(text)
            guard algorithms.contains(jws.header.algorithm) else { throw .algorithmNotAllowed }
            // Another type of token signed by the same key, such as an access token, is not an ID token.
            guard [nil, .jwt].contains(jws.header.type) else { throw .wrongType }
            return Signed(
                claims: try jws.verified(by: try verifiers(keys, for: jws.header)).claims().object,
                algorithm: jws.header.algorithm)
        } catch .unknownKey {
            throw .unknownKey
        } catch {
            throw .wrong(error)
        }
    }

    /// The keys that the token may refer to. A key is used only with its own algorithm.
    private static func verifiers(_ keys: JWKSet, for header: JOSEHeader) throws(JOSEError) -> [any JWSVerifier] {
        var verifiers: [any JWSVerifier] = []
        for key in keys.keys where key.algorithm == header.algorithm {
            if let named = header.keyID, named != key.keyID { continue }
            verifiers.append(header.algorithm == .rs256 ? try rs256Verifier(key) : try key.verifier())
        }
        return verifiers
    }

    /// Parsing an RSA key and preparing it costs about as much as a verification, and a provider uses it for months.
    private static func rs256Verifier(_ key: JWK) throws(JOSEError) -> RS256Verifier {
        if let verifier = parsed.withLock({ $0[key] }) { return verifier }
        let verifier = try RS256Verifier(key)
        parsed.withLock { parsed in
            if parsed.count >= capacity { parsed.removeAll() }
            parsed[key] = verifier
        }
        return verifier
    }

    /// Verifiers by their keys. Whether a provider still has a key is decided before.
    private static let parsed = Mutex<[JWK: RS256Verifier]>([:])
    /// More keys than all providers have. At the limit, the cache is emptied.
    private static let capacity = 1024

    private static func check(
        _ object: JSONObject, _ expected: Expectation, algorithm: SigningAlgorithm, now: NumericDate
    ) throws {
        let claims: IDTokenClaims
        do { claims = try IDTokenClaims(object) } catch { throw JOSEError.claim(name: error.field, .malformed) }
        guard claims.issuer == expected.issuer else { throw JOSEError.claim(name: "iss", .mismatch) }
        guard (1...longestSubject).contains(claims.subject.utf8.count) else {
            throw JOSEError.claim(name: "sub", .malformed)
        }
        if let subject = expected.subject, claims.subject != subject {
            throw JOSEError.claim(name: "sub", .mismatch)
        }
        let party = expected.clientIDs.first(where: claims.audience.contains)
        guard let party else { throw JOSEError.claim(name: "aud", .mismatch) }
        if claims.audience.count > 1 || claims.authorizedParty != nil {
            guard let authorized = claims.authorizedParty else { throw JOSEError.claim(name: "azp", .missing) }
            guard authorized == party else { throw JOSEError.claim(name: "azp", .mismatch) }
        }
        guard now < claims.expiresAt.advanced(by: leeway) else { throw JOSEError.claim(name: "exp", .expired) }
        guard claims.issuedAt <= now.advanced(by: leeway) else { throw JOSEError.claim(name: "iat", .tooEarly) }
        try check(claims, expected.freshness, supportsNonce: flag(object["nonce_supported"]), now: now)
        try check(expected.accessToken, against: claims.accessTokenHash, named: "at_hash", algorithm)
        try check(expected.code, against: object.string("c_hash"), named: "c_hash", algorithm)
    }

    private static func check(
        _ claims: IDTokenClaims, _ freshness: Freshness, supportsNonce: Bool, now: NumericDate
    ) throws(JOSEError) {
        let expected: Nonce
        switch freshness {
        case .nonce(let nonce): expected = nonce
        case .nonceWherePresent(let nonce):
            guard claims.nonce != nil || supportsNonce else { return }
            expected = nonce
        case .age(let age):
            guard now <= claims.issuedAt.advanced(by: age) else { throw .claim(name: "iat", .expired) }
            return
        }
        guard let nonce = claims.nonce else { throw .claim(name: "nonce", .missing) }
        guard nonce.matches(expected) else { throw .claim(name: "nonce", .mismatch) }
    }

    /// Whether a claim is true. Some providers write the boolean as a string.
    package static func flag(_ claim: JSONValue?) -> Bool { claim == .bool(true) || claim?.string == "true" }

    /// Compares a value with its hash in the token, if both are present.
    private static func check(
        _ text: String?, against hash: String?, named name: String, _ algorithm: SigningAlgorithm
    ) throws(JOSEError) {
        guard let text, let hash else { return }
        guard ConstantTime.equal(hash, halfHash(of: text, algorithm)) else { throw .claim(name: name, .mismatch) }
    }

    /// The left half of a hash (§3.1.3.6). The signature's algorithm determines the hash; for Ed25519 it is SHA-512.
    private static func halfHash(of text: String, _ algorithm: SigningAlgorithm) -> String {
        let bytes = Array(text.utf8)
        return algorithm == .edDSA
            ? Base64URL.encode(Array(SHA512.hash(data: bytes)).prefix(32))
            : Base64URL.encode(Array(SHA256.hash(data: bytes)).prefix(16))
    }
}

extension ProviderIDToken.Signed: CustomStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }

    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
