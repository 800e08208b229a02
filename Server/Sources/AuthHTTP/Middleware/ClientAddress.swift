import AuthCore
import HTTPTypes
import NIOCore

/// Finds who sent a request when proxies stand between.
///
/// Forwarding headers are claims of whoever wrote them. They are read only from configured proxies, from the right, and
/// the first address that is not such a proxy is the client: what a client writes itself stands further left and is
/// never reached.
struct ClientAddress: Sendable {
    let trustedProxies: [AddressRange]
    /// Whether the issuer is https while this listener speaks plain HTTP: then only proxies may come to it.
    let endsTLSElsewhere: Bool

    /// What the network says about one request.
    struct Origin: Sendable {
        /// The client's address; `nil` when the peer is a Unix socket or a proxy's header is unreadable.
        var address: NetworkAddress?
        /// Whether the client spoke plain HTTP: to the proxy in between, which says so, or to this listener past it.
        var arrivedInPlain: Bool
        /// Whether the request came straight from this machine, through no proxy.
        var isDirectLoopback: Bool
    }

    func origin(of headers: HTTPFields, peer: SocketAddress?) -> Origin {
        let peer = peer.flatMap(NetworkAddress.init)
        let forwarded = headers.contains(.xForwardedFor) || headers.contains(.forwarded)
        let direct = Origin(
            address: peer, arrivedInPlain: endsTLSElsewhere,
            isDirectLoopback: peer?.isLoopback == true && !forwarded)
        guard !trustedProxies.isEmpty, let peer, isTrusted(peer) else { return direct }
        return Origin(
            address: client(behind: peer, headers[values: .xForwardedFor]),
            arrivedInPlain: headers[values: .xForwardedProto].last.map(Self.saysPlain) ?? false,
            // A proxy on this machine that adds no header speaks for anybody.
            isDirectLoopback: false)
    }

    private func client(behind proxy: NetworkAddress, _ values: [String]) -> NetworkAddress? {
        var client = proxy
        for value in values.reversed() {
            for hop in value.split(separator: ",").reversed() {
                guard let address = Self.address(of: hop) else { return nil }
                client = address
                if !isTrusted(address) { return address }
            }
        }
        return client
    }

    private func isTrusted(_ address: NetworkAddress) -> Bool {
        trustedProxies.contains { $0.contains(address) }
    }

    /// Some proxies append the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
    private static func address(of hop: Substring) -> NetworkAddress? {
        let hop = hop.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        if let address = NetworkAddress(hop) { return address }
        guard let colon = hop.lastIndex(of: ":"), hop[hop.index(after: colon)...].allSatisfy(\.isNumber) else {
            return nil
        }
        return NetworkAddress(hop[..<colon])
    }

    private static func saysPlain(_ value: String) -> Bool {
        let last = value.split(separator: ",").last.map { $0.drop { $0 == " " } } ?? ""
        return last.lowercased() == "http"
    }
}
