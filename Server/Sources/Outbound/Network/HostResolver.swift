package import Core

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Resolves a host's name once for each connection, so that the connection goes to a checked address.
package struct HostResolver: Sendable {
    private let lookUp: @Sendable (String) async throws -> [NetworkAddress]

    /// For tests. `lookUp` returns the addresses of a name in the order in which to try them.
    package init(_ lookUp: @escaping @Sendable (_ host: String) async throws -> [NetworkAddress]) {
        self.lookUp = lookUp
    }

    package static let system = HostResolver { host in
        try await systemLookups.addresses(of: host)
    }

    private static let systemLookups = NameLookups { try systemAddresses(of: $0) }

    /// The same with threads of its own, for the receivers of webhooks: names without an answer among them must not keep sign-ins from
    /// looking up a provider.
    static let ofWebhooks = HostResolver { host in
        try await lookupsOfWebhooks.addresses(of: host)
    }

    private static let lookupsOfWebhooks = NameLookups { try systemAddresses(of: $0) }

    /// The addresses of a host; a literal is its own address.
    /// - Throws: ``OutboundFault/unresolved`` if the name has none.
    func addresses(of host: String) async throws -> [NetworkAddress] {
        if let literal = NetworkAddress(host) { return [literal] }
        let found = try await lookUp(host)
        guard !found.isEmpty else { throw OutboundFault.unresolved }
        return found
    }

    private static func systemAddresses(of host: String) throws -> [NetworkAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { throw OutboundFault.unresolved }
        defer { freeaddrinfo(list) }
        var found: [NetworkAddress] = []
        var entry = list
        while let current = entry, found.count < 16 {
            if let address = address(of: current.pointee), !found.contains(address) { found.append(address) }
            entry = current.pointee.ai_next
        }
        return found
    }

    private static func address(of entry: addrinfo) -> NetworkAddress? {
        guard let pointer = entry.ai_addr else { return nil }
        switch entry.ai_family {
        case AF_INET:
            return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin_addr) { NetworkAddress(bytes: Array($0)) }
            }
        case AF_INET6:
            return pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin6_addr) { NetworkAddress(bytes: Array($0)) }
            }
        default:
            return nil
        }
    }
}
