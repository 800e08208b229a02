package import Kernel
package import Store

/// Who vouches for the first factor.
package enum FirstFactor: Sendable, Hashable {
    /// The account itself: password, PIN, key, or its backend's login nonce.
    case own
    /// Only another provider. A code by e-mail rarely adds a factor to it (``EmailAfterProvider``).
    case provider

    /// The first factor of a sign-in.
    /// - Parameter methods: the proved methods, as in `amr`.
    package init(provedBy methods: [String]) {
        let isByProvider = methods.contains(AuthenticationStrength.provider)
        let own: Set = [AuthenticationStrength.password, AuthenticationStrength.pin]
        self = isByProvider && own.isDisjoint(with: methods) ? .provider : .own
    }

    /// The first factor of an account. An account with a password can sign in with it, and is then asked for the code.
    package init(of account: AccountRecord, on connection: any SQLConnection) throws {
        let isByProvider =
            try account.password == nil && !FederatedIdentities.list(of: account.id, on: connection).isEmpty
        self = isByProvider ? .provider : .own
    }
}

extension [String] {
    /// Adds a method unless it is already present.
    package func adding(_ method: String) -> [String] { contains(method) ? self : self + [method] }
}
