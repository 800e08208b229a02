import NIOCore

/// A visitor's network: an IPv4 address, or the /64 of an IPv6 address. Some providers assign a customer a /56 or a /48
/// with many of them, so these are counted too.
struct VisitorNetwork: Hashable, Sendable {
    /// The address or its prefix in network byte order; empty if the connection has no address.
    let bytes: [UInt8]

    /// Creates the network of a peer.
    ///
    /// - Parameter address: the peer's address. Peers without one count as one network.
    init(_ address: SocketAddress?) {
        // By offset in `sockaddr_in` and `sockaddr_in6` (RFC 3493 §3.3, §3.4), because the C module that names the
        // fields depends on the platform.
        switch address {
        case .v4(let address): bytes = withUnsafeBytes(of: address.address) { Array($0[4..<8]) }
        case .v6(let address):
            let whole = withUnsafeBytes(of: address.address) { Array($0[8..<24]) }
            // A dual-stack listener reports IPv4 addresses as mapped ones, which all share one /64.
            bytes = whole.starts(with: Self.mapped) ? Array(whole.suffix(4)) : Array(whole.prefix(8))
        case .unixDomainSocket, nil: bytes = []
        }
    }

    /// The maximum number of open purchases per network, so that one visitor cannot block the shop for the others.
    static let openPurchaseLimit = 10

    /// The networks that contain the address, the smallest first, each with its limit of open purchases.
    var quotas: [(prefix: [UInt8], limit: Int)] {
        let limit = Self.openPurchaseLimit
        guard bytes.count == 8 else { return [(bytes, limit)] }
        return [(bytes, limit), (Array(bytes.prefix(7)), 2 * limit), (Array(bytes.prefix(6)), 4 * limit)]
    }

    /// The prefix of an IPv4 address mapped to IPv6 (RFC 4291 §2.5.5.2).
    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
}
