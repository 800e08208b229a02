import NIOCore
import NIOHTTP1
import Web

/// Refuses an HTTP/1.1 request whose `Host` is missing, doubled, empty or malformed with 400 (RFC 9112 §3.2). It then
/// closes the connection, as after a request that cannot be parsed: a proxy may have read another host from it.
///
/// It runs before requests become HTTP types, which do not keep the version. HTTP/1.0 has no `Host`, and the health
/// checks of some load balancers use it.
final class HostGuard: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

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

    private static func isAcceptable(_ head: HTTPRequestHead) -> Bool {
        let hosts = head.headers["Host"]
        if hosts.isEmpty { return head.version == .http1_0 }
        return hosts.count == 1 && HostField(hosts[0]) != nil
    }
}

@available(*, unavailable)
extension HostGuard: Sendable {}
