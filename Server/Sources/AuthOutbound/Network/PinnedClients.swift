internal import AsyncHTTPClient
internal import AuthCore
internal import NIOCore
internal import Synchronization

/// The clients behind ``GuardedHTTP``. Each connects to one address that was checked, so a connection that it keeps open leads
/// nowhere else, and requests that follow one another share it. Without that, each request would pay for a TLS handshake and for
/// reading the system's certificates.
final class PinnedClients: Sendable {
    /// What a client is made for.
    struct Purpose: Hashable, Sendable {
        /// The host that `Host`, SNI and the check of the certificate name.
        var host: String
        /// The address that was checked.
        var address: NetworkAddress
        /// The certificates to trust.
        var trustRoots: TrustRoots
    }

    /// A client, and the requests that use it.
    private struct Entry {
        let client: HTTPClient
        let madeAt: ContinuousClock.Instant
        var usedAt: ContinuousClock.Instant
        var requests = 0
    }

    private struct State {
        var entries: [Purpose: Entry] = [:]
        /// Clients that take no further request, with those that they still serve.
        var leaving: [ObjectIdentifier: Entry] = [:]
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// One set for the process. It never ends, so it never has to shut its clients down.
    static let shared = PinnedClients(capacity: 64)

    /// Shorter than the five seconds for which common servers keep an idle connection: a request rarely meets one that is just being
    /// closed.
    private static let idleConnection = Duration.seconds(4)
    /// A client keeps the certificates that it read in memory.
    private static let idleClient = Duration.seconds(60)
    /// The library's limit of eight would have every brand wait for the slow answers to another one. How many sign-ins are under way
    /// is bounded elsewhere.
    private static let mostConnections = 1024
    /// A client reads the trusted certificates once. Renewed ones count within this time.
    private static let longestLife = Duration.seconds(3600)

    /// - Parameter capacity: how many clients are kept.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Lends the client for a purpose.
    /// - Parameters:
    ///   - purpose: where the requests go.
    ///   - body: sends the requests.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws.
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

    /// Takes out the clients that serve no request and have not for a while.
    private static func dropIdle(_ now: ContinuousClock.Instant, _ state: inout State) -> [HTTPClient] {
        let idle = state.entries.filter { $0.value.requests == 0 && now - $0.value.usedAt > idleClient }
        for purpose in idle.keys { state.entries[purpose] = nil }
        return idle.values.map(\.client)
    }

    /// Takes out the old client of a purpose or, where all places are taken, the one that was used the longest time ago.
    /// - Returns: that client where it serves no request.
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

    /// Ends the client where this was the last request of one that has to leave.
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

    /// In a task of its own: a peer may take seconds to close its side, and no request has to wait for that.
    private static func end(_ client: HTTPClient) {
        Task { try? await client.shutdown() }
    }

    private static func makeClient(for purpose: Purpose) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: purpose.trustRoots.clientConfiguration, redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        // The name goes into Host, SNI and the check of the certificate; the connection goes to what was checked.
        configuration.dnsOverride = [purpose.host: purpose.address.text]
        configuration.connectionPool.idleTimeout = .seconds(idleConnection.components.seconds)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = mostConnections
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
}
