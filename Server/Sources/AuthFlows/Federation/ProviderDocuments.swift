internal import AuthCore
internal import WalletAuthWire

/// What providers publish of themselves, kept for a while: where their endpoints are, and their keys.
///
/// Each document is fetched by one request at a time, and all callers wait for that one. A provider that fails is left alone for
/// some seconds. Keys are fetched again for an unknown `kid` at most once in ten seconds: tokens with made-up ones must not turn
/// this server against the provider. Other fetches do not count, so a provider that rolls its keys right after the first fetch
/// is asked again at once. Sign-ins and notifications are counted apart, and what the provider itself answered is not held back.
actor ProviderDocuments {
    /// A provider's metadata, as far as it is needed.
    struct Metadata: Sendable {
        var tokenEndpoint: String?
        var keysURL: String
        /// How clients may prove themselves at the token endpoint.
        var authenticationMethods: [String]
        /// Where browsers are sent; `nil` where it names none that is usable.
        var authorizationEndpoint: String?
        /// How it takes PKCE (RFC 8414 §2); `nil` where it does not say.
        var challengeMethods: [String]?
        /// Whether every authorization response names its issuer (RFC 9207 §3).
        var namesIssuer: Bool
    }

    /// Where keys come from.
    enum KeySource: Sendable, Hashable {
        /// The provider's discovery document names them.
        case discovery(OpenIDSettings)
        /// They lie at a URL that never changes.
        case url(String)
    }

    private struct Kept<Value: Sendable> {
        var value: Value
        var at: Timestamp
    }

    /// Keys, with whether they were fetched for this request.
    struct NewKeys: Sendable {
        var keys: JWKSet
        var isFetched: Bool
    }

    private struct Demand: Hashable {
        var source: KeySource
        var bearer: ProviderKeys.Bearer
    }

    private let http: ProviderHTTP
    private var metadata: [OpenIDSettings: Kept<Metadata>] = [:]
    private var keys: [KeySource: Kept<JWKSet>] = [:]
    private var metadataFetches: [OpenIDSettings: Task<Metadata, any Error>] = [:]
    private var keyFetches: [KeySource: Task<JWKSet, any Error>] = [:]
    private var failures: [KeySource: Timestamp] = [:]
    /// When keys were last fetched for an unknown `kid`.
    private var unknownKeyFetches: [Demand: Timestamp] = [:]

    private static let lifetime = Duration.hours(1)
    private static let shortestRefetch = Duration.seconds(10)
    private static let rest = Duration.seconds(5)
    /// More providers than any operator has; beyond it everything is fetched again.
    private static let capacity = 1024

    init(http: ProviderHTTP) { self.http = http }

    /// Where the provider's endpoints are.
    /// - Throws: ``ProviderFailure``.
    func metadata(of provider: OpenIDSettings, reach: ProviderHTTP.Reach, now: Timestamp) async throws -> Metadata {
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

    /// A provider's keys.
    /// - Parameters:
    ///   - source: where they come from.
    ///   - reach: which addresses may be connected to.
    ///   - now: the present.
    /// - Throws: ``ProviderFailure``.
    func keys(from source: KeySource, reach: ProviderHTTP.Reach, now: Timestamp) async throws -> JWKSet {
        if let kept = keys[source], now - kept.at < Self.lifetime { return kept.value }
        return try await fetchKeys(from: source, reach: reach, now: now)
    }

    /// The same, where those that are kept lack the key that is looked for: fetched again, unless another unknown key just had
    /// them fetched.
    /// - Parameter bearer: who brought what names the key.
    func newKeys(
        from source: KeySource, for bearer: ProviderKeys.Bearer, reach: ProviderHTTP.Reach, now: Timestamp
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
        if now - failed < Self.rest { throw ProviderFailure("it failed a moment ago", isRepetition: true) }
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

    /// The document that OpenID Connect Discovery §4 puts below the issuer.
    private nonisolated func fetchMetadata(
        of provider: OpenIDSettings, reach: ProviderHTTP.Reach
    ) async throws -> Metadata {
        let document = try await document(provider.issuer.openIDConfigurationURL, reach: reach)
        // §4.3: otherwise another issuer's tokens would be taken for this one's.
        guard document["issuer"]?.string == provider.issuer.rawValue else {
            // Nothing but an issuer's own form goes into a log and onto an operator's terminal.
            let named = document["issuer"]?.string.flatMap { try? Issuer($0) }
            throw ProviderFailure(
                "its discovery document names another issuer" + (named.map { ", \($0.rawValue)" } ?? ""))
        }
        guard let keysURL = document["jwks_uri"]?.string, Self.isUsable(keysURL, beside: provider.issuer) else {
            throw ProviderFailure("its discovery document has no usable jwks_uri")
        }
        let tokenEndpoint = document["token_endpoint"]?.string
        guard tokenEndpoint.map({ Self.isUsable($0, beside: provider.issuer) }) ?? true else {
            throw ProviderFailure("its discovery document has no usable token_endpoint")
        }
        return Metadata(
            tokenEndpoint: tokenEndpoint, keysURL: keysURL,
            // §3: what stands for a list that is left out.
            authenticationMethods: document["token_endpoint_auth_methods_supported"]?.strings
                ?? ["client_secret_basic"],
            // Only pages need it: apps that go there by themselves are not held up by a wrong one.
            authorizationEndpoint: document["authorization_endpoint"]?.string.flatMap {
                Self.isUsable($0, beside: provider.issuer) ? $0 : nil
            },
            challengeMethods: document["code_challenge_methods_supported"]?.strings,
            namesIssuer: document["authorization_response_iss_parameter_supported"] == .bool(true))
    }

    /// https, save where the issuer itself is a sandbox's on this machine.
    private static func isUsable(_ text: String, beside issuer: Issuer) -> Bool {
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
            throw ProviderFailure("\(url) answers \(answer.status) or no JSON")
        }
        return object
    }
}
