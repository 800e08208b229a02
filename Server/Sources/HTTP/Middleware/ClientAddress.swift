import Core
import HTTPTypes
import NIOCore
import Web

/// Finds the sender of a request that came through proxies.
///
/// Any client can write forwarding headers. Only those of configured proxies are read, from right to left, and the
/// first address that is not such a proxy is the client. Addresses written by the client itself are further left and
/// never reached.
struct ClientAddress: Sendable {
    let trustedProxies: [AddressRange]
    /// Whether the issuer is https while this listener uses plain HTTP. Then only proxies may connect.
    let endsTLSElsewhere: Bool

    func origin(of headers: HTTPFields, peer: SocketAddress?) -> ClientOrigin {
        let peer = peer.flatMap(NetworkAddress.init)
        guard !trustedProxies.isEmpty, let peer, isTrusted(peer) else {
            let isLocal = peer?.isLoopback == true
            let isProxied = isLocal && ProxyFields.appear(in: headers)
            return ClientOrigin(
                address: peer, arrivedInPlain: endsTLSElsewhere, isDirectLoopback: isLocal && !isProxied,
                isFromUnknownProxy: isProxied)
        }
        let scheme = Self.forwardedScheme(headers[values: .xForwardedProto].last ?? "")
        return ClientOrigin(
            address: client(behind: peer, headers[values: .xForwardedFor]),
            arrivedInPlain: scheme != nil && scheme != "https", isOfSilentProxy: scheme == nil,
            // A proxy on this machine that adds no header may be forwarding for anyone.
            isDirectLoopback: false, isFromUnknownProxy: false)
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

    /// The scheme that the nearest proxy adds, after those of the proxies before it.
    private static func forwardedScheme(_ value: String) -> String? {
        value.split { $0 == "," || $0 == " " || $0 == "\t" }.last?.lowercased()
    }
}

extension NetworkAddress {
    /// The address of a socket's peer; `nil` for a Unix socket, which has none.
    ///
    /// Reads it by its offset in `sockaddr_in` and `sockaddr_in6`: after family and port and, for IPv6, the flow (RFC
    /// 3493 §3.3, §3.4). The fields are not used by name, because several C modules declare them, and which one is
    /// visible varies between compilations.
    init?(_ address: SocketAddress) {
        switch address {
        case .v4(let address): self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[4..<8]) })
        case .v6(let address): self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[8..<24]) })
        case .unixDomainSocket: return nil
        }
    }
}
