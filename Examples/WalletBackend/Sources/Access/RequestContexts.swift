import Hummingbird
import NIOCore
import WalletAuthVerifier

/// The context of a request before its token is verified.
struct BackendContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The signed-in person, once ``AccessMiddleware`` has verified the token.
    var person: VerifiedAccess.Person?
    /// The peer of the connection: the client, or a proxy.
    let remoteAddress: SocketAddress?

    init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}

/// The context of an authenticated request. Handlers that take it cannot be reached without a signed-in person.
struct PersonContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    /// The signed-in person.
    let person: VerifiedAccess.Person

    init(context: BackendContext) throws {
        coreContext = context.coreContext
        guard let person = context.person else { throw HTTPError(.internalServerError) }
        self.person = person
    }
}
