import NIOCore
import NIOHTTP1

/// Writes `Connection: close` into each request after whose answer the connection closes (RFC 9112 §9.3, §9.6).
///
/// A client may write the option in capitals or among others, and a request of HTTP/1.0 is the last one unless it asks to
/// go on. Hummingbird and ``ConnectionGuard`` compare the whole field, and would keep such a connection open while its
/// client waits for the end.
///
/// HTTP/1.0 has no chunks: a request with them is framed in a way that a proxy may have read differently, so it is the last
/// one whatever it asks (RFC 9112 §6.1).
///
/// It runs before requests become HTTP types, which do not keep the version.
final class LastRequestMarker: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), Self.isLast(head) else {
            context.fireChannelRead(data)
            return
        }
        head.headers.replaceOrAdd(name: "Connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    private static func isLast(_ head: HTTPRequestHead) -> Bool {
        guard head.isKeepAlive else { return true }
        // The rest costs time at every request, and only HTTP/1.0 needs it.
        guard head.version.major == 1, head.version.minor == 0 else { return false }
        return head.headers.contains(name: "Transfer-Encoding")
            || head.headers[canonicalForm: "Connection"].contains { $0.lowercased() == "close" }
    }
}

@available(*, unavailable)
extension LastRequestMarker: Sendable {}
