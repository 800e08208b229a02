import Hummingbird
import NIOCore
import Web

/// The values a request carries through the middleware to its endpoint.
struct ServerRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The other end of the connection: the client, or a proxy.
    let peer: SocketAddress?
    /// Set by ``Observation``, the outermost middleware.
    var observed = RequestFacts()
    /// Filled where the request is refused, read by ``Observation``.
    let refusal = RefusalNote()

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress
    }

    /// What was observed, with the route that the request matched.
    var facts: RequestFacts {
        var facts = observed
        facts.route = endpointPath
        return facts
    }
}
