internal import WalletAuthTransport
public import WalletAuthWire

/// The authorization server that a backend trusts. It fetches the server's metadata and public keys on demand, caches
/// them, and refreshes them in the background. Create one per process and share it.
///
/// - Keys are cached for as long as the server's `Cache-Control` says, within the limits of ``Settings``. After four
///   fifths of that time they are refreshed while requests continue with the cached keys. Only one fetch runs at a
///   time; concurrent requests share it.
/// - A token with an unknown key id starts one fetch, and no other for ``Settings/unknownKeyInterval``. This notices a
///   key rotation and limits the cost of made-up key ids.
/// - If the server cannot be reached, the cached keys stay valid for ``Settings/outageTolerance`` beyond their
///   lifetime. Fetches are retried at most once a second, then less often, down to once in thirty seconds.
/// - A key that the server withdraws is dropped at the next fetch, along with everything it verified. A server that
///   withdraws all its keys is not unreachable: every request is refused with ``IssuerUnavailable`` until it publishes
///   a new one.
///
/// The issuer must match exactly, in the metadata and in tokens. Keys come from the metadata's `jwks_uri` over https
/// (http if the issuer itself is on loopback), never from a location in a token.
public final class TrustedIssuer: Sendable {
    /// Lifetimes and intervals.
    public struct Settings: Hashable, Sendable {
        /// The lifetime of keys if the server sets none.
        public var keyLifetime: Duration
        /// The minimum lifetime of keys, so that no server can make every request start a fetch.
        public var shortestKeyLifetime: Duration
        /// The maximum lifetime of keys. The withdrawal of a key is noticed after at most this time.
        public var longestKeyLifetime: Duration
        /// How long to use expired keys while the server cannot be reached.
        public var outageTolerance: Duration
        /// The minimum time between two fetches for unknown key ids.
        public var unknownKeyInterval: Duration
        /// The time limit of one request to the server.
        public var requestTimeout: Duration

        /// Creates settings. Each parameter sets the property of the same name.
        public init(
            keyLifetime: Duration = .seconds(300), shortestKeyLifetime: Duration = .seconds(60),
            longestKeyLifetime: Duration = .seconds(3600), outageTolerance: Duration = .seconds(86_400),
            unknownKeyInterval: Duration = .seconds(30), requestTimeout: Duration = .seconds(5)
        ) {
            self.keyLifetime = keyLifetime
            self.shortestKeyLifetime = shortestKeyLifetime
            self.longestKeyLifetime = longestKeyLifetime
            self.outageTolerance = outageTolerance
            self.unknownKeyInterval = unknownKeyInterval
            self.requestTimeout = requestTimeout
        }
    }

    private struct State {
        var cache = JWKSCache()
        var fetch: Task<Void, Never>?
    }

    /// The issuer identifier, compared exactly.
    public let issuer: Issuer

    let transport: any BackendTransport
    let clock: any BackendClock
    let settings: Settings
    private let documents: IssuerDocuments
    private let state = LockedValue(State())

    /// Creates a trusted issuer. Nothing is fetched yet; call ``prepare()`` at startup for that.
    ///
    /// - Parameters:
    ///   - issuer: the server's issuer identifier.
    ///   - settings: lifetimes and intervals.
    ///   - transport: sends requests to the server.
    ///   - clock: the source of time.
    public init(
        _ issuer: Issuer, settings: Settings = Settings(), transport: any BackendTransport = FoundationTransport(),
        clock: any BackendClock = SystemBackendClock()
    ) {
        self.issuer = issuer
        self.settings = settings
        self.transport = transport
        self.clock = clock
        documents = IssuerDocuments(issuer: issuer, settings: settings, transport: transport, clock: clock)
    }

    /// Fetches the keys if there are none. Call it at startup so that the first request does not wait, or as a
    /// readiness check.
    ///
    /// - Throws: ``IssuerUnavailable`` if there are no usable keys.
    public func prepare() async throws(IssuerUnavailable) { _ = try await keys(for: nil) }

    /// The keys to verify a token with.
    ///
    /// - Parameter keyID: the token's `kid`. An unknown one may start a fetch.
    func keys(for keyID: String?) async throws(IssuerUnavailable) -> JWKSCache.Keys {
        let awaited = state.withLock { state -> Task<Void, Never>? in
            let need = state.cache.need(of: keyID, now: clock.uptime(), settings: settings)
            guard need != .nothing else { return nil }
            let fetch = state.fetch ?? begin(&state)
            return need == .wait ? fetch : nil
        }
        await awaited?.value
        return try state.withLock { state throws(IssuerUnavailable) in
            guard let keys = state.cache.usable(at: clock.uptime(), settings) else { throw state.cache.unavailable }
            return keys
        }
    }

    /// The URL of the server's token endpoint.
    func tokenEndpoint() async throws(IssuerUnavailable) -> WebURL {
        do {
            guard let url = try await documents.metadata().tokenEndpoint else {
                throw IssuerUnavailable(reason: "the metadata names no token endpoint")
            }
            return url
        } catch { throw IssuerUnavailable(error) }
    }

    /// Starts the fetch. The task ends by its deadline, so no caller waits longer than that.
    private func begin(_ state: inout State) -> Task<Void, Never> {
        state.cache.begin(at: clock.uptime())
        let fetch = Task { [self] in
            let outcome: Result<IssuerDocuments.KeyDocument, IssuerUnavailable>
            do { outcome = .success(try await documents.keys()) } catch { outcome = .failure(IssuerUnavailable(error)) }
            self.state.withLock { state in
                state.fetch = nil
                state.cache.end(outcome, at: clock.uptime())
            }
        }
        state.fetch = fetch
        return fetch
    }
}

/// The authorization server cannot be reached or its answer is invalid, and there is no cached copy to use.
public struct IssuerUnavailable: Error, Hashable, Sendable {
    /// Diagnostic text for developers.
    public let reason: String

    init(reason: String) { self.reason = reason }

    init(_ error: any Error) {
        switch error {
        case let error as IssuerUnavailable: self = error
        case let error as OutboundFailure: reason = error.reason
        case let error as MalformedValue: reason = error.description
        case let error as JOSEError: reason = "\(error)"
        default: reason = "\(type(of: error))"
        }
    }
}

extension IssuerUnavailable: CustomStringConvertible {
    /// The reason.
    public var description: String { reason.asServerWords }
}
