import NIOCore
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Inserts the handlers that only HTTP/1 has before the one that creates HTTP types. They need the version, which those
/// types do not keep, and the decoder. HTTP/2 has a different handler there, and `:authority` instead of `Host`.
final class HTTP1Handlers: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart

    private let maxBodyBytes: Int

    /// - Parameter maxBodyBytes: the limit of the endpoints.
    init(maxBodyBytes: Int) {
        self.maxBodyBytes = maxBodyBytes
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        guard let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) else { return }
        do {
            try pipeline.endWithLastRequest()
            try pipeline.addHandler(HostGuard(), position: .before(codec))
            try pipeline.addHandler(ContinueAnswers(maxBodyBytes: maxBodyBytes), position: .before(codec))
        } catch {
            context.close(promise: nil)
        }
    }
}

@available(*, unavailable)
extension HTTP1Handlers: Sendable {}
