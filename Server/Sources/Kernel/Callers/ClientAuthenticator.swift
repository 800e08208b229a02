package import Core
internal import Crypto
internal import Store
package import WalletAuthWire

/// Authenticates clients (RFC 6749 §2.3). One answer for every failure.
///
/// A class, because several flows have it: one reference to count.
package final class ClientAuthenticator: Sendable {
    private let issuer: Issuer
    private let clients: ClientDirectory
    private let published: ClientKeySets
    private let database: any Database
    private let restoredAt: Timestamp?

    init(
        issuer: Issuer, clients: ClientDirectory, published: ClientKeySets, database: any Database,
        restoredAt: Timestamp?
    ) {
        self.issuer = issuer
        self.clients = clients
        self.published = published
        self.database = database
        self.restoredAt = restoredAt
    }

    /// How long an assertion is accepted after its `iat`, or before its `exp` if it has no `iat`. It is remembered for as long.
    private static let assertionWindow = Duration.minutes(10)

    /// Authenticates a client by its registered method, and no other: a client with a key must not be able to use a secret, nor
    /// a confidential client nothing.
    /// - Parameters:
    ///   - presented: the credentials in the request.
    ///   - endpoint: the endpoint called, which an assertion may name as its audience.
    ///   - proof: the request's proof of a key, which an attestation must be about.
    ///   - now: the present moment.
    package func authenticate(
        _ presented: ClientAuthentication, at endpoint: Endpoint = Endpoints.token, proof: CheckedProof? = nil,
        now: Timestamp
    ) async throws -> Result<RegisteredClient, OAuthRefusal> {
        guard let client = try await clients.find(presented.clientID, now: now) else {
            return .failure(.invalidClient(.unknown))
        }
        let refusal: OAuthRefusal? =
            switch presented {
            case .none: Self.mayNameItself(client, at: endpoint) ? nil : .invalidClient(.method(client.method))
            case .basic(_, let secret), .post(_, let secret):
                Self.fault(of: secret, client, now: now).map { .invalidClient($0) }
            case .privateKeyJWT(_, let assertion):
                try await fault(of: assertion, client, at: endpoint, now: now).map { .invalidClient($0) }
            case .attestation(_, let attestation): Self.refusal(of: attestation, client, proof: proof, now: now)
            }
        return (refusal ?? Self.refusal(of: proof, from: client, now: now)).map { .failure($0) } ?? .success(client)
    }

    /// FAPI 2.0 has no JWT from more than a minute ahead (Security Profile §5.3.2.1). Of assertions and request objects that is true for
    /// every client; of proofs it would keep out people's devices, whose clocks no one sets.
    private static func refusal(
        of proof: CheckedProof?, from client: RegisteredClient, now: Timestamp
    ) -> OAuthRefusal? {
        let latest = NumericDate(clamping: now.seconds).advanced(by: .minutes(1))
        guard client.settings.fapi, let proof, proof.issuedAt > latest else { return nil }
        return .invalidDPoPProof(
            "The proof's iat is more than a minute ahead of the server's time, which the Date header has.")
    }

    /// Whether its id is enough. What revokes a public client's session is its token, with the proof of its key.
    private static func mayNameItself(_ client: RegisteredClient, at endpoint: Endpoint) -> Bool {
        client.method == .none || (client.kind == .public && endpoint == Endpoints.revoke)
    }

    /// Secrets are generated here from 256 random bits: a plain hash protects them and compares quickly. Libraries choose
    /// between header and form on their own; the secret proves the same in both.
    private static func fault(of secret: ClientSecret, _ client: RegisteredClient, now: Timestamp) -> ClientFault? {
        guard client.method == .clientSecretBasic || client.method == .clientSecretPost else {
            return .method(client.method)
        }
        let presented = Array(SHA256.hash(data: Array(secret.reveal().utf8)))
        // Both are compared, so that the time does not tell which one it was.
        let isRight = client.secretHashes(at: now).reduce(false) { ConstantTime.equal(presented, $1) || $0 }
        return isRight ? nil : .secret
    }

    /// `private_key_jwt` (RFC 7523 §3): signed with the client's own key, for this server, used once.
    private func fault(
        of assertion: ClientAssertion, _ client: RegisteredClient, at endpoint: Endpoint, now: Timestamp
    ) async throws -> ClientFault? {
        guard client.method == .privateKeyJWT else { return .method(client.method) }
        let signed: VerifiedJWS
        do throws(ClientFault) { signed = try await verified(assertion, client, now: now) } catch { return error }
        let claims: JWTClaims
        do throws(JOSEError) { claims = try signed.claims() } catch { return .assertion(error) }
        // FAPI 2.0 accepts only the issuer as audience, and not in a list (Security Profile §5.3.2.1). Other clients name the
        // token endpoint (OpenID Connect Core §9), or the endpoint they call.
        let endpoints =
            client.settings.fapi ? [] : endpoint == Endpoints.token ? [endpoint] : [Endpoints.token, endpoint]
        let audiences = [issuer.rawValue] + endpoints.map { issuer.url(path: $0.path) }
        let use: AssertionUse
        do throws(JOSEError) {
            if client.settings.fapi { _ = try claims.string("aud") }
            use = try AssertionUse(
                claims, of: client.id, audiences: audiences, window: Self.assertionWindow, now: now)
        } catch { return .claim(error, audiences: audiences) }
        guard isSinceRestore(use, now: now) else { return .beforeRestore }
        let digest = Array(SHA256.hash(data: Array("client-assertion\0\(client.id)\0\(use.id)".utf8)))
        let isNew = try await database.write { try SeenJTIs.remember(digest, until: use.endsAt, on: $0) }
        return isNew ? nil : .usedAssertion
    }

    /// By the registered keys, or by those that the client publishes.
    private func verified(
        _ assertion: ClientAssertion, _ client: RegisteredClient, now: Timestamp
    ) async throws(ClientFault) -> VerifiedJWS {
        let jws: CompactJWS
        do throws(JOSEError) {
            jws = try CompactJWS(assertion.reveal())
            guard [nil, .jwt, .clientAuthentication].contains(jws.header.type) else { throw JOSEError.wrongType }
            // An RSA key may be among those that the client publishes.
            guard client.assertionAlgorithms.contains(jws.header.algorithm) else { throw JOSEError.algorithmNotAllowed }
            if client.keysURL == nil { return try jws.verified(by: client.keys) }
        } catch { throw .assertion(error) }
        guard let url = client.keysURL else { throw .keysUnavailable }
        return try await published.verified(jws, of: client.id, at: url, now: now)
    }

    /// Whether the assertion cannot have been used between a backup and its restore. As long as one of those could still be
    /// valid, every assertion needs an issue time.
    private func isSinceRestore(_ use: AssertionUse, now: Timestamp) -> Bool {
        guard let restoredAt, now < restoredAt + Self.assertionWindow + .minutes(2) else {
            return true
        }
        return use.issuedSince.map { $0 >= restoredAt } ?? false
    }
}

/// What is remembered of an assertion with good claims.
private struct AssertionUse {
    let id: String
    /// The earliest moment of its issue by this server's clock, since the client's may be ahead; `nil` without `iat`.
    let issuedSince: Timestamp?
    /// When it stops being accepted.
    let endsAt: Timestamp

    init(
        _ claims: JWTClaims, of client: ClientID, audiences: [String], window: Duration, now: Timestamp
    ) throws(JOSEError) {
        let issued = try claims.date("iat")
        // Libraries choose an `exp` up to a day ahead. Behind an `iat` it does no harm: the window ends before.
        let rules = JWTRules(
            issuer: client.rawValue, audiences: audiences, subject: client.rawValue,
            maximumLifetime: issued == nil ? window : .days(1), maximumAge: issued == nil ? nil : window)
        try claims.validate(rules, now: NumericDate(clamping: now.seconds))
        id = try claims.string("jti")
        guard !id.isEmpty else { throw .claim(name: "jti", .malformed) }
        let issuedAt = issued.map { Timestamp(seconds: $0.secondsSince1970) }
        issuedSince = issuedAt.map { $0 - rules.leeway }
        let expiry = Timestamp(seconds: try claims.requiredDate("exp").secondsSince1970)
        // The last second of its age counts too.
        endsAt = min(expiry, issuedAt.map { $0 + window + .seconds(1) } ?? expiry) + rules.leeway
    }
}
