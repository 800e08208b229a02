package import AuthCore

/// The `jti`s that may not come again: client assertions (RFC 7523 §3), and DPoP proofs where no other gate is
/// single-use (RFC 9449 §11.1).
package enum SeenJTIs {
    /// Remembers a `jti`; of several callers with the same one, exactly one gets `true`.
    ///
    /// - Parameters:
    ///   - digest: SHA-256 over the issuer (client or key thumbprint) and the `jti`, so that nobody can spend another's.
    ///   - expiresAt: until when the token itself would be accepted; the row is swept after it.
    ///   - connection: the connection of a write.
    /// - Returns: whether it was new.
    /// - Throws: ``StoreError``.
    package static func remember(
        _ digest: [UInt8], until expiresAt: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "INSERT INTO seen_jtis (digest, expires_at) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING",
            [.blob(digest), .time(expiresAt)]) == 1
    }
}
