internal import Kernel
internal import SignIn

/// The scopes that only an owner of all brands gives to a client. With them, a client's secret acts for other people.
enum PrivilegedScopes {
    /// The first administers the server; the second signs in as anyone of its brand.
    private static let tokens: Set = [Operators.scope, LoginNonceIssuer.scope]

    static func isAny(of tokens: some Sequence<String>) -> Bool { tokens.contains { Self.tokens.contains($0) } }
}
