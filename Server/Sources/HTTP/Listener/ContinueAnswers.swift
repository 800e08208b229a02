import NIOCore
import NIOHTTP1

/// Tells a client that asks before it sends a body (`Expect: 100-continue`, RFC 9110 §10.1.1) to go on.
///
/// Some clients ask for every body, and some wait for the answer without a limit. It comes when all requests before are
/// answered, and not for a body that is already arriving, or that announces more than the limit: that one is refused
/// instead. HTTP/1.0 has no such expectation.
///
/// Only for HTTP/1.1. It runs before requests become HTTP types, which do not keep the version.
final class ContinueAnswers: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let maxBodyBytes: Int
    /// The request heads read, and the answers passed on completely.
    private var requests = 0
    private var answers = 0
    /// Whether the latest request waits before it sends its body.
    private var isAwaited = false
    /// Whether an answer announced that it is the last one.
    private var isParting = false

    /// - Parameter maxBodyBytes: the limit of the endpoints.
    init(maxBodyBytes: Int) {
        self.maxBodyBytes = maxBodyBytes
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            requests += 1
            isAwaited = expectsContinue(head)
        case .body, .end:
            isAwaited = false
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        answerInTurn(context)
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            if !head.isKeepAlive { isParting = true }
            // A final answer before the body.
            if answers == requests - 1 { isAwaited = false }
            context.write(data, promise: promise)
        case .body:
            context.write(data, promise: promise)
        case .end:
            answers += 1
            context.write(data, promise: promise)
            answerInTurn(context)
        }
    }

    private func answerInTurn(_ context: ChannelHandlerContext) {
        guard isAwaited, !isParting, answers == requests - 1 else { return }
        isAwaited = false
        let head = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
    }

    private func expectsContinue(_ head: HTTPRequestHead) -> Bool {
        guard head.version == .http1_1, head.headers.contains(name: "Expect"),
            head.headers[canonicalForm: "Expect"].contains(where: { $0.lowercased() == "100-continue" })
        else { return false }
        let announced = head.headers.first(name: "Content-Length").flatMap { Int($0) } ?? 0
        return announced <= maxBodyBytes
    }
}

@available(*, unavailable)
extension ContinueAnswers: Sendable {}
