package import NIOCore
import NIOHTTP1

/// Ends a connection with its last request: nothing behind that request is read, its answer says `Connection: close`, and
/// then the connection closes (RFC 9112 §9.3, §9.6).
///
/// The last request is one that
///
/// - asks for it. A client may write `close` in capitals or among other options, and a request of HTTP/1.0 is the last one
///   unless it asks to go on. Handlers behind this one compare the whole field, so it is rewritten;
/// - has chunks although it is of HTTP/1.0, which has none. A proxy may have read its end elsewhere (RFC 9112 §6.1);
/// - leaves HTTP: `CONNECT`, or one with `Upgrade`. NIO's decoder stops behind it, for the protocol that would follow, and
///   keeps every further byte: without this handler, one connection fills the memory. No other protocol is spoken here, so
///   the request is answered like any other (RFC 9110 §7.8).
///
/// Only for HTTP/1, and directly behind the decoder: a handler between them could swallow the end of such a request, and the
/// types of HTTP/2 and later do not keep the version.
final class ConnectionEnd: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    fileprivate let input = ConnectionInput()
    /// The request heads read, and the answers passed on completely.
    private var requests = 0
    private var answers = 0
    /// Whether the latest request is the last one.
    private var isLast = false
    /// Whether the last request was read to its end.
    private var hasEnded = false
    /// The writing of the last answer's end.
    private var written: EventLoopFuture<Void>?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // What the decoder had already read with the end of the last request.
        if hasEnded { return }
        switch unwrapInboundIn(data) {
        case .head(var head):
            requests += 1
            isLast = Self.isLast(head)
            guard isLast else { break }
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            context.fireChannelRead(wrapInboundOut(.head(head)))
            return
        case .body:
            break
        case .end:
            guard isLast else { break }
            hasEnded = true
            input.isDiscarded = true
            context.fireChannelRead(data)
            if let written { close(context.channel, after: written) }
            return
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard isLast, answers == requests - 1 else {
            if case .end = unwrapOutboundIn(data) { answers += 1 }
            context.write(data, promise: promise)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.code >= 200:
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .head, .body:
            context.write(data, promise: promise)
        case .end:
            answers += 1
            let end = promise ?? context.eventLoop.makePromise()
            written = end.futureResult
            context.write(data, promise: end)
            if hasEnded { close(context.channel, after: end.futureResult) }
        }
    }

    /// Waits for the write, because closing earlier would lose the answer.
    private func close(_ channel: any Channel, after written: EventLoopFuture<Void>) {
        written.whenComplete { _ in channel.close(promise: nil) }
    }

    private static func isLast(_ head: HTTPRequestHead) -> Bool {
        guard head.isKeepAlive, head.method != .CONNECT, !head.headers.contains(name: "Upgrade") else { return true }
        // The rest costs time at every request, and only HTTP/1.0 needs it.
        guard head.version.major == 1, head.version.minor == 0 else { return false }
        return head.headers.contains(name: "Transfer-Encoding")
            || head.headers[canonicalForm: "Connection"].contains { $0.lowercased() == "close" }
    }
}

/// What a connection receives, before it is decoded.
private final class ConnectionInput: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    var isDiscarded = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isDiscarded { context.fireChannelRead(data) }
    }
}

extension ChannelPipeline.SynchronousOperations {
    /// Makes a connection of HTTP/1 end with its last request. ``ConnectionEnd`` says which one that is.
    /// - Throws: a `ChannelPipelineError` if the pipeline has no decoder of requests.
    package func endWithLastRequest() throws {
        let decoder = try handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        let end = ConnectionEnd()
        try addHandler(end.input, position: .before(decoder))
        try addHandler(end, position: .after(decoder))
    }
}

@available(*, unavailable)
extension ConnectionEnd: Sendable {}

@available(*, unavailable)
extension ConnectionInput: Sendable {}
