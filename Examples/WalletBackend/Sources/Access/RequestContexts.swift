import Hummingbird
import NIOCore
import WalletAuthVerifier

/// What is known of a request before anybody has looked at its token.
struct BackendContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Who comes, once ``AccessMiddleware`` has let them in.
    var person: VerifiedAccess.Person?
    /// The other end of the connection: the client, or a proxy.
    let remoteAddress: SocketAddress?

    init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        remoteAddress = source.channel.remoteAddress
    }
}

/// A request that was let in. Its handlers take this context, and so cannot be reached without a person.
struct PersonContext: ChildRequestContext {
    var coreContext: CoreRequestContextStorage
    /// Who comes.
    let person: VerifiedAccess.Person

    init(context: BackendContext) throws {
        coreContext = context.coreContext
        guard let person = context.person else { throw HTTPError(.internalServerError) }
        self.person = person
    }
}
