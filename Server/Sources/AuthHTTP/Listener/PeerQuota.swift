import AuthCore
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// The number of connections each peer holds open. Without a quota, one machine with many idle connections could
/// exhaust the limit for everyone.
final class PeerQuota: Sendable {
    private let limit: Int
    private let unlimited: [AddressRange]
    private let open = Mutex<[NetworkAddress: Int]>([:])

    /// - Parameters:
    ///   - limit: the most connections of one peer.
    ///   - unlimited: proxies, each of which serves many people.
    init(limit: Int, unlimited: [AddressRange]) {
        self.limit = limit
        self.unlimited = unlimited
    }

    /// Counts a connection until it closes. Closes it at once if its peer has too many.
    func count(_ channel: any Channel) {
        guard let address = channel.remoteAddress.flatMap(NetworkAddress.init),
            !unlimited.contains(where: { $0.contains(address) })
        else { return }
        // An IPv6 customer usually has a whole /64.
        let peer = address.network
        let isWithin = open.withLock { open in
            open[peer, default: 0] += 1
            return open[peer, default: 0] <= limit
        }
        channel.closeFuture.whenComplete { _ in
            self.open.withLock { open in
                guard let count = open[peer], count > 1 else {
                    open[peer] = nil
                    return
                }
                open[peer] = count - 1
            }
        }
        if !isWithin { channel.close(promise: nil) }
    }
}

/// A listener that applies the quota to each peer.
struct QuotaListener<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let quota: PeerQuota

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        base.setup(channel: channel, logger: logger).map { value in
            // Counted last: a listener must see a connection completely set up before it can be closed.
            quota.count(channel)
            return value
        }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
