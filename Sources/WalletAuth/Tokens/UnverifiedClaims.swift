import WalletAuthWire

/// The claims of a JWT whose signature was not checked: for tokens directly from the token endpoint, or supplied by the
/// app.
struct UnverifiedClaims: Sendable {
    let algorithm: String
    let claims: JWTClaims

    /// Returns nil if the text is not a JWT.
    init?(_ token: String) {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64URL.decode(String(parts[0])),
            let payload = Base64URL.decode(String(parts[1])),
            let algorithm = (try? JSONValue.object(parsing: header))?["alg"]?.string,
            let claims = try? JSONValue.object(parsing: payload, limits: JSONLimits(bytes: 65_536, depth: 32))
        else { return nil }
        self.algorithm = algorithm
        self.claims = JWTClaims(claims)
    }

    var expiresAt: Instant? {
        (try? claims.date("exp")).map { Instant($0) }
    }

    /// The thumbprint of the key that the token is bound to (RFC 9449 §6.1).
    var keyThumbprint: JWKThumbprint? {
        (claims.object["cnf"]?.object?["jkt"]?.string).flatMap { try? JWKThumbprint($0) }
    }
}
