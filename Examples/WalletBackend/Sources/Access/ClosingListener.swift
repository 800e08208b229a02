import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// HTTP/1.1 without what follows a request that leaves it: `CONNECT`, or one with `Upgrade`.
///
/// NIO's decoder stops behind such a request, for the protocol that would follow, and keeps every further byte: one client
/// could fill the memory. Here no other protocol is spoken. The request is answered like any other, then the connection
/// closes, and what comes after it is discarded.
struct ClosingListener: ServerChildChannel {
    let base: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let input = Input()
            try pipeline.addHandler(input, position: .before(decoder))
            try pipeline.addHandler(LastRequest(input: input), position: .after(decoder))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await base.handle(value: value, logger: logger)
    }
}

/// What a connection receives, before it is decoded.
private final class Input: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    var isDiscarded = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isDiscarded { context.fireChannelRead(data) }
    }
}

/// Makes a request that leaves HTTP the last one of its connection.
private final class LastRequest: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let input: Input
    private var isLast = false

    init(input: Input) {
        self.input = input
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if input.isDiscarded { return }
        switch unwrapInboundIn(data) {
        case .head(var head) where head.method == .CONNECT || head.headers.contains(name: "Upgrade"):
            isLast = true
            // Hummingbird sends nothing after the answer to such a request.
            head.headers.replaceOrAdd(name: "Connection", value: "close")
            context.fireChannelRead(wrapInboundOut(.head(head)))
            return
        case .end where isLast:
            input.isDiscarded = true
        case .head, .body, .end:
            break
        }
        context.fireChannelRead(data)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The answer is sent. Without this, the client decides when the connection closes.
        if isLast, event as? ChannelEvent == .outputClosed { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }
}

@available(*, unavailable)
extension Input: Sendable {}

@available(*, unavailable)
extension LastRequest: Sendable {}
