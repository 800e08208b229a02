import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Ends connections whose request body trickles in, never stops, or was answered before it had ended.
///
/// The idle timeout alone does not: one byte every few seconds keeps a connection busy for hours. A request that
/// arrives whole in one read costs nothing here, since the deadline is set only when a read ended in mid body.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let deadline: TimeAmount
    private let maxBodyBytes: Int
    private var isReadingBody = false
    /// The request was refused before its body had ended: the connection ends with the body.
    private var isLeaving = false
    private var bodyBytes = 0
    private var scheduled: Scheduled<Void>?

    /// - Parameters:
    ///   - deadline: how long a body may take from the end of the read that brought its head.
    ///   - maxBodyBytes: how much of a body is read at all. More than an endpoint takes, so that a client which sends
    ///     before it listens still hears the 413; beyond it the connection is closed.
    init(deadline: TimeAmount, maxBodyBytes: Int) {
        self.deadline = deadline
        self.maxBodyBytes = maxBodyBytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            isReadingBody = true
            bodyBytes = 0
        case .body(let part):
            bodyBytes += part.readableBytes
            if bodyBytes > maxBodyBytes {
                context.close(promise: nil)
                return
            }
        case .end:
            isReadingBody = false
            scheduled?.cancel()
            scheduled = nil
            if isLeaving {
                context.flush()
                context.close(promise: nil)
                return
            }
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

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isReadingBody else {
            context.write(data, promise: promise)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head):
            // HTTP/2 has no such field: there the stream ends, which is a channel within the connection's channel.
            if context.channel.parent?.parent == nil { head.headerFields[.connection] = "close" }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            isLeaving = true
            context.write(data, promise: promise)
        }
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
extension ConnectionGuard: Sendable {}
