internal import Crypto
package import WalletAuthWire

/// Whether an ID token of another provider says who the person is (OpenID Connect Core §3.1.3.7), for one expectation.
package enum ProviderIDToken {
    /// What the server expects of a token.
    package struct Expectation: Sendable {
        /// The provider's issuer, to the letter.
        package var issuer: String
        /// The clients that the server is at the provider: the token is for one of them.
        package var clientIDs: [String]
        /// What the token has to say of the request that it answers.
        package var freshness: Freshness
        /// The access token that came with it, where one did.
        package var accessToken: String?
        /// The authorization code that came with it, where one did.
        package var code: String?
        /// The subject, where another token has named it already.
        package var subject: String?
        /// What it may be signed with.
        package var algorithms = ProviderIDToken.algorithms

        /// An expectation of a token for one client with the server's own nonce. Each parameter is the property of its name.
        package init(issuer: String, clientID: String, nonce: Nonce, accessToken: String? = nil) {
            self.init(issuer: issuer, clientIDs: [clientID], freshness: .nonce(nonce))
            self.accessToken = accessToken
        }

        /// Each parameter is the property of its name.
        package init(issuer: String, clientIDs: [String], freshness: Freshness) {
            self.issuer = issuer
            self.clientIDs = clientIDs
            self.freshness = freshness
        }
    }

    /// What shows that a token answers this sign-in and no former one.
    package enum Freshness: Sendable, Hashable {
        /// The server's own nonce, without which no token is taken.
        case nonce(Nonce)
        /// The same nonce where the token has one: another token of the same sign-in has shown it already. A token whose
        /// `nonce_supported` is true has to have it.
        case nonceWherePresent(Nonce)
        /// Its age, where a code that works once came with it.
        case age(Duration)
    }

    /// Why a token is not taken.
    package enum Refusal: Error, Sendable, Hashable {
        /// None of the provider's keys that are known has the token's `kid`: they may have been changed.
        case unknownKey
        /// Anything else.
        case wrong(JOSEError)
    }

    /// What is signed by other means than a provider's own key pair, or with a key that this server has no verifier for,
    /// is no ID token: neither `none` nor a MAC by the client's secret (RFC 8725 §2.1).
    package static let algorithms: Set<SigningAlgorithm> = [.rs256, .es256, .edDSA]

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
    package static func verified(
        _ token: IDToken, by keys: JWKSet, for expected: Expectation, now: NumericDate
    ) throws(Refusal) -> JSONObject {
        let (claims, algorithm) = try signed(token.reveal(), by: keys, algorithms: expected.algorithms)
        do {
            try check(claims, expected, algorithm: algorithm, now: now)
            return claims
        } catch let error as JOSEError {
            throw .wrong(error)
        } catch {
            throw .wrong(.malformed)
        }
    }

    /// The claims of any JWT that a provider signed, such as a notification; what they say is not looked at.
    /// - Parameters:
    ///   - text: the JWT in its compact form.
    ///   - keys: the provider's.
    ///   - algorithms: what it may be signed with.
    /// - Throws: ``Refusal``.
    package static func signedClaims(
        _ text: String, by keys: JWKSet, algorithms: Set<SigningAlgorithm>
    ) throws(Refusal) -> JSONObject {
        try signed(text, by: keys, algorithms: algorithms).claims
    }

    private static func signed(
        _ text: String, by keys: JWKSet, algorithms: Set<SigningAlgorithm>
    ) throws(Refusal) -> (claims: JSONObject, algorithm: SigningAlgorithm) {
        do throws(JOSEError) {
            let jws = try CompactJWS(text)
            guard algorithms.contains(jws.header.algorithm) else { throw .algorithmNotAllowed }
            // Another kind of token by the same key, such as an access token, is no ID token.
            guard [nil, .jwt].contains(jws.header.type) else { throw .wrongType }
            return (try jws.verified(by: try verifiers(keys, for: jws.header)).claims().object, jws.header.algorithm)
        } catch .unknownKey {
            throw .unknownKey
        } catch {
            throw .wrong(error)
        }
    }

    /// The provider's keys that the token may mean: a key is never used by an algorithm that it is not of.
    private static func verifiers(_ keys: JWKSet, for header: JOSEHeader) throws(JOSEError) -> [any JWSVerifier] {
        var verifiers: [any JWSVerifier] = []
        for key in keys.keys where key.algorithm == header.algorithm {
            // Reading an RSA key costs more than the rest of this function.
            if let named = header.keyID, named != key.keyID { continue }
            verifiers.append(header.algorithm == .rs256 ? try RS256Verifier(key) : try key.verifier())
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

    /// Whether a claim says yes: some providers write the truth of it as a text.
    package static func flag(_ claim: JSONValue?) -> Bool { claim == .bool(true) || claim?.string == "true" }

    /// Holds what came with a token against its hash in the token, where both are there.
    private static func check(
        _ text: String?, against hash: String?, named name: String, _ algorithm: SigningAlgorithm
    ) throws(JOSEError) {
        guard let text, let hash else { return }
        guard ConstantTime.equal(hash, halfHash(of: text, algorithm)) else { throw .claim(name: name, .mismatch) }
    }

    /// The left half of the hash that the signature's algorithm has (§3.1.3.6): Ed25519's is SHA-512.
    private static func halfHash(of text: String, _ algorithm: SigningAlgorithm) -> String {
        let bytes = Array(text.utf8)
        return algorithm == .edDSA
            ? Base64URL.encode(Array(SHA512.hash(data: bytes)).prefix(32))
            : Base64URL.encode(Array(SHA256.hash(data: bytes)).prefix(16))
    }
}
