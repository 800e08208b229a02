internal import Crypto
public import WalletAuthWire

/// Verifies the access tokens of one issuer: JWTs of type `at+jwt` (RFC 9068), either bearer tokens (RFC 6750) or
/// tokens bound to a key and presented with its proof (DPoP, RFC 9449). Create one per process and share it.
///
/// It checks type, algorithm (ES256 or EdDSA, determined by the issuer's key and never by the token), signature, the
/// exact issuer, audience, times, scheme, proof, and the ``AccessRequirement``. A bound token is refused without its
/// proof, and an unbound one is refused under the scheme `DPoP`.
///
/// It does not check whether the session has ended since. An access token lives for minutes and is valid for that long;
/// before moving money, ask the server with ``WalletOperations``, which does know.
public final class AccessTokenVerifier: Sendable {
    /// The options of a verifier.
    public struct Settings: Sendable {
        /// The tolerated clock difference. With ``nonces``, the clock of a proof's sender may be off by five minutes.
        public var leeway: Duration = .seconds(30)
        /// The longest accepted lifetime of a token.
        public var longestToken: Duration = .seconds(3600)
        /// The maximum age of a DPoP proof. With ``nonces``, these tell it instead.
        public var longestProof: Duration = .seconds(240)
        /// How many verified tokens to remember; 0 verifies every token every time.
        public var rememberedTokens = 16_384
        /// The nonces that proofs must contain; nil requires none.
        public var nonces: ProofNonces?
        /// The memory that makes each proof valid once; nil uses a memory in this process.
        public var proofMemory: (any ProofMemory)?
        /// What clients can learn before their first request; nil publishes nothing.
        public var metadata: ResourceMetadata?

        /// Creates the default settings.
        public init() {}
    }

    /// The issuer of the tokens.
    public let issuer: TrustedIssuer
    /// The audience that a token must have (`aud`).
    public let audience: String
    /// The URL at which clients reach this backend, before the path of a request and in front of any proxy. DPoP proofs
    /// name it.
    public let externalURL: WebURL
    /// The document to serve, which challenges name from then on. It is nil without ``Settings/metadata``, and if the audience is no URL
    /// with the host of ``externalURL``.
    public let metadata: ResourceMetadataDocument?

    private let settings: Settings
    private let rules: JWTRules
    private let challenges: Challenges
    private let verified: VerifiedTokenCache
    private let proofs: any ProofMemory
    private let origin: String

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - issuer: the issuer of the tokens.
    ///   - audience: the required `aud`: the `resource` that clients name when they request tokens (RFC 8707).
    ///   - externalURL: the URL at which clients reach this backend.
    ///   - settings: the options.
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
        metadata = settings.metadata.flatMap {
            ResourceMetadataDocument($0, of: audience, at: externalURL, issuer: issuer.issuer)
        }
        challenges = Challenges(realm: audience, metadataURL: metadata?.url)
        verified = VerifiedTokenCache(capacity: settings.rememberedTokens)
        proofs = settings.proofMemory ?? ProofMemoryOfThisProcess(clock: issuer.clock)
        let base = externalURL.rawValue.prefix { $0 != "?" }
        origin = String(base.hasSuffix("/") ? base.dropLast() : base)
    }

    /// Verifies a request's access token.
    ///
    /// - Parameters:
    ///   - presented: the request.
    ///   - requirement: the requirements in addition to a valid token.
    /// - Returns: the caller, and header fields for the response.
    /// - Throws: ``AccessRefusal``, with the response to send.
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
                throw challenges.invalidToken(
                    "a bearer token, but a bound one is required", .dpop,
                    description: "The access token is bound to no key, which is required here")
            }
        case (.dpop, let thumbprint?): proof = try check(presented, token, boundTo: thumbprint)
        case (.bearer, _?):
            throw challenges.invalidToken(
                "a bound token under the scheme Bearer", schemes,
                description:
                    "The access token is bound to a key: send it as DPoP, not as Bearer, with a proof of that key")
        case (.dpop, nil):
            throw challenges.invalidToken(
                "an unbound token under the scheme DPoP", .dpop,
                description: "The access token is bound to no key: send it as Bearer, not as DPoP")
        }
        try check(claims, requirement, schemes)
        // Last, so that requests that are refused anyway use no proof memory.
        if let proof { try await spend(proof, of: claims) }
        let headers = settings.nonces.map { [HeaderField("DPoP-Nonce", $0.nonce(at: issuer.clock.now()))] } ?? []
        return VerifiedAccess(claims: claims, tokenType: type, responseHeaders: headers)
    }

    /// Verifies a request's access token and requires that it belongs to a signed-in person.
    ///
    /// - Parameters:
    ///   - presented: the request.
    ///   - requirement: the requirements in addition to a valid token.
    /// - Returns: the caller, and header fields for the response.
    /// - Throws: ``AccessRefusal``, with the response to send.
    public func verifyPerson(
        _ presented: PresentedRequest, for requirement: AccessRequirement = AccessRequirement()
    ) async throws(AccessRefusal) -> (person: VerifiedAccess.Person, access: VerifiedAccess) {
        let access = try await verify(presented, for: requirement)
        guard let person = access.person else { throw Challenges.personRequired() }
        return (person, access)
    }

    /// Parses the single `Authorization` header with its single token.
    private func credential(
        of presented: PresentedRequest, _ requirement: AccessRequirement
    ) throws(AccessRefusal) -> (TokenType, AccessToken) {
        let schemes: Challenges.Schemes = requirement.binding == .proofOfPossession ? .dpop : .both
        guard let header = presented.authorization.first else { throw challenges.missingToken(schemes) }
        guard presented.authorization.count == 1 else {
            throw challenges.invalidRequest("several Authorization headers")
        }
        let words = header.split(separator: " ", omittingEmptySubsequences: true)
        // Credentials of another scheme are not an access token.
        guard let type = words.first.flatMap({ TokenType(ignoringCase: String($0)) }) else {
            throw challenges.missingToken(schemes)
        }
        guard words.count == 2, let token = try? AccessToken(String(words[1])) else {
            throw challenges.invalidRequest(
                "a malformed Authorization header", type == .dpop ? .dpop : schemes)
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
                throw challenges.expiredToken(known.expiresAt, now: now, schemes)
            }
            return known
        }
        let jws: CompactJWS
        do { jws = try CompactJWS(token.reveal()) } catch {
            throw challenges.invalidToken("the token \(error)", schemes)
        }
        let keys = try await keys(for: jws.header.keyID)
        do {
            let claims = try AccessTokenClaims.verified(token, by: keys.verifiers, rules: rules, now: now)
            if settings.rememberedTokens > 0 { verified.keep(claims, of: digest, generation: keys.generation) }
            return claims
        } catch {
            // The server may have a new key that could not be fetched: the token is not to blame.
            if error == .unknownKey, keys.isUncertain {
                throw Challenges.unavailable("an unknown key, while the issuer cannot be reached")
            }
            throw refusal(of: jws, error, now: now, schemes)
        }
    }

    /// Claims are checked after the signature, so their faults may be told to the sender.
    private func refusal(
        of jws: CompactJWS, _ error: JOSEError, now: NumericDate, _ schemes: Challenges.Schemes
    ) -> AccessRefusal {
        switch error {
        case .claim(name: "exp", .expired):
            if let claims = try? JWTClaims(parsing: jws.unverifiedPayload), let expiry = try? claims.object.date("exp")
            {
                return challenges.expiredToken(expiry, now: now, schemes)
            }
        case .claim(name: "aud", .mismatch):
            return challenges.invalidToken(
                "the token \(error)", schemes, description: "The access token is for another audience")
        default: break
        }
        return challenges.invalidToken("the token \(error)", schemes)
    }

    private func keys(for keyID: String?) async throws(AccessRefusal) -> JWKSCache.Keys {
        do { return try await issuer.keys(for: keyID) } catch { throw Challenges.unavailable(error.reason) }
    }

    /// The checks of RFC 9449 sections 4.3 and 7, except for replay.
    ///
    /// - Returns: the proof's identity for the proof memory.
    private func check(
        _ presented: PresentedRequest, _ token: AccessToken, boundTo thumbprint: JWKThumbprint
    ) throws(AccessRefusal) -> [UInt8] {
        guard let header = presented.proofs.first else { throw challenges.invalidProof("no proof") }
        guard presented.proofs.count == 1 else { throw challenges.invalidRequest("several DPoP headers", .dpop) }
        guard presented.path.hasPrefix("/"), let target = try? HTTPTarget(origin + presented.path) else {
            throw challenges.invalidRequest("the request's path cannot appear in a proof", .dpop)
        }
        let now = issuer.clock.now()
        let expected = DPoPProof.Expectation(
            method: presented.method, target: target, accessToken: token, maximumAge: settings.longestProof,
            leeway: settings.leeway)
        let proof: DPoPProof
        do { proof = try DPoPProof.verified(header, for: expected, now: settings.nonces == nil ? now : nil) } catch {
            let difference = DPoPProof.difference(in: header, refusedFor: error, expected: expected)
            throw challenges.invalidProof("the proof \(error)\(difference.map { ": \($0)" } ?? "")")
        }
        guard proof.thumbprint == thumbprint else {
            throw challenges.invalidToken(
                "a proof with a key other than the token's", .dpop,
                description: "The DPoP proof is of another key than the one to which the access token is bound")
        }
        if let nonces = settings.nonces {
            guard proof.nonce.map({ nonces.isGood($0, at: now) }) ?? false else {
                throw challenges.useNonce(nonces.nonce(at: now))
            }
            if let fault = proof.clockFault(at: now) { throw challenges.wrongClock(fault) }
        }
        // Not the signature: the same content can have several valid ones.
        return Array(SHA256.hash(data: Array("\(proof.thumbprint)\0\(proof.id)".utf8)))
    }

    /// Uses a proof up.
    private func spend(_ proof: [UInt8], of claims: AccessTokenClaims) async throws(AccessRefusal) {
        // The longest time in which a proof could be repeated: as long as its nonce is good, or else from a clock that is ahead
        // to one that is behind.
        let life = settings.nonces == nil ? settings.longestProof + settings.leeway * 2 : ProofNonces.life
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
        guard requirement.takesAuthorizationDetails || claims.authorizationDetails == nil else {
            throw challenges.detailsAlone(schemes)
        }
        if requirement.requiresAttestedApp, claims.attestation == nil { throw Challenges.attestedAppRequired() }
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
