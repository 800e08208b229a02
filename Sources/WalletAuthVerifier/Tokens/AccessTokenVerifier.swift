internal import Crypto
public import WalletAuthWire

/// Lets requests in that bring an access token of one issuer: a JWT of type `at+jwt` (RFC 9068), as a bearer token (RFC
/// 6750) or bound to a key and shown with a proof of it (DPoP, RFC 9449). Make one per process and share it.
///
/// What is checked: type, algorithm (ES256 or EdDSA, which the issuer's key decides and never the token), signature,
/// issuer to the letter, audience, times, scheme, proof, and the ``AccessRequirement``. A token that is bound to a key is
/// refused without its proof, and one that is not is refused under the scheme `DPoP`.
///
/// What is not: whether the session has ended since. An access token lives for minutes, and is good for that long;
/// whoever moves money asks the server by ``WalletOperations``, which does know.
public final class AccessTokenVerifier: Sendable {
    /// What may be set.
    public struct Settings: Sendable {
        /// The tolerated clock difference.
        public var leeway: Duration = .seconds(30)
        /// A token that is good for longer than this is refused.
        public var longestToken: Duration = .seconds(3600)
        /// How old a DPoP proof may be.
        public var longestProof: Duration = .seconds(240)
        /// How many verified tokens are remembered; 0 verifies each every time.
        public var rememberedTokens = 16_384
        /// The nonces that proofs must carry; nil asks for none.
        public var nonces: ProofNonces?
        /// Where proofs are remembered, so that each is taken once; nil for a memory of this process.
        public var proofMemory: (any ProofMemory)?

        /// The usual.
        public init() {}
    }

    /// Whose tokens are taken.
    public let issuer: TrustedIssuer
    /// What `aud` has to name.
    public let audience: String
    /// Where clients reach this backend: what precedes the paths of its requests, behind whatever proxy. DPoP proofs are
    /// made for it.
    public let externalURL: WebURL

    private let settings: Settings
    private let rules: JWTRules
    private let challenges: Challenges
    private let verified: VerifiedTokens
    private let proofs: any ProofMemory
    private let origin: String

    /// Creates a verifier.
    /// - Parameters:
    ///   - issuer: whose tokens are taken.
    ///   - audience: what `aud` has to name: the `resource` for which clients ask for tokens (RFC 8707).
    ///   - externalURL: where clients reach this backend.
    ///   - settings: what differs from the usual.
    public init(
        issuer: TrustedIssuer, audience: String, externalURL: WebURL, settings: Settings = Settings()
    ) {
        self.issuer = issuer
        self.audience = audience
        self.externalURL = externalURL
        self.settings = settings
        rules = JWTRules(
            issuer: issuer.issuer.rawValue, audiences: [audience], leeway: settings.leeway,
            maximumLifetime: settings.longestToken, maximumAge: settings.longestToken)
        challenges = Challenges(realm: audience)
        verified = VerifiedTokens(capacity: settings.rememberedTokens)
        proofs = settings.proofMemory ?? ProofMemoryOfThisProcess(clock: issuer.clock)
        let base = externalURL.rawValue.prefix { $0 != "?" }
        origin = String(base.hasSuffix("/") ? base.dropLast() : base)
    }

    /// Lets a request in, or says why not.
    /// - Parameters:
    ///   - presented: what it brought.
    ///   - requirement: what it needs besides a good token.
    /// - Returns: who comes, and what the answer should carry.
    /// - Throws: ``AccessRefusal``, with the answer to send.
    public func verify(
        _ presented: PresentedRequest, for requirement: AccessRequirement = AccessRequirement()
    ) async throws(AccessRefusal) -> VerifiedAccess {
        let (type, token) = try credential(of: presented, requirement)
        let schemes: Challenges.Schemes = type == .dpop || requirement.binding == .proofOfPossession ? .dpop : .both
        let claims = try await claims(of: token, schemes)
        var proof: [UInt8]?
        switch (type, claims.keyThumbprint) {
        case (.bearer, nil):
            guard requirement.binding == .any else {
                throw challenges.invalidToken("a bearer token, where a bound one is asked for", .dpop)
            }
        case (.dpop, let thumbprint?): proof = try check(presented, token, boundTo: thumbprint)
        case (.bearer, _?): throw challenges.invalidToken("a bound token, shown as a bearer token", schemes)
        case (.dpop, nil): throw challenges.invalidToken("a token that is not bound, under the scheme DPoP", .dpop)
        }
        try check(claims, requirement, schemes)
        // Last: what is refused anyway takes no room of what is remembered.
        if let proof { try await spend(proof, of: claims) }
        let headers = settings.nonces.map { [HeaderField("DPoP-Nonce", $0.nonce(at: issuer.clock.now()))] } ?? []
        return VerifiedAccess(claims: claims, tokenType: type, responseHeaders: headers)
    }

    /// Lets a person's request in, and nobody else's.
    /// - Parameters:
    ///   - presented: what it brought.
    ///   - requirement: what it needs besides a good token.
    /// - Returns: who comes, and what the answer should carry.
    /// - Throws: ``AccessRefusal``, with the answer to send.
    public func verifyPerson(
        _ presented: PresentedRequest, for requirement: AccessRequirement = AccessRequirement()
    ) async throws(AccessRefusal) -> (person: VerifiedAccess.Person, access: VerifiedAccess) {
        let access = try await verify(presented, for: requirement)
        guard let person = access.person else { throw Challenges.personRequired() }
        return (person, access)
    }

    /// One `Authorization` header with one token in it.
    private func credential(
        of presented: PresentedRequest, _ requirement: AccessRequirement
    ) throws(AccessRefusal) -> (TokenType, AccessToken) {
        let schemes: Challenges.Schemes = requirement.binding == .proofOfPossession ? .dpop : .both
        guard let header = presented.authorization.first else { throw challenges.missingToken(schemes) }
        guard presented.authorization.count == 1 else {
            throw challenges.invalidRequest("several Authorization headers")
        }
        let words = header.split(separator: " ", omittingEmptySubsequences: true)
        // Another scheme is another's business; whoever comes with it brought no access token.
        guard let type = words.first.flatMap({ TokenType(ignoringCase: String($0)) }) else {
            throw challenges.missingToken(schemes)
        }
        guard words.count == 2, let token = try? AccessToken(String(words[1])) else {
            throw challenges.invalidRequest(
                "an Authorization header that is malformed", type == .dpop ? .dpop : schemes)
        }
        return (type, token)
    }

    private func claims(
        of token: AccessToken, _ schemes: Challenges.Schemes
    ) async throws(AccessRefusal) -> AccessTokenClaims {
        let now = issuer.clock.now()
        let digest = SHA256.hash(data: Array(token.reveal().utf8))
        if let known = verified.claims(of: digest, generation: try await keys(for: nil).generation) {
            guard now < known.expiresAt.advanced(by: settings.leeway) else {
                throw challenges.invalidToken("the token \(JOSEError.claim(name: "exp", .expired))", schemes)
            }
            return known
        }
        let keyID: String?
        do { keyID = try CompactJWS(token.reveal()).header.keyID } catch {
            throw challenges.invalidToken("the token \(error)", schemes)
        }
        let keys = try await keys(for: keyID)
        do {
            let claims = try AccessTokenClaims.verified(token, by: keys.verifiers, rules: rules, now: now)
            if settings.rememberedTokens > 0 { verified.keep(claims, of: digest, generation: keys.generation) }
            return claims
        } catch {
            // The server may have a new key that could not be fetched: that is no fault of the token.
            if error == .unknownKey, keys.isUncertain {
                throw Challenges.unavailable("a key that is not known, while the issuer cannot be reached")
            }
            throw challenges.invalidToken("the token \(error)", schemes)
        }
    }

    private func keys(for keyID: String?) async throws(AccessRefusal) -> KeyBook.Keys {
        do { return try await issuer.keys(for: keyID) } catch { throw Challenges.unavailable(error.reason) }
    }

    /// RFC 9449 sections 4.3 and 7, but for whether the proof came before.
    /// - Returns: what names the proof.
    private func check(
        _ presented: PresentedRequest, _ token: AccessToken, boundTo thumbprint: JWKThumbprint
    ) throws(AccessRefusal) -> [UInt8] {
        guard let header = presented.proofs.first else { throw challenges.invalidProof("no proof") }
        guard presented.proofs.count == 1 else { throw challenges.invalidRequest("several DPoP headers", .dpop) }
        guard presented.path.hasPrefix("/"), let target = try? HTTPTarget(origin + presented.path) else {
            throw challenges.invalidRequest("a request without a path that a proof could name", .dpop)
        }
        let now = issuer.clock.now()
        let expected = DPoPProof.Expectation(
            method: presented.method, target: target, accessToken: token, maximumAge: settings.longestProof,
            leeway: settings.leeway)
        let proof: DPoPProof
        do { proof = try DPoPProof.verified(header, for: expected, now: now) } catch {
            throw challenges.invalidProof("the proof: \(error)")
        }
        guard proof.thumbprint == thumbprint else {
            throw challenges.invalidToken("a proof by another key than the token's", .dpop)
        }
        if let nonces = settings.nonces, !(proof.nonce.map { nonces.isGood($0, at: now) } ?? false) {
            throw challenges.useNonce(nonces.nonce(at: now))
        }
        // Never the signature, which has more than one good form.
        return Array(SHA256.hash(data: Array("\(proof.thumbprint)\0\(proof.id)".utf8)))
    }

    /// Takes a proof once.
    private func spend(_ proof: [UInt8], of claims: AccessTokenClaims) async throws(AccessRefusal) {
        // From a clock that is ahead to one that is behind: the longest time in which it could come again.
        let life = settings.longestProof + settings.leeway * 2
        let verdict: ProofMemoryVerdict
        let person = claims.sessionID == nil ? nil : claims.subject
        do { verdict = try await proofs.remember(proof, of: person, for: life) } catch {
            throw Challenges.unavailable("the memory of proofs failed: \(type(of: error))")
        }
        switch verdict {
        case .new: return
        case .seen: throw challenges.invalidProof("the proof was used before")
        case .full: throw Challenges.unavailable("the memory of proofs is full")
        case .shareTaken(let wait): throw Challenges.tooManyRequests(retryAfter: wait)
        }
    }

    private func check(
        _ claims: AccessTokenClaims, _ requirement: AccessRequirement, _ schemes: Challenges.Schemes
    ) throws(AccessRefusal) {
        guard requirement.scope.isSubset(of: claims.scope) else {
            throw challenges.insufficientScope(requirement.scope, schemes)
        }
        if !requirement.acrValues.isEmpty, !(claims.acr.map(requirement.acrValues.contains) ?? false) {
            throw challenges.insufficientUserAuthentication(
                requirement, reason: "acr is \(claims.acr ?? "missing")", schemes)
        }
        if let age = requirement.maximumAge {
            guard let since = claims.authenticatedAt else {
                throw challenges.insufficientUserAuthentication(requirement, reason: "auth_time is missing", schemes)
            }
            guard issuer.clock.now() <= since.advanced(by: age).advanced(by: settings.leeway) else {
                throw challenges.insufficientUserAuthentication(
                    requirement, reason: "auth_time is too long ago", schemes)
            }
        }
    }
}
