package import Core
package import WalletAuthWire

/// The signing keys of a provider, fetched on demand and cached for an hour.
package struct ProviderKeys: Sendable {
    /// The source of the data to verify.
    package enum Bearer: Hashable, Sendable {
        /// A person's app, page or backend.
        case person
        /// A notification, which anyone may send.
        case notification
        /// The provider's own response over TLS.
        case provider
    }

    private let documents: ProviderDocuments
    private let source: ProviderDocuments.KeySource
    private let reach: ProviderHTTP.Reach

    /// Keys at a fixed URL, cached for all requests of a server.
    package init(at url: String, reach: ProviderHTTP.Reach, from documents: ProviderDocuments) {
        (self.documents, source, self.reach) = (documents, .url(url), reach)
    }

    /// Keys that are not cached, for a probe.
    package init(at url: String, reach: ProviderHTTP.Reach, http: ProviderHTTP) {
        (documents, source, self.reach) = (ProviderDocuments(http: http), .url(url), reach)
    }

    package init(of settings: OpenIDSettings, reach: ProviderHTTP.Reach, from documents: ProviderDocuments) {
        (self.documents, source, self.reach) = (documents, .discovery(settings), reach)
    }

    /// The cached keys, fetched if there are none.
    /// - Throws: ``ProviderFailure``.
    package func known(now: Timestamp) async throws -> JWKSet {
        try await documents.keys(from: source, reach: reach, now: now)
    }

    /// Verifies with the known keys, and once more with newly fetched ones if the key is unknown: the provider may have replaced
    /// its keys since.
    /// - Parameters:
    ///   - bearer: the source of the data. Others' invented keys must not delay the provider's own responses.
    ///   - verification: throws ``ProviderIDToken/Refusal`` for invalid data.
    /// - Throws: ``ProviderFailure`` if the keys are unavailable, or not fetched again yet; and the errors of `verification`.
    package func use<Value: Sendable>(
        broughtBy bearer: Bearer, now: Timestamp, _ verification: (JWKSet) throws(ProviderIDToken.Refusal) -> Value
    ) async throws -> Value {
        let known = try await known(now: now)
        do throws(ProviderIDToken.Refusal) { return try verification(known) } catch .unknownKey {}
        let new = try await documents.newKeys(from: source, for: bearer, reach: reach, now: now)
        do throws(ProviderIDToken.Refusal) { return try verification(new.keys) } catch {
            // The provider may have published the key since, so the token is not known to be invalid.
            guard case .unknownKey = error, !new.isFetched else { throw error }
            throw ProviderFailure(
                "its keys were fetched a moment ago and do not include the token's", isRepetition: true)
        }
    }
}
