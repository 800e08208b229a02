import WalletAuth

extension ScriptedServer {
    /// Has the server know an identity provider, as its operator would. A sign-in by one that it does not know is refused as a
    /// mistake of the app. ``issueIDToken(provider:subject:nonce:)`` and ``link(_:to:subject:)`` do it by themselves.
    /// - Parameter provider: the provider, as the app calls it.
    public func addProvider(_ provider: String) {
        core.withLock { _ = $0.providers.insert(provider) }
    }

    /// Issues an ID token, as an identity provider that the server knows would: it signs in once, in a sign-in whose nonce it
    /// bears.
    /// - Parameters:
    ///   - provider: the provider, as the app calls it.
    ///   - subject: who it is there.
    ///   - nonce: what the app gave the provider: `FederatedNonce.value`.
    /// - Returns: the token; to the app it is a text like any other.
    public func issueIDToken(provider: String, subject: String, nonce: String) -> String {
        let token = "id-token-" + ServerCore.randomText()
        core.withLock {
            $0.providers.insert(provider)
            $0.idTokens[token] = ServerCore.ProviderToken(provider: provider, subject: subject, nonce: nonce)
        }
        return token
    }

    /// Links a person to who they are at a provider.
    /// - Parameters:
    ///   - username: whose account.
    ///   - provider: the provider, as the app calls it.
    ///   - subject: who they are there.
    public func link(_ username: String, to provider: String, subject: String) {
        core.withLock {
            $0.providers.insert(provider)
            $0.identities["\(provider) \(subject)"] = username
        }
    }
}
