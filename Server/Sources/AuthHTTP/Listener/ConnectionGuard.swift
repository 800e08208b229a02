import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Ends connections whose request body trickles in, never stops, or was answered before it had ended.
///
/// The idle timeout alone does not: one byte every few seconds keeps a connection busy for hours. A request that
/// arrives whole in one read costs nothing here, since the deadline is set only when a read ended in mid body.
///
/// A client may send its next request before it has the answer to the last one (RFC 9112 §9.3.2). The request that is
/// being read and the one that is being answered are then two, which counting both tells apart.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// How far the connection has come on its way to its end.
    private enum Parting {
        /// It serves further requests.
        case none
        /// An answer began before its request's body had ended, and says that it is the last one.
        case announced
        /// That answer was handed on whole; what is left is to hear the body out.
        case answered(EventLoopFuture<Void>)
    }

    private let deadline: TimeAmount
    private let maxBodyBytes: Int
    /// How many heads were read, and how many answers were handed on whole.
    private var requests = 0
    private var answers = 0
    /// Whether the latest request's body has not ended.
    private var isReadingBody = false
    private var bodyBytes = 0
    private var parting = Parting.none
    private var scheduled: Scheduled<Void>?

    /// - Parameters:
    ///   - deadline: how long a body may take from the end of the read that brought its head, or from the end of the
    ///     answers before it, whichever is later: while the server is busy with those, it may not read at all.
    ///   - maxBodyBytes: how much of a body is read at all. More than an endpoint takes, so that a client which sends
    ///     before it listens still hears the 413; beyond it the connection is closed.
    init(deadline: TimeAmount, maxBodyBytes: Int) {
        self.deadline = deadline
        self.maxBodyBytes = maxBodyBytes
    }

    /// Whether the request that is being answered is the one whose body is still coming.
    private var answersUnreadRequest: Bool { isReadingBody && answers == requests - 1 }

    private var isParting: Bool {
        if case .none = parting { false } else { true }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Nothing that follows a last answer is acted upon (RFC 9112 §9.6).
        if isParting, !isReadingBody { return }
        switch unwrapInboundIn(data) {
        case .head:
            requests += 1
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
            cancelDeadline()
            if case .answered(let written) = parting {
                close(context.channel, after: written)
                return
            }
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        setDeadline(context)
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            guard answersUnreadRequest, head.status.kind != .informational else { break }
            parting = .announced
            // HTTP/2 has no such field: there the stream ends, which is a channel within the connection's channel.
            if context.channel.parent?.parent == nil { head.headerFields[.connection] = "close" }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
            return
        case .body:
            break
        case .end:
            answers += 1
            if case .announced = parting {
                let written = promise ?? context.eventLoop.makePromise()
                parting = .answered(written.futureResult)
                context.write(data, promise: written)
                if !isReadingBody { close(context.channel, after: written.futureResult) }
                return
            }
            // The next request's turn has come, and its time begins.
            setDeadline(context)
        }
        context.write(data, promise: promise)
    }

    func handlerRemoved(context: ChannelHandlerContext) { cancelDeadline() }

    func channelInactive(context: ChannelHandlerContext) {
        cancelDeadline()
        context.fireChannelInactive()
    }

    private func setDeadline(_ context: ChannelHandlerContext) {
        guard isReadingBody, answers >= requests - 1, scheduled == nil else { return }
        let channel = context.channel
        scheduled = context.eventLoop.scheduleTask(in: deadline) { channel.close(promise: nil) }
    }

    private func cancelDeadline() {
        scheduled?.cancel()
        scheduled = nil
    }

    /// An answer that is closed upon before it left would be lost.
    private func close(_ channel: any Channel, after written: EventLoopFuture<Void>) {
        written.whenComplete { _ in channel.close(promise: nil) }
    }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}
