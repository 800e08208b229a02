import Core
import HummingbirdCore
import Logging
import NIOCore
import NIOSSL
import NIOTLS

/// What one connection may hold: places of its peer's quota, and time.
///
/// The idle timeout of Hummingbird ends a connection that waits for a request. Two kinds of connections would outlive
/// it, for as long as the process runs:
///
/// - one with requests whose answers the client does not read. As soon as the buffers are full, the server cannot
///   finish the requests, and a connection with open requests is not idle;
/// - one of HTTP/2 without requests, whose client does not confirm that it ends.
final class ConnectionLimits: ChannelInboundHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny

    private let quota: PeerQuota
    private let networks: [CountedNetwork]
    private let idleTimeout: TimeAmount
    private var holdsPlace = false
    /// The open streams of an HTTP/2 connection.
    private var streams = 0
    /// When the last stream closed.
    private var unusedSince = NIODeadline.uptimeNanoseconds(0)
    /// Closes the connection unless the client reads.
    private var unreadTimeout: Scheduled<Void>?
    /// Closes an HTTP/2 connection without requests.
    private var unusedTimeout: Scheduled<Void>?

    /// - Parameters:
    ///   - networks: where the connection holds its places.
    ///   - idleTimeout: the longest that a client may leave everything unread.
    init(quota: PeerQuota, networks: [CountedNetwork], idleTimeout: TimeAmount) {
        self.quota = quota
        self.networks = networks
        self.idleTimeout = idleTimeout
    }

    func handlerAdded(context: ChannelHandlerContext) {
        holdsPlace = quota.take(in: networks)
        if !holdsPlace { context.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        unreadTimeout?.cancel()
        unusedTimeout?.cancel()
        if holdsPlace { quota.give(to: networks) }
    }

    /// A connection is writable again when the client has read most of what waited for it. A slow reader gets there,
    /// and a request that takes long leaves the connection writable.
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            unreadTimeout?.cancel()
            unreadTimeout = nil
        } else if unreadTimeout == nil {
            unreadTimeout = context.eventLoop.assumeIsolated().scheduleTask(in: idleTimeout) {
                context.close(promise: nil)
            }
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent, negotiated == "h2" {
            unusedSince = context.eventLoop.now
            closeIfUnused(context, in: 2 * idleTimeout)
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// One timer for the whole connection, so that requests need none. Twice the idle timeout: after the first,
    /// Hummingbird announces the end and closes when the client confirms.
    private func closeIfUnused(_ context: ChannelHandlerContext, in delay: TimeAmount) {
        unusedTimeout = context.eventLoop.assumeIsolated().scheduleTask(in: delay) {
            let since = self.streams > 0 ? context.eventLoop.now : self.unusedSince
            let rest = since + 2 * self.idleTimeout - context.eventLoop.now
            if rest > .zero {
                self.closeIfUnused(context, in: rest)
            } else {
                context.close(promise: nil)
            }
        }
    }

    /// Counts a new stream. The first one has the connection's own place.
    /// - Returns: false if the peer has no place for another.
    func openStream() -> Bool {
        guard streams == 0 || quota.take(in: networks) else { return false }
        streams += 1
        return true
    }

    func closeStream(at now: NIODeadline) {
        streams -= 1
        unusedSince = now
        if streams > 0 { quota.give(to: networks) }
    }
}

/// A listener whose connections have limits.
struct LimitedListener<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let quota: PeerQuota
    let idleTimeout: TimeAmount

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        // Last: a listener must see a connection completely set up before it can be closed.
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let limits = ConnectionLimits(
                quota: quota, networks: quota.networks(of: channel), idleTimeout: idleTimeout)
            let operations = channel.pipeline.syncOperations
            // Behind TLS, to learn which protocol was negotiated.
            if let tls = try? operations.handler(type: NIOSSLServerHandler.self) {
                try operations.addHandler(limits, position: .after(tls))
            } else {
                try operations.addHandler(limits, position: .first)
            }
            return value
        }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

@available(*, unavailable)
extension ConnectionLimits: Sendable {}
