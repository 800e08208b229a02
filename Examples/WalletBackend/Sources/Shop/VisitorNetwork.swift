import NIOCore

/// A visitor's network: an IPv4 address, or the /64 of an IPv6 address. Providers give a customer a /56 or a /48 as well, which has
/// many of them, so that those are counted too.
struct VisitorNetwork: Hashable, Sendable {
    /// The address or its prefix in network byte order; empty where the connection has no address.
    let bytes: [UInt8]

    /// - Parameter address: the other end of the connection; those without an address count as one network.
    init(_ address: SocketAddress?) {
        // By offset in `sockaddr_in` and `sockaddr_in6` (RFC 3493 §3.3, §3.4): the C module that names the fields
        // depends on the platform.
        switch address {
        case .v4(let address): bytes = withUnsafeBytes(of: address.address) { Array($0[4..<8]) }
        case .v6(let address):
            let whole = withUnsafeBytes(of: address.address) { Array($0[8..<24]) }
            // A listener for both protocols reports IPv4 addresses as mapped ones, all of which share one /64.
            bytes = whole.starts(with: Self.mapped) ? Array(whole.suffix(4)) : Array(whole.prefix(8))
        case .unixDomainSocket, nil: bytes = []
        }
    }

    /// How many open purchases may come from one network, so that one visitor cannot close the shop to the others.
    static let openPurchaseLimit = 10

    /// The networks that it is in, the smallest first, each with how many open purchases it may have.
    var quotas: [(prefix: [UInt8], limit: Int)] {
        let limit = Self.openPurchaseLimit
        guard bytes.count == 8 else { return [(bytes, limit)] }
        return [(bytes, limit), (Array(bytes.prefix(7)), 2 * limit), (Array(bytes.prefix(6)), 4 * limit)]
    }

    /// What an IPv4 address begins with as an IPv6 address (RFC 4291 §2.5.5.2).
    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
}
