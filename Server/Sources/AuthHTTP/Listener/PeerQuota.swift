import AuthCore
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// How many connections one peer holds open. Without it a single machine that opens connections and says nothing takes
/// the places of everybody else.
final class PeerQuota: Sendable {
    private let limit: Int
    private let unlimited: [AddressRange]
    private let open = Mutex<[NetworkAddress: Int]>([:])

    /// - Parameters:
    ///   - limit: the most connections of one peer.
    ///   - unlimited: proxies, behind which many people stand.
    init(limit: Int, unlimited: [AddressRange]) {
        self.limit = limit
        self.unlimited = unlimited
    }

    /// Counts a connection until it closes; closes it when its peer has too many.
    func count(_ channel: any Channel) {
        guard let address = channel.remoteAddress.flatMap(NetworkAddress.init),
            !unlimited.contains(where: { $0.contains(address) })
        else { return }
        // One customer of a network has a whole /64 of IPv6 addresses.
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

/// A listener that holds each peer to its quota.
struct QuotaListener<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let quota: PeerQuota

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        base.setup(channel: channel, logger: logger).map { value in
            // Only now: a listener must see its connection whole before it may go.
            quota.count(channel)
            return value
        }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}
