package import Core
package import Store

/// Remembers used `jti`s: of client assertions (RFC 7523 §3), and of DPoP proofs that no other gate makes single-use
/// (RFC 9449 §11.1). Other things that are used once are remembered here too, each under a digest with a label.
package enum SeenJTIs {
    /// Remembers a `jti`. Of several callers with the same one, exactly one gets `true`.
    /// - Parameters:
    ///   - digest: SHA-256 over the issuer (client or key thumbprint) and the `jti`, so that no party can spend
    ///     another's.
    ///   - expiresAt: the time until which the token would be accepted; the row is deleted afterwards.
    /// - Returns: whether it was new.
    package static func remember(
        _ digest: [UInt8], until expiresAt: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "INSERT INTO seen_jtis (digest, expires_at) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING",
            [.blob(digest), .time(expiresAt)]) == 1
    }

    /// Whether a digest is remembered and has not expired.
    package static func contains(
        _ digest: [UInt8], now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.row(
            "SELECT 1 FROM seen_jtis WHERE digest = $1 AND expires_at > $2", [.blob(digest), .time(now)]) != nil
    }
}
