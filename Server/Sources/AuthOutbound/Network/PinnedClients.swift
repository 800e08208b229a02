internal import AsyncHTTPClient
internal import AuthCore
internal import NIOCore
internal import Synchronization

/// The clients behind ``GuardedHTTP``. Each connects to one checked address, so its open connections lead nowhere else
/// and consecutive requests share them. Otherwise each request would pay for a TLS handshake and for reading the
/// system's certificates.
final class PinnedClients: Sendable {
    struct Purpose: Hashable, Sendable {
        /// The host for `Host`, SNI and the verification of the certificate.
        var host: String
        /// The checked address.
        var address: NetworkAddress
        var trustRoots: TrustRoots
    }

    /// A client, with the number of requests that use it.
    private struct Entry {
        let client: HTTPClient
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

    /// Shorter than the five seconds for which common servers keep idle connections, so that a request rarely meets a
    /// closing one.
    private static let idleConnection = Duration.seconds(4)
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
    func withClient<Value: Sendable>(
        for purpose: Purpose, _ body: (HTTPClient) async throws -> Value
    ) async throws -> Value {
        let client = borrow(purpose)
        defer { giveBack(client, purpose) }
        return try await body(client)
    }

    private func borrow(_ purpose: Purpose) -> HTTPClient {
        let now = ContinuousClock.now
        let (client, unused) = state.withLock { state -> (HTTPClient, [HTTPClient]) in
            var unused = Self.dropIdle(now, &state)
            if var entry = state.entries[purpose], now - entry.madeAt < Self.longestLife {
                entry.requests += 1
                entry.usedAt = now
                state.entries[purpose] = entry
                return (entry.client, unused)
            }
            if let replaced = Self.makeRoom(for: purpose, capacity, &state) { unused.append(replaced) }
            let client = Self.makeClient(for: purpose)
            state.entries[purpose] = Entry(client: client, madeAt: now, usedAt: now, requests: 1)
            return (client, unused)
        }
        unused.forEach(Self.end)
        return client
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

    private static func makeClient(for purpose: Purpose) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: purpose.trustRoots.clientConfiguration, redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        // The name is for Host, SNI and the verification of the certificate; the connection goes to the checked
        // address.
        configuration.dnsOverride = [purpose.host: purpose.address.text]
        configuration.connectionPool.idleTimeout = .seconds(idleConnection.components.seconds)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = mostConnections
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
}
