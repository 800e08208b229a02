package import AuthCore
package import WalletAuthWire

/// The keys that a provider signs with, fetched when they are needed and kept for an hour.
package struct ProviderKeys: Sendable {
    /// Who brought what is verified.
    package enum Bearer: Hashable, Sendable {
        /// A person's app, page or backend.
        case person
        /// A notification, which anybody may send.
        case notification
        /// The provider, in its own answer over TLS.
        case provider
    }

    private let documents: ProviderDocuments
    private let source: ProviderDocuments.KeySource
    private let reach: ProviderHTTP.Reach

    /// Keys at a URL that never changes, kept for all requests of a server.
    /// - Parameters:
    ///   - url: where they are.
    ///   - reach: which addresses may be connected to.
    ///   - context: the server that keeps them.
    package init(at url: String, reach: ProviderHTTP.Reach, in context: ServerContext) {
        (documents, source, self.reach) = (context.providers, .url(url), reach)
    }

    /// Keys that are fetched and not kept, as a probe does.
    /// - Parameters:
    ///   - url: where they are.
    ///   - reach: which addresses may be connected to.
    ///   - http: how they are fetched.
    package init(at url: String, reach: ProviderHTTP.Reach, http: ProviderHTTP) {
        (documents, source, self.reach) = (ProviderDocuments(http: http), .url(url), reach)
    }

    init(of settings: OpenIDSettings, reach: ProviderHTTP.Reach, from documents: ProviderDocuments) {
        (self.documents, source, self.reach) = (documents, .discovery(settings), reach)
    }

    /// The keys as they are known.
    /// - Throws: ``ProviderFailure``.
    package func known(now: Timestamp) async throws -> JWKSet {
        try await documents.keys(from: source, reach: reach, now: now)
    }

    /// Verifies something by the keys, and once more by new ones where those that are known lack its key: the provider may have
    /// changed them since they were fetched.
    /// - Parameters:
    ///   - bearer: who brought it. Made-up keys of others must not hold back what the provider itself answered.
    ///   - now: the present.
    ///   - verification: what throws ``ProviderIDToken/Refusal`` for what does not hold.
    /// - Throws: ``ProviderFailure`` where the keys cannot be had, or not yet; and what `verification` throws.
    package func use<Value: Sendable>(
        broughtBy bearer: Bearer, now: Timestamp, _ verification: (JWKSet) throws(ProviderIDToken.Refusal) -> Value
    ) async throws -> Value {
        let known = try await known(now: now)
        do throws(ProviderIDToken.Refusal) { return try verification(known) } catch .unknownKey {}
        let new = try await documents.newKeys(from: source, for: bearer, reach: reach, now: now)
        do throws(ProviderIDToken.Refusal) { return try verification(new.keys) } catch {
            // The key may be one that the provider published since: nothing is known of the token yet.
            guard case .unknownKey = error, !new.isFetched else { throw error }
            throw ProviderFailure("its keys were fetched a moment ago and lack the token's", isRepetition: true)
        }
    }
}
