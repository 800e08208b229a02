import NIOCore
import NIOHTTPTypes

/// Ends connections whose request body trickles in or never stops.
///
/// The idle timeout alone does not: one byte every few seconds keeps a connection busy for hours. A request that
/// arrives whole in one read costs nothing here, since the deadline is set only when a read ended in mid body.
final class RequestDeadline: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private let deadline: TimeAmount
    private let maxDiscardedBytes: Int
    private var isReadingBody = false
    private var bodyBytes = 0
    private var scheduled: Scheduled<Void>?

    /// - Parameters:
    ///   - deadline: how long a body may take from the end of the read that brought its head.
    ///   - maxDiscardedBytes: how much of a body that was refused as too large is read and thrown away, so that a client
    ///     which sends before it listens still hears the 413; beyond it the connection is closed.
    init(deadline: TimeAmount, maxDiscardedBytes: Int) {
        self.deadline = deadline
        self.maxDiscardedBytes = maxDiscardedBytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            isReadingBody = true
            bodyBytes = 0
        case .body(let part):
            bodyBytes += part.readableBytes
            if bodyBytes > maxDiscardedBytes {
                context.close(promise: nil)
                return
            }
        case .end:
            isReadingBody = false
            scheduled?.cancel()
            scheduled = nil
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if isReadingBody, scheduled == nil {
            let channel = context.channel
            scheduled = context.eventLoop.scheduleTask(in: deadline) { channel.close(promise: nil) }
        }
        context.fireChannelReadComplete()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        scheduled?.cancel()
        scheduled = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        scheduled?.cancel()
        scheduled = nil
        context.fireChannelInactive()
    }
}

@available(*, unavailable)
extension RequestDeadline: Sendable {}
