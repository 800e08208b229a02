import Hummingbird
import Logging
import NIOCore

/// What travels with a request through the middleware into its endpoint.
struct ServerRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The other end of the connection: the client, or a proxy.
    let peer: SocketAddress?
    /// Set by ``Observation``, the outermost middleware.
    var trace: TraceContext
    /// Set by ``Observation`` from the peer and, behind trusted proxies, from their headers.
    var client: ClientAddress.Origin
    /// What the pages are written in, where the request itself names no language.
    var acceptLanguage: String?
    /// The scheme of the request's access token, which a refusal answers in.
    var scheme: AccessTokenScheme?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress
        trace = .none
        client = ClientAddress.Origin(address: nil, arrivedInPlain: false, isDirectLoopback: false)
    }
}
