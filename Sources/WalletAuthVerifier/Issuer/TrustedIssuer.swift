public import WalletAuthWire

/// The authorization server as a backend knows it: its metadata and its public keys, fetched when they are needed, kept,
/// and refreshed behind the requests that use them. Make one per process and share it.
///
/// - Keys are good for as long as the server's `Cache-Control` says, within ``Settings``; when four fifths of that are
///   over they are refreshed while requests go on with those at hand. One fetch runs at a time, however many wait for it.
/// - A token by a key that is not known leads to one fetch, and to no other for ``Settings/unknownKeyInterval``: that is
///   how a roll-over is noticed, and how little somebody can do who invents keys.
/// - While the server cannot be reached the keys at hand stay good for ``Settings/outageTolerance`` beyond their time.
///   Attempts go on meanwhile, at most one a second, then ever fewer down to one in thirty.
/// - A key that the server withdraws is gone with the next fetch, and with it all that was verified by it. One that withdraws
///   all of them is no server out of reach: nobody is let in, with ``IssuerUnavailable``, until it publishes another.
///
/// The issuer is compared to the letter, in its metadata and in tokens; keys come from its `jwks_uri` by https (http
/// where the issuer is itself on loopback), never from where a token says.
public final class TrustedIssuer: Sendable {
    /// How long things are good for.
    public struct Settings: Hashable, Sendable {
        /// The keys' life where the server names none.
        public var keyLifetime: Duration
        /// A shorter life than this is taken for this: no server can have every request lead to a fetch.
        public var shortestKeyLifetime: Duration
        /// A longer life than this is taken for this: so late at most is the withdrawal of a key noticed.
        public var longestKeyLifetime: Duration
        /// How long beyond their life the keys are used while the server cannot be reached.
        public var outageTolerance: Duration
        /// How much time lies between two fetches that unknown keys lead to.
        public var unknownKeyInterval: Duration
        /// How long one request to the server may take.
        public var requestTimeout: Duration

        /// Sets what differs from the usual. Each parameter sets the property of the same name.
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
        var book = KeyBook()
        var fetch: Task<Void, Never>?
    }

    /// The issuer, to the letter.
    public let issuer: Issuer

    let transport: any BackendTransport
    let clock: any BackendClock
    let settings: Settings
    private let documents: IssuerDocuments
    private let state = Locked(State())

    /// Trusts a server. Nothing is fetched yet; ``prepare()`` does that at start.
    /// - Parameters:
    ///   - issuer: the server's issuer identifier.
    ///   - settings: how long things are good for.
    ///   - transport: reaches the server.
    ///   - clock: tells the time.
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

    /// Fetches the keys unless they are there: worth calling while a backend starts, so that its first request waits for
    /// nothing, and as a check of readiness.
    /// - Throws: ``IssuerUnavailable`` where there are no keys that may be used.
    public func prepare() async throws(IssuerUnavailable) { _ = try await keys(for: nil) }

    /// The keys by which a token is to be verified.
    /// - Parameter keyID: the `kid` of the token; one that is not known may lead to a fetch.
    func keys(for keyID: String?) async throws(IssuerUnavailable) -> KeyBook.Keys {
        let awaited = state.withLock { state -> Task<Void, Never>? in
            let need = state.book.need(of: keyID, now: clock.uptime(), settings: settings)
            guard need != .nothing else { return nil }
            let fetch = state.fetch ?? begin(&state)
            return need == .toWait ? fetch : nil
        }
        await awaited?.value
        return try state.withLock { state throws(IssuerUnavailable) in
            guard let keys = state.book.usable(at: clock.uptime(), settings) else { throw state.book.unavailable }
            return keys
        }
    }

    /// Where the server's tokens come from.
    func tokenEndpoint() async throws(IssuerUnavailable) -> WebURL {
        do {
            guard let url = try await documents.metadata().tokenEndpoint else {
                throw IssuerUnavailable(reason: "the metadata names no token endpoint")
            }
            return url
        } catch { throw IssuerUnavailable(error) }
    }

    /// Begins the one fetch that runs. Its task does not outlast its deadline, so whoever waits for it waits no longer.
    private func begin(_ state: inout State) -> Task<Void, Never> {
        state.book.begin(at: clock.uptime())
        let fetch = Task { [self] in
            let outcome: Result<IssuerDocuments.KeyDocument, IssuerUnavailable>
            do { outcome = .success(try await documents.keys()) } catch { outcome = .failure(IssuerUnavailable(error)) }
            self.state.withLock { state in
                state.fetch = nil
                state.book.end(outcome, at: clock.uptime())
            }
        }
        state.fetch = fetch
        return fetch
    }
}

/// The authorization server cannot be reached, or does not answer as it should, and nothing at hand will do instead.
public struct IssuerUnavailable: Error, Hashable, Sendable {
    /// For whoever looks for the cause.
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
