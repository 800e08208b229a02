import Hummingbird
import Logging
import NIOCore

/// The values a request carries through the middleware to its endpoint.
struct ServerRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The other end of the connection: the client, or a proxy.
    let peer: SocketAddress?
    /// Set by ``Observation``, the outermost middleware.
    var trace: TraceContext
    /// Set by ``Observation`` from the peer and, behind trusted proxies, from their headers.
    var client: ClientAddress.Origin
    /// The browser's language preferences, for pages whose request names no language.
    var acceptLanguage: String?
    /// The scheme of the request's access token. Refusals use the same one.
    var scheme: AccessTokenScheme?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress
        trace = .none
        client = ClientAddress.Origin(address: nil, arrivedInPlain: false, isDirectLoopback: false)
    }
}
