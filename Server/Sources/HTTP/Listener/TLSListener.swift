import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import NIOTLS

/// HTTP/2 and HTTP/1.1 over TLS, with a time limit for the handshake. Every other timeout starts after the handshake,
/// so without this one a silent connection would stay open forever.
///
/// This folder owns connections until they become requests: TLS, limits and `Host`. It does not know routes or callers.
struct TLSListener: ServerChildChannel {
    private let base: HTTP2UpgradeChannel
    private let handshakeDeadline: TimeAmount

    init(base: HTTP2UpgradeChannel, handshakeDeadline: TimeAmount) {
        self.base = base
        self.handshakeDeadline = handshakeDeadline
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP2UpgradeChannel.Value> {
        let deadline = handshakeDeadline
        return base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let operations = channel.pipeline.syncOperations
            let tls = try operations.handler(type: NIOSSLServerHandler.self)
            try operations.addHandler(HandshakeDeadline(deadline: deadline), position: .after(tls))
            return value
        }
    }

    func handle(value: HTTP2UpgradeChannel.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

/// Closes a connection whose TLS handshake takes too long. Afterwards it does nothing.
private final class HandshakeDeadline: ChannelInboundHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny

    private let deadline: TimeAmount
    private var scheduled: Scheduled<Void>?

    init(deadline: TimeAmount) {
        self.deadline = deadline
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        scheduled = context.eventLoop.scheduleTask(in: deadline) { channel.close(promise: nil) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        scheduled?.cancel()
        scheduled = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent {
            scheduled?.cancel()
            scheduled = nil
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        scheduled?.cancel()
        scheduled = nil
        context.fireChannelInactive()
    }
}

@available(*, unavailable)
extension HandshakeDeadline: Sendable {}
