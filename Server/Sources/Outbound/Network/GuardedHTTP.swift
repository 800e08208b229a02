// Connections to hosts that others chose: resolution, permitted addresses, TLS and limits. The meaning of an answer is
// up to the caller.

internal import AsyncHTTPClient
internal import Core
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL

/// HTTP requests to hosts chosen by others.
///
/// The name is resolved once, its addresses are checked, and the connection goes to the first address that passed and
/// accepts one, so that a name which resolves differently a moment later has no effect. Redirects are returned, not
/// followed. The answer has limits of size and time, and TLS is verified for the name.
package struct GuardedHTTP: Sendable {
    package struct Request: Sendable {
        package var method: String
        /// An https URL, or http to this machine if the policy permits it.
        package var url: String
        package var headers: [(name: String, value: String)]
        /// Empty for none.
        package var body: [UInt8]

        package init(
            method: String = "GET", url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []
        ) {
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
        }
    }

    /// An answer with any status.
    package struct Answer: Sendable {
        package let status: Int
        package let headers: [(name: String, value: String)]
        package let body: [UInt8]

        /// The first value of a header; the name is compared without regard to case.
        package func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    package var policy: AddressPolicy
    package var trustRoots: TrustRoots
    /// In bytes.
    package var maximumBody: Int
    /// The limit from the resolution of the name to the last byte.
    package var timeout: Duration
    /// Whether requests share one connection by HTTP/2, if the other side speaks it.
    private let isMultiplexed: Bool
    private let resolver: HostResolver
    let clients: PinnedClients

    /// - Parameter policy: by default, public addresses only.
    package init(
        policy: AddressPolicy = AddressPolicy(), trustRoots: TrustRoots = .system, maximumBody: Int = 256 * 1024,
        timeout: Duration = .seconds(10), isMultiplexed: Bool = false, resolver: HostResolver = .system
    ) {
        self.init(
            policy: policy, trustRoots: trustRoots, maximumBody: maximumBody, timeout: timeout,
            isMultiplexed: isMultiplexed, resolver: resolver, clients: .shared)
    }

    init(
        policy: AddressPolicy, trustRoots: TrustRoots = .system, maximumBody: Int, timeout: Duration,
        isMultiplexed: Bool = false, resolver: HostResolver, clients: PinnedClients
    ) {
        self.policy = policy
        self.trustRoots = trustRoots
        self.maximumBody = maximumBody
        self.timeout = timeout
        self.isMultiplexed = isMultiplexed
        self.resolver = resolver
        self.clients = clients
    }

    /// Sends a request and reads the whole answer.
    /// - Returns: the answer with any status, redirects included.
    /// - Throws: ``OutboundFault``, or `CancellationError` if the task was cancelled.
    package func answer(to request: Request) async throws -> Answer {
        let target = try Target(request.url)
        let deadline = ContinuousClock.now + timeout
        // One watch over the whole, because each starts two tasks. The client's own deadline covers neither the
        // resolution nor the body, which could arrive arbitrarily slowly.
        return try await within(deadline) {
            let addresses = try await permittedAddresses(of: target)
            return try await exchange(request, with: target, at: addresses, until: deadline)
        }
    }

    /// Checks that a URL could be requested now: it is well formed, and its host has a permitted address.
    /// - Throws: ``OutboundFault``.
    package func examine(_ url: String) async throws {
        let target = try Target(url)
        _ = try await within(ContinuousClock.now + timeout) { try await permittedAddresses(of: target) }
    }

    /// The permitted addresses of the host, at least one. Other addresses are skipped instead of refusing the name, because
    /// a translating resolver (DNS64) adds one to every name. The server never connects to them.
    private func permittedAddresses(of target: Target) async throws -> [NetworkAddress] {
        let permitted = try await resolver.addresses(of: target.host).filter(policy.permits)
        guard !permitted.isEmpty else { throw OutboundFault.forbiddenAddress }
        let usable = permitted.filter { target.isSecure || $0.isLoopback }
        guard !usable.isEmpty else { throw OutboundFault.plainText }
        return usable
    }

    /// Sends the request to the first address that accepts a connection. A request that a connection may have carried is
    /// never sent again: the other side may have acted on it.
    private func exchange(
        _ request: Request, with target: Target, at addresses: [NetworkAddress], until deadline: ContinuousClock.Instant
    ) async throws -> Answer {
        // An address that swallows packets leaves time for two others, but a slow one gets three seconds.
        let connectTimeout = max(timeout / max(1, min(addresses.count, 3)), min(timeout, .seconds(3)))
        var fault = OutboundFault.unreachable
        for address in addresses {
            // A resolver or a failed connection may ignore that it came too late.
            try Task.checkCancellation()
            let purpose = PinnedClients.Purpose(
                host: target.host, port: target.port, address: address, trustRoots: trustRoots,
                connectTimeout: connectTimeout, isMultiplexed: isMultiplexed)
            do {
                return try await clients.withClient(for: purpose) { client in
                    try await send(request, to: target, by: client, within: deadline - .now)
                }
            } catch let failure as PinnedClients.ConnectionFailure {
                fault = failure.fault
            } catch {
                // There was a connection, so the error is not about reaching the address.
                if error is IOError { throw OutboundFault.broken }
                throw Self.fault(for: error)
            }
        }
        throw fault
    }

    private func send(
        _ request: Request, to target: Target, by client: HTTPClient, within remaining: Duration
    ) async throws -> Answer {
        var outgoing = HTTPClientRequest(url: target.url)
        outgoing.method = HTTPMethod(rawValue: request.method)
        for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
        if !request.body.isEmpty { outgoing.body = .bytes(ByteBuffer(bytes: request.body)) }
        let response = try await client.execute(
            outgoing, deadline: .now() + .nanoseconds(max(1, remaining.wholeMilliseconds) * 1_000_000))
        let body = try await response.body.collect(upTo: maximumBody)
        return Answer(
            status: Int(response.status.code), headers: response.headers.map { (name: $0.name, value: $0.value) },
            body: Array(body.readableBytesView))
    }

    /// The fault of a request; `CancellationError` if its task was cancelled.
    package static func fault(for error: any Error) -> any Error {
        switch error {
        case is CancellationError: error
        case is OutboundFault: error
        case is NIOTooManyBytesError: OutboundFault.tooLarge
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError: OutboundFault.untrusted
        case let error as HTTPClientError:
            switch error {
            case .deadlineExceeded, .connectTimeout, .readTimeout, .writeTimeout, .tlsHandshakeTimeout,
                .getConnectionFromPoolTimeout:
                OutboundFault.timeout
            case .cancelled: CancellationError()
            default: OutboundFault.broken
            }
        case is IOError: OutboundFault.unreachable
        default: OutboundFault.broken
        }
    }
}

extension GuardedHTTP {
    /// A parsed URL. A URL that two parsers could read differently is refused.
    private struct Target: Sendable {
        let url: String
        let host: String
        let port: Int
        let isSecure: Bool

        init(_ text: String) throws {
            let beginning = text.prefix(8).lowercased()
            guard beginning.hasPrefix("https://") || beginning.hasPrefix("http://") else {
                throw OutboundFault.foreignScheme
            }
            guard text.utf8.count <= 2048,
                text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") }),
                let components = URLComponents(string: text), let scheme = components.scheme?.lowercased(),
                scheme == "https" || scheme == "http", components.user == nil, components.password == nil,
                components.fragment == nil, let host = components.encodedHost?.lowercased(), Self.isHost(host),
                components.port.map({ (1...65535).contains($0) }) ?? true
            else { throw OutboundFault.unusableURL }
            var lowered = components
            lowered.encodedHost = host
            guard let url = lowered.string else { throw OutboundFault.unusableURL }
            self.url = url
            self.host = host
            isSecure = scheme == "https"
            port = components.port ?? (scheme == "https" ? 443 : 80)
        }

        /// A name of letters, digits, hyphens, underscores and dots, or an address literal; no escapes, no zone.
        private static func isHost(_ host: String) -> Bool {
            if host.hasPrefix("[") { return NetworkAddress(host) != nil }
            return (1...253).contains(host.utf8.count)
                && host.utf8.allSatisfy { byte in
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || byte == UInt8(ascii: "-")
                        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".")
                        || byte == UInt8(ascii: "_")
                }
        }
    }
}
