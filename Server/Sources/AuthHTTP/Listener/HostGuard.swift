import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

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

    /// Inserts the guard, and ``LastRequestMarker`` behind it, before the handler that creates HTTP types. HTTP/2 has a
    /// different handler, and `:authority` instead of `Host`.
    final class Installer: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPRequestPart

        func handlerAdded(context: ChannelHandlerContext) {
            let pipeline = context.pipeline.syncOperations
            guard let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) else { return }
            do {
                try pipeline.addHandler(HostGuard(), position: .before(codec))
                try pipeline.addHandler(LastRequestMarker(), position: .before(codec))
            } catch {
                context.close(promise: nil)
            }
        }
    }
}

@available(*, unavailable)
extension HostGuard: Sendable {}

@available(*, unavailable)
extension HostGuard.Installer: Sendable {}
