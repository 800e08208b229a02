import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes connections whose request body arrives too slowly, exceeds the limit, or was answered before its end, and after
/// an answer if the server is about to stop. Closes streams of HTTP/2 for which their peer has no place.
///
/// The idle timeout is not enough: one byte every few seconds keeps a connection busy for hours. A request that arrives
/// in a single read costs nothing here, because the deadline is set only if a read ends in the middle of a body.
///
/// A client may send the next request before it has the last answer (RFC 9112 §9.3.2). The request being read then
/// differs from the one being answered; the two counters tell them apart.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// How far the connection is from closing.
    private enum Parting {
        /// It accepts further requests.
        case none
        /// An answer started, and announced that it is the last one: before the end of its request's body, or because the
        /// server is about to stop.
        case announced
        /// That answer was passed on completely. Only the rest of the body is still awaited, if any.
        case answered(EventLoopFuture<Void>)
    }

    private let deadline: TimeAmount
    private let maxBodyBytes: Int
    private let drain: Drain
    /// The request heads read, and the answers passed on completely.
    private var requests = 0
    private var answers = 0
    /// Whether the body of the latest request is incomplete.
    private var isReadingBody = false
    private var bodyBytes = 0
    private var parting = Parting.none
    /// The connection of an HTTP/2 stream that is counted there.
    private var connection: ConnectionLimits?
    private var scheduled: Scheduled<Void>?

    /// - Parameters:
    ///   - deadline: the time limit for a body. It starts at the end of the read with the request's head, or at the end
    ///     of the previous answers if that is later: until then the server may not read at all.
    ///   - maxBodyBytes: the most bytes of a body to read before the connection closes. It exceeds the limit of the
    ///     endpoints, so that a client which sends everything before it reads still gets the 413.
    ///   - drain: from its beginning on, an HTTP/1.1 connection ends with its next answer, before a proxy reuses it.
    init(deadline: TimeAmount, maxBodyBytes: Int, drain: Drain) {
        self.deadline = deadline
        self.maxBodyBytes = maxBodyBytes
        self.drain = drain
    }

    /// Whether the request being answered is the one whose body is still arriving.
    private var answersUnreadRequest: Bool { isReadingBody && answers == requests - 1 }

    private var isParting: Bool {
        if case .none = parting { false } else { true }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Requests after the last answer are ignored. One that is not answered would keep the idle timeout from closing the
        // connection.
        if isParting, !isReadingBody { return }
        switch unwrapInboundIn(data) {
        case .head:
            guard joinConnection(of: context.channel) else {
                parting = .announced
                context.close(promise: nil)
                return
            }
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
            // HTTP/2 has no `Connection` field. There the stream closes.
            let isStream = context.channel.isStream
            // A request that was read already is still answered.
            let isDraining = drain.hasBegun && !isStream && answers == requests - 1
            let isLast = answersUnreadRequest || isDraining
            guard isLast, head.status.kind != .informational else { break }
            parting = .announced
            if !isStream { head.headerFields[.connection] = "close" }
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
            // The next request is now being answered, so its deadline starts.
            setDeadline(context)
        }
        context.write(data, promise: promise)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(context) }

    func channelInactive(context: ChannelHandlerContext) {
        end(context)
        context.fireChannelInactive()
    }

    private func end(_ context: ChannelHandlerContext) {
        cancelDeadline()
        connection?.closeStream(at: context.eventLoop.now)
        connection = nil
    }

    /// Counts a stream of HTTP/2 at its connection.
    /// - Returns: false if there is no place for it.
    private func joinConnection(of channel: any Channel) -> Bool {
        guard let parent = channel.parent, parent.parent != nil else { return true }
        connection = try? parent.pipeline.syncOperations.handler(type: ConnectionLimits.self)
        guard let limits = connection, !limits.openStream() else { return true }
        connection = nil
        return false
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

    /// Waits for the write, because closing earlier would lose the answer.
    private func close(_ channel: any Channel, after written: EventLoopFuture<Void>) {
        written.whenComplete { _ in channel.close(promise: nil) }
    }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}

extension Channel {
    /// Whether it is a stream of HTTP/2, which is a channel within the connection's channel.
    var isStream: Bool { parent?.parent != nil }
}
