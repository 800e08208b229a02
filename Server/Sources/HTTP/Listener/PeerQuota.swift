import Core
import NIOCore
import Synchronization

/// The places that each peer holds: one for each connection, and over HTTP/2 one for each concurrent request beyond the
/// first. Without a quota, one machine with many idle connections could exhaust the limit for everyone.
final class PeerQuota: Sendable {
    private let limit: Int
    private let unlimited: [AddressRange]
    private let taken = Mutex<[CountedNetwork: Int]>([:])

    /// The places of each home that its neighbors cannot take.
    private static let placesOfHome = 4

    /// - Parameters:
    ///   - limit: the most places of one peer.
    ///   - unlimited: proxies, each of which serves many people.
    init(limit: Int, unlimited: [AddressRange]) {
        self.limit = limit
        self.unlimited = unlimited
    }

    /// The networks in which a connection holds places; none for an unlimited peer.
    func networks(of channel: any Channel) -> [CountedNetwork] {
        guard let address = channel.remoteAddress.flatMap(NetworkAddress.init),
            !unlimited.contains(where: { $0.contains(address) })
        else { return [] }
        return address.countedNetworks
    }

    /// Takes a place in each of the networks, or in none.
    /// - Returns: whether there was one in the subnet, and in the home or the site.
    func take(in networks: [CountedNetwork]) -> Bool {
        taken.withLock { taken in
            let full = networks.filter { taken[$0, default: 0] >= $0.limit(subnet: limit, home: Self.placesOfHome) }
                .map(\.extent)
            guard !full.contains(.subnet), !(full.contains(.home) && full.contains(.site)) else { return false }
            for network in networks { taken[network, default: 0] += 1 }
            return true
        }
    }

    func give(to networks: [CountedNetwork]) {
        taken.withLock { taken in
            for network in networks {
                let left = taken[network, default: 1] - 1
                taken[network] = left > 0 ? left : nil
            }
        }
    }
}
