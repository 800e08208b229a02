internal import Consent
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// The scopes that only an owner of all brands gives to a client. With them, a client's secret acts for other people.
enum PrivilegedScopes {
    /// The first administers the server, the second signs in as anyone of its brand, and the others change its accounts and
    /// who works for its merchants.
    private static let tokens: Set = [
        Operators.scope, LoginNonceIssuer.scope, Provisioner.scope, Provisioner.confirmingScope,
        Provisioner.groupsScope,
    ]

    static func isAny(of tokens: some Sequence<String>) -> Bool { tokens.contains { Self.tokens.contains($0) } }
}

extension RegisteredClient {
    /// Scopes with which a backend, by its secret, makes and reads what people consent to in its name.
    private static let consentScopes: Set = [RequestedOperations.scope, "transactions"]

    /// Whether its codes, tokens or secret are as good as the operator's own: people sign in with it and give no consent, or it redeems
    /// the codes of a client with which they do, or it asks them to consent to payments.
    func isTrusted(on connection: any SQLConnection) throws -> Bool {
        if isFirstParty || scope.tokens.contains(where: { Self.consentScopes.contains($0) }) { return true }
        return try Clients.redeemed(by: id.rawValue, on: connection).contains { $0.isFirstParty }
    }
}
