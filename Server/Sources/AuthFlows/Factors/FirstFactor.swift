internal import AuthCore
internal import AuthStore

/// By whose word somebody opens an account before anything else is asked of them.
enum FirstFactor: Sendable, Hashable {
    /// Any but another provider's: the account's password or PIN, a key, or what its backend says.
    case own
    /// That of another provider, and no other. Whoever has the account there has the mailbox that it tells of.
    case provider

    /// That of a sign-in.
    /// - Parameter methods: what it proved, as `amr` says it.
    init(provedBy methods: [String]) {
        let isByProvider = methods.contains(NativeSignIn.federatedMethod)
        let own: Set = [AuthenticationStrength.password, AuthenticationStrength.pin]
        self = isByProvider && own.isDisjoint(with: methods) ? .provider : .own
    }

    /// The one that an account has. Who has a password can sign in by it, and is asked for the code then.
    /// - Parameter account: the account.
    init(of account: AccountRecord) { self = account.password == nil ? .provider : .own }
}
