internal import AuthCore
internal import AuthStore

/// By whose word somebody opens an account before anything else is asked of them.
enum FirstFactor: Sendable, Hashable {
    /// Any but another provider's: the account's password or PIN, a key, or what its backend says.
    case own
    /// Another provider's word and nothing else. A code by e-mail rarely adds a factor to it (``EmailAfterProvider``).
    case provider

    /// That of a sign-in.
    /// - Parameter methods: what it proved, as `amr` says it.
    init(provedBy methods: [String]) {
        let isByProvider = methods.contains(NativeSignIn.federatedMethod)
        let own: Set = [AuthenticationStrength.password, AuthenticationStrength.pin]
        self = isByProvider && own.isDisjoint(with: methods) ? .provider : .own
    }

    /// The one that an account has. Who has a password can sign in by it, and is asked for the code then.
    /// - Parameters:
    ///   - account: the account.
    ///   - connection: the connection of a read or a write.
    init(of account: AccountRecord, on connection: any SQLConnection) throws {
        let isByProvider =
            try account.password == nil && !FederatedIdentities.list(of: account.id, on: connection).isEmpty
        self = isByProvider ? .provider : .own
    }
}
