public import WalletAuthWire

/// What clients read first: the two metadata documents and the key set. Computed from memory; the edge may cache.
public struct Discovery: Sendable {
    let context: ServerContext

    /// The authorization server's metadata (RFC 8414) and, with the same members, the OpenID provider's (OpenID Connect
    /// Discovery §3). Names only what is served.
    public func metadata() -> ServerMetadata {
        ServerMetadata.served(by: context.settings.issuer)
    }

    /// The published signing keys: those that sign, those that are about to and those whose tokens still live.
    /// - Returns: the set, and for how many seconds it may be cached.
    public func keySet() async throws -> (set: JWKSet, maximumAge: Int64) {
        try await context.keyRing.refreshIfStale(now: context.clock.now())
        return (context.keyRing.publishedKeys(now: context.clock.now()), context.settings.signingKeys.keySetMaximumAge.wholeSeconds)
    }
}
