package import Core
package import Store
package import WalletAuthWire

/// A cache of the documents that providers publish: their metadata and their keys.
///
/// One request at a time fetches each document, and all callers wait for it. After a failure, a provider is left alone for a few
/// seconds. An unknown `kid` causes a fetch at most once in ten seconds, so that tokens with invented key IDs cannot make this
/// server flood the provider. Other fetches do not count, so keys that the provider replaces right after the first fetch are
/// found at once. The limit is separate for sign-ins and notifications, and does not apply to the provider's own responses.
package actor ProviderDocuments {
    /// The part of a provider's metadata that this server uses.
    package struct Metadata: Sendable {
        package var tokenEndpoint: String?
        var keysURL: String
        /// The client authentication methods of the token endpoint.
        package var authenticationMethods: [String]
        /// `nil` if the document names no usable one.
        package var authorizationEndpoint: String?
        /// The PKCE methods (RFC 8414 §2); `nil` if the document does not list them.
        package var challengeMethods: [String]?
        /// Whether every authorization response names its issuer (RFC 9207 §3).
        package var namesIssuer: Bool
    }

    package enum KeySource: Sendable, Hashable {
        /// The `jwks_uri` of the provider's discovery document.
        case discovery(OpenIDSettings)
        /// A fixed URL.
        case url(String)
    }

    /// The source of the data to verify.
    package enum Bearer: Hashable, Sendable {
        /// A person's app, page or backend.
        case person
        /// A notification, which anyone may send.
        case notification
        /// The provider's own response over TLS.
        case provider
    }

    private struct Kept<Value: Sendable> {
        var value: Value
        var at: Timestamp
    }

    /// A key set, and whether it was fetched for this request.
    struct NewKeys: Sendable {
        var keys: JWKSet
        var isFetched: Bool
    }

    private struct Demand: Hashable {
        var source: KeySource
        var bearer: Bearer
    }

    private let http: ProviderHTTP
    private let group: (any ProcessGroup)?
    private var metadata: [OpenIDSettings: Kept<Metadata>] = [:]
    private var keys: [KeySource: Kept<JWKSet>] = [:]
    private var metadataFetches: [OpenIDSettings: Task<Metadata, any Error>] = [:]
    private var keyFetches: [KeySource: Task<JWKSet, any Error>] = [:]
    private var failures: [KeySource: Timestamp] = [:]
    /// The last fetch for an unknown `kid`.
    private var unknownKeyFetches: [Demand: Timestamp] = [:]

    private static let lifetime = Duration.hours(1)
    private static let shortestRefetch = Duration.seconds(10)
    private static let failurePause = Duration.seconds(5)
    /// More providers than any operator has. At the limit, the cache is emptied.
    private static let capacity = 1024

    /// - Parameter group: the processes that share the database, if several can.
    package init(http: ProviderHTTP, group: (any ProcessGroup)? = nil) {
        self.http = http
        self.group = group
    }

    /// Documents are kept by the settings that name them, so this process has none that would be wrong; others start from the
    /// beginning, as the operator who changed a provider expects.
    package nonisolated func announceChange() { group?.announce(.provider) }

    /// Forgets every document and failure. Fetches in progress continue.
    func drop() {
        metadata.removeAll()
        keys.removeAll()
        failures.removeAll()
        unknownKeyFetches.removeAll()
    }

    /// - Throws: ``ProviderFailure``.
    package func metadata(of provider: OpenIDSettings, reach: ProviderHTTP.Reach, now: Timestamp) async throws
        -> Metadata
    {
        if let kept = metadata[provider], now - kept.at < Self.lifetime { return kept.value }
        if let running = metadataFetches[provider] { return try await running.value }
        try restAfterFailure(of: .discovery(provider), now: now)
        let fetch = Task { try await self.fetchMetadata(of: provider, reach: reach) }
        metadataFetches[provider] = fetch
        defer { metadataFetches[provider] = nil }
        let value = try await noting(.discovery(provider), now) { try await fetch.value }
        if metadata.count >= Self.capacity { metadata.removeAll() }
        metadata[provider] = Kept(value: value, at: now)
        return value
    }

    /// - Throws: ``ProviderFailure``.
    package func keys(from source: KeySource, reach: ProviderHTTP.Reach, now: Timestamp) async throws -> JWKSet {
        if let kept = keys[source], now - kept.at < Self.lifetime { return kept.value }
        return try await fetchKeys(from: source, reach: reach, now: now)
    }

    /// Fetches the keys again after the cached set lacked the one needed, unless another unknown key caused a fetch just before.
    func newKeys(
        from source: KeySource, for bearer: Bearer, reach: ProviderHTTP.Reach, now: Timestamp
    ) async throws -> NewKeys {
        let demand = Demand(source: source, bearer: bearer)
        if bearer != .provider, let kept = keys[source], let last = unknownKeyFetches[demand],
            now - last < Self.shortestRefetch, keyFetches[source] == nil
        {
            return NewKeys(keys: kept.value, isFetched: false)
        }
        let fetched = try await fetchKeys(from: source, reach: reach, now: now)
        if unknownKeyFetches.count >= Self.capacity { unknownKeyFetches.removeAll() }
        unknownKeyFetches[demand] = now
        return NewKeys(keys: fetched, isFetched: true)
    }

    /// Verifies the signature of a JWT with the known keys, and once more with newly fetched ones if the key is unknown: the provider
    /// may have replaced its keys since.
    /// - Parameters:
    ///   - text: the compact form.
    ///   - bearer: the source of the JWT. Others' invented keys must not delay the provider's own responses.
    /// - Throws: ``ProviderFailure`` if the keys are unavailable, or not fetched again yet; ``ProviderIDToken/Refusal`` for an invalid
    ///   signature.
    package nonisolated func signed(
        _ text: String, algorithms: Set<SigningAlgorithm> = ProviderIDToken.algorithms, keysFrom source: KeySource,
        reach: ProviderHTTP.Reach, broughtBy bearer: Bearer, now: Timestamp
    ) async throws -> ProviderIDToken.Signed {
        let known = try await keys(from: source, reach: reach, now: now)
        do throws(ProviderIDToken.Refusal) {
            return try ProviderIDToken.signed(text, by: known, algorithms: algorithms)
        } catch .unknownKey {}
        let new = try await newKeys(from: source, for: bearer, reach: reach, now: now)
        do throws(ProviderIDToken.Refusal) {
            return try ProviderIDToken.signed(text, by: new.keys, algorithms: algorithms)
        } catch {
            // The provider may have published the key since, so the token is not known to be invalid.
            guard case .unknownKey = error, !new.isFetched else { throw error }
            throw ProviderFailure(
                "its keys were fetched a moment ago and do not include the token's", isRepetition: true)
        }
    }

    private func fetchKeys(from source: KeySource, reach: ProviderHTTP.Reach, now: Timestamp) async throws -> JWKSet {
        if let running = keyFetches[source] { return try await running.value }
        let url: String
        switch source {
        case .url(let fixed): url = fixed
        case .discovery(let provider):
            url = try await metadata(of: provider, reach: reach, now: now).keysURL
            if let running = keyFetches[source] { return try await running.value }
        }
        try restAfterFailure(of: source, now: now)
        let fetch = Task { try await self.fetchKeys(url, reach: reach) }
        keyFetches[source] = fetch
        defer { keyFetches[source] = nil }
        let value = try await noting(source, now) { try await fetch.value }
        if keys.count >= Self.capacity { keys.removeAll() }
        keys[source] = Kept(value: value, at: now)
        return value
    }

    private func restAfterFailure(of source: KeySource, now: Timestamp) throws {
        guard let failed = failures[source] else { return }
        if now - failed < Self.failurePause { throw ProviderFailure("it failed a moment ago", isRepetition: true) }
        failures[source] = nil
    }

    private func noting<Value>(
        _ source: KeySource, _ now: Timestamp, _ fetch: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await fetch()
        } catch {
            if failures.count >= Self.capacity { failures.removeAll() }
            failures[source] = now
            throw error
        }
    }

    /// OpenID Connect Discovery §4.
    private nonisolated func fetchMetadata(
        of provider: OpenIDSettings, reach: ProviderHTTP.Reach
    ) async throws -> Metadata {
        let document = try await document(provider.issuer.openIDConfigurationURL, reach: reach)
        // §4.3: otherwise this server would accept another issuer's tokens as this one's.
        guard document["issuer"]?.string == provider.issuer.rawValue else {
            // Only a well-formed issuer goes into a log and onto an operator's terminal.
            let named = document["issuer"]?.string.flatMap { try? Issuer($0) }
            throw ProviderFailure(
                "its discovery document names another issuer" + (named.map { ", \($0.rawValue)" } ?? ""))
        }
        guard let keysURL = document["jwks_uri"]?.string, Self.isUsable(keysURL, publishedBy: provider.issuer) else {
            throw ProviderFailure("its discovery document has no usable jwks_uri")
        }
        let tokenEndpoint = document["token_endpoint"]?.string
        guard tokenEndpoint.map({ Self.isUsable($0, publishedBy: provider.issuer) }) ?? true else {
            throw ProviderFailure("its discovery document has no usable token_endpoint")
        }
        return Metadata(
            tokenEndpoint: tokenEndpoint, keysURL: keysURL,
            // §3: the default for a missing list.
            authenticationMethods: document["token_endpoint_auth_methods_supported"]?.strings
                ?? ["client_secret_basic"],
            // Only pages need it, so an invalid one does not fail apps that open the provider's page themselves.
            authorizationEndpoint: document["authorization_endpoint"]?.string.flatMap {
                Self.isUsable($0, publishedBy: provider.issuer) ? $0 : nil
            },
            challengeMethods: document["code_challenge_methods_supported"]?.strings,
            namesIssuer: document["authorization_response_iss_parameter_supported"] == .bool(true))
    }

    /// https, or http if the issuer itself is a sandbox on this machine.
    private static func isUsable(_ text: String, publishedBy issuer: Issuer) -> Bool {
        guard (try? WebURL(text)) != nil else { return false }
        return text.lowercased().hasPrefix("https://") || issuer.isInsecure
    }

    private nonisolated func fetchKeys(_ url: String, reach: ProviderHTTP.Reach) async throws -> JWKSet {
        do {
            return try JWKSet(try await document(url, reach: reach))
        } catch is JOSEError {
            throw ProviderFailure("its keys cannot be read")
        }
    }

    private nonisolated func document(_ url: String, reach: ProviderHTTP.Reach) async throws -> JSONObject {
        let answer = try await http.answer(
            to: ProviderHTTP.Request(url: url, headers: [("Accept", "application/json")], reach: reach))
        guard answer.status == 200, let object = try? JSONValue.object(parsing: answer.body) else {
            throw ProviderFailure("\(url) returned \(answer.status) or no JSON")
        }
        return object
    }
}
