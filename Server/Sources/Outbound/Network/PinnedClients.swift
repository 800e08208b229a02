internal import AsyncHTTPClient
internal import Core
internal import NIOCore
internal import Synchronization

/// The clients behind ``GuardedHTTP``. Each connects to one checked address, so its open connections lead nowhere else
/// and consecutive requests share them. Otherwise each request would pay for a TLS handshake and for reading the
/// system's certificates.
final class PinnedClients: Sendable {
    struct Purpose: Hashable, Sendable {
        /// The host for `Host`, SNI and the verification of the certificate.
        var host: String
        var port: Int
        /// The checked address.
        var address: NetworkAddress
        var trustRoots: TrustRoots
        /// The limit for a connection with its TLS.
        var connectTimeout: Duration
        /// Whether requests share one connection by HTTP/2, if the other side speaks it.
        var isMultiplexed = false
    }

    /// No connection could be made, so nothing of the request was sent.
    struct ConnectionFailure: Error {
        let fault: OutboundFault
    }

    /// A client, with the number of requests that use it.
    private struct Entry {
        let client: HTTPClient
        let connections: ConnectionCount
        let madeAt: ContinuousClock.Instant
        var usedAt: ContinuousClock.Instant
        var requests = 0
    }

    private struct State {
        var entries: [Purpose: Entry] = [:]
        /// Clients that accept no further requests but still serve some.
        var leaving: [ObjectIdentifier: Entry] = [:]
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// One set for the process. It never ends, so its clients are never shut down.
    static let shared = PinnedClients(capacity: 64)

    /// Those of the receivers of webhooks: more receivers than places must not close the connections to providers.
    static let ofWebhooks = PinnedClients(capacity: 64)

    /// Shorter than the five seconds for which common servers keep idle connections, so that a request rarely meets a
    /// closing one.
    private static let idleConnection = Duration.seconds(4)
    /// A side that closes a connection of HTTP/2 says so first.
    private static let idleMultiplexed = Duration.seconds(60)
    /// A client keeps the trusted certificates in memory.
    private static let idleClient = Duration.seconds(60)
    /// With the library's limit of eight, all brands would wait for the slow answers to one of them. The number of
    /// concurrent sign-ins is limited elsewhere.
    private static let mostConnections = 1024
    /// A client reads the trusted certificates once. Renewed ones take effect within this time.
    private static let longestLife = Duration.seconds(3600)

    /// - Parameter capacity: the largest number of clients kept.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Lends the client of a purpose for the duration of `body`.
    /// - Throws: ``ConnectionFailure``, or the error of `body`.
    func withClient<Value: Sendable>(
        for purpose: Purpose, _ body: (HTTPClient) async throws -> Value
    ) async throws -> Value {
        let (client, connections) = borrow(purpose)
        defer { giveBack(client, purpose) }
        let mark = connections.mark
        do {
            return try await body(client)
        } catch {
            // The system gives the same errors for a connection that breaks, so the error alone does not tell.
            guard let fault = Self.connectionFault(error), connections.hadNone(since: mark) else {
                // All later requests would meet the same connection, which may be dead.
                if purpose.isMultiplexed { retire(client, purpose) }
                throw error
            }
            throw ConnectionFailure(fault: fault)
        }
    }

    /// The fault of an error that a connection which could not be made may have; `nil` for any other error. A certificate
    /// that is not trusted is such another error: something answered there.
    private static func connectionFault(_ error: any Error) -> OutboundFault? {
        switch error {
        case is IOError: return OutboundFault.unreachable
        case let error as HTTPClientError:
            let timeouts: [HTTPClientError] = [.connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout]
            return timeouts.contains(error) ? OutboundFault.timeout : nil
        default: return nil
        }
    }

    /// Gives later requests another client than a failed one, with a connection of its own. Those in progress keep theirs, and so does
    /// the purpose if it has another client by now.
    private func retire(_ client: HTTPClient, _ purpose: Purpose) {
        let unused = state.withLock { state -> HTTPClient? in
            guard state.entries[purpose]?.client === client, let entry = state.entries.removeValue(forKey: purpose)
            else { return nil }
            if entry.requests == 0 { return entry.client }
            state.leaving[ObjectIdentifier(entry.client)] = entry
            return nil
        }
        if let unused { Self.end(unused) }
    }

    private func borrow(_ purpose: Purpose) -> (HTTPClient, ConnectionCount) {
        let now = ContinuousClock.now
        let (client, connections, unused) = state.withLock { state -> (HTTPClient, ConnectionCount, [HTTPClient]) in
            var unused = Self.dropIdle(now, &state)
            if var entry = state.entries[purpose], now - entry.madeAt < Self.longestLife {
                entry.requests += 1
                entry.usedAt = now
                state.entries[purpose] = entry
                return (entry.client, entry.connections, unused)
            }
            if let replaced = Self.makeRoom(for: purpose, capacity, &state) { unused.append(replaced) }
            let connections = ConnectionCount()
            let client = Self.makeClient(for: purpose, connections)
            state.entries[purpose] = Entry(
                client: client, connections: connections, madeAt: now, usedAt: now, requests: 1)
            return (client, connections, unused)
        }
        unused.forEach(Self.end)
        return (client, connections)
    }

    /// Removes the clients that have been idle for a while.
    private static func dropIdle(_ now: ContinuousClock.Instant, _ state: inout State) -> [HTTPClient] {
        let idle = state.entries.filter { $0.value.requests == 0 && now - $0.value.usedAt > idleClient }
        for purpose in idle.keys { state.entries[purpose] = nil }
        return idle.values.map(\.client)
    }

    /// Removes the old client of the purpose or, if all places are taken, the least recently used client.
    /// - Returns: the removed client if it serves no request.
    private static func makeRoom(for purpose: Purpose, _ capacity: Int, _ state: inout State) -> HTTPClient? {
        let leaving =
            state.entries[purpose] != nil
            ? purpose
            : state.entries.count < capacity ? nil : state.entries.min { $0.value.usedAt < $1.value.usedAt }?.key
        guard let leaving, let entry = state.entries.removeValue(forKey: leaving) else { return nil }
        if entry.requests == 0 { return entry.client }
        state.leaving[ObjectIdentifier(entry.client)] = entry
        return nil
    }

    /// Ends a removed client after its last request.
    private func giveBack(_ client: HTTPClient, _ purpose: Purpose) {
        let id = ObjectIdentifier(client)
        let unused = state.withLock { state -> HTTPClient? in
            if state.entries[purpose]?.client === client {
                state.entries[purpose]?.requests -= 1
                state.entries[purpose]?.usedAt = .now
                return nil
            }
            state.leaving[id]?.requests -= 1
            guard state.leaving[id]?.requests == 0 else { return nil }
            return state.leaving.removeValue(forKey: id)?.client
        }
        if let unused { Self.end(unused) }
    }

    /// In its own task: a peer may take seconds to close its side, and no request should wait for that.
    private static func end(_ client: HTTPClient) {
        Task { try? await client.shutdown() }
    }

    private static func makeClient(for purpose: Purpose, _ connections: ConnectionCount) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: purpose.trustRoots.clientConfiguration, redirectConfiguration: .disallow)
        configuration.httpVersion = purpose.isMultiplexed ? .automatic : .http1Only
        // The name is for Host, SNI and the verification of the certificate; the connection goes to the checked
        // address.
        configuration.dnsOverride = [purpose.host: purpose.address.text]
        let idle = purpose.isMultiplexed ? idleMultiplexed : idleConnection
        configuration.connectionPool.idleTimeout = .seconds(idle.components.seconds)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = mostConnections
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.timeout.connect = .milliseconds(max(1, purpose.connectTimeout.wholeMilliseconds))
        // Called before a new connection gets its first request.
        let count: @Sendable (any Channel) -> EventLoopFuture<Void> = { channel in
            connections.add(channel)
            return channel.eventLoop.makeSucceededVoidFuture()
        }
        configuration.http1_1ConnectionDebugInitializer = count
        configuration.http2ConnectionDebugInitializer = { channel in
            connections.add(channel)
            return channel.pipeline.addHandler(BrokenConnection())
        }
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
}

/// Closes a connection of HTTP/2 on which an error occurs. When the other side breaks a rule, the library only tells it so, and the
/// requests on the connection would wait for their deadlines.
private final class BrokenConnection: ChannelInboundHandler, Sendable {
    typealias InboundIn = NIOAny

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Counts the connections of one client. A request during which there was none has certainly not been sent.
private final class ConnectionCount: Sendable {
    private struct State {
        var made = 0
        var open = 0
    }

    private let state = Mutex(State())

    func add(_ channel: any Channel) {
        state.withLock { state in
            state.made += 1
            state.open += 1
        }
        channel.closeFuture.whenComplete { _ in self.state.withLock { $0.open -= 1 } }
    }

    /// For ``hadNone(since:)``; `nil` while a connection is open.
    var mark: Int? { state.withLock { $0.open == 0 ? $0.made : nil } }

    /// Whether there has been no connection since the mark was taken.
    func hadNone(since mark: Int?) -> Bool { state.withLock { $0.made == mark } }
}
