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
    private let database: any Database
    private let restoredAt: Timestamp?

    init(issuer: Issuer, clients: ClientDirectory, database: any Database, restoredAt: Timestamp?) {
        self.issuer = issuer
        self.clients = clients
        self.database = database
        self.restoredAt = restoredAt
    }

    /// The longest lifetime of an assertion. It is remembered for as long.
    private static let longestAssertion = Duration.minutes(10)

    /// Authenticates a client by its registered method, and no other: a client with a key must not be able to use a secret, nor
    /// a confidential client nothing.
    /// - Parameters:
    ///   - presented: the credentials in the request.
    ///   - endpoint: the endpoint called, which an assertion may name as its audience.
    ///   - now: the present moment.
    package func authenticate(
        _ presented: ClientAuthentication, at endpoint: Endpoint = Endpoints.token, now: Timestamp
    ) async throws -> Result<RegisteredClient, OAuthRefusal> {
        guard let client = try await clients.find(presented.clientID, now: now) else {
            return .failure(.unknownClient)
        }
        let isProved =
            switch presented {
            case .none: client.method == .none
            case .basic(_, let secret), .post(_, let secret): Self.holds(secret, client, now: now)
            case .privateKeyJWT(_, let assertion): try await holds(assertion, client, at: endpoint, now: now)
            }
        return isProved ? .success(client) : .failure(.invalidClient)
    }

    /// Secrets are generated here from 256 random bits: a plain hash protects them and compares quickly. Libraries choose
    /// between header and form on their own; the secret proves the same in both.
    private static func holds(_ secret: ClientSecret, _ client: RegisteredClient, now: Timestamp) -> Bool {
        guard client.method == .clientSecretBasic || client.method == .clientSecretPost else { return false }
        let presented = Array(SHA256.hash(data: Array(secret.reveal().utf8)))
        // Both are compared, so that the time does not tell which one it was.
        return client.secretHashes(at: now).reduce(false) { ConstantTime.equal(presented, $1) || $0 }
    }

    /// `private_key_jwt` (RFC 7523 §3): signed with the client's own key, for this server, used once.
    private func holds(
        _ assertion: ClientAssertion, _ client: RegisteredClient, at endpoint: Endpoint, now: Timestamp
    ) async throws -> Bool {
        // FAPI 2.0 accepts only the issuer as audience (Security Profile §5.3.2.1). Other clients name the token endpoint
        // (OpenID Connect Core §9), or the endpoint they call.
        let endpoints = client.settings.fapi ? [] : [Endpoints.token, endpoint]
        let rules = JWTRules(
            issuer: client.id.rawValue, audiences: [issuer.rawValue] + endpoints.map { issuer.url(path: $0.path) },
            subject: client.id.rawValue, maximumLifetime: Self.longestAssertion)
        guard client.method == .privateKeyJWT, let jws = try? CompactJWS(assertion.reveal()),
            [nil, .jwt, .clientAuthentication].contains(jws.header.type),
            let claims = try? jws.verified(by: client.keys).claims(),
            (try? claims.validate(rules, now: NumericDate(clamping: now.seconds))) != nil,
            let id = claims.id, !id.isEmpty, let expiry = try? claims.requiredDate("exp"),
            isSinceRestore(claims, now: now)
        else { return false }
        let digest = Array(SHA256.hash(data: Array("client-assertion\0\(client.id)\0\(id)".utf8)))
        let keepUntil = Timestamp(seconds: expiry.secondsSince1970) + rules.leeway
        return try await database.write { try SeenJTIs.remember(digest, until: keepUntil, on: $0) }
    }

    /// Whether the assertion cannot have been used between a backup and its restore. As long as one of those could still be
    /// valid, every assertion needs an issue time.
    private func isSinceRestore(_ claims: JWTClaims, now: Timestamp) -> Bool {
        guard let restoredAt, now < restoredAt + Self.longestAssertion + .minutes(2) else {
            return true
        }
        guard let issuedAt = try? claims.requiredDate("iat") else { return false }
        return Timestamp(seconds: issuedAt.secondsSince1970) >= restoredAt
    }
}
