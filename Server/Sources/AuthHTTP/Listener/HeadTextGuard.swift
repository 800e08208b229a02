import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import WalletAuthWire

/// Refuses a request whose target or fields have long runs of combining marks with 400, before anything compares them. Over
/// HTTP/2 the stream ends without an answer.
///
/// Bodies are checked where they are parsed.
final class HeadTextGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private var hasRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if hasRefused { return }
        if case .head(let head) = unwrapInboundIn(data), !Self.isAcceptable(head) {
            hasRefused = true
            context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
            return
        }
        context.fireChannelRead(data)
    }

    private static func isAcceptable(_ head: HTTPRequest) -> Bool {
        let target = head.path ?? ""
        // What does not decode is refused by its endpoint.
        let decoded = target.utf8.contains(0x25) ? target.removingPercentEncoding ?? target : target
        return StreamSafeText.includes(decoded) && StreamSafeText.includes(head.authority ?? "")
            && head.headerFields.allSatisfy { StreamSafeText.includes($0.value) }
    }
}

@available(*, unavailable)
extension HeadTextGuard: Sendable {}
