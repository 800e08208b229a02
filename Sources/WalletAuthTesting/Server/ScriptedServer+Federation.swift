public import WalletAuth
import WalletAuthWire

extension ScriptedServer {
    /// Has the server know an identity provider, as its operator would. A sign-in by one that it does not know is refused as a
    /// mistake of the app. ``issueIDToken(provider:subject:nonce:)``, ``appleCredential(of:nonce:provider:)`` and
    /// ``link(_:to:subject:)`` do it by themselves.
    /// - Parameter provider: the provider, as the app calls it.
    public func addProvider(_ provider: String) {
        core.withLock { _ = $0.providers.insert(provider) }
    }

    /// Issues an ID token, as an identity provider that the server knows would: it signs in once, in a sign-in whose nonce it
    /// bears.
    /// - Parameters:
    ///   - provider: the provider, as the app calls it.
    ///   - subject: who it is there.
    ///   - nonce: what the app gave the provider: `FederatedNonce.value`; nil for an app that gave none.
    /// - Returns: the token, a JWT with the subject and the nonce; to the app it is a text like any other.
    public func issueIDToken(provider: String, subject: String, nonce: String?) -> String {
        core.withLock {
            $0.issueIDToken(ServerCore.ProviderWord(provider: provider, subject: subject, nonce: nonce), now: now)
        }
    }

    /// Issues an authorization code, as an identity provider that the server knows would: it signs in once, in a sign-in whose
    /// nonce it was made for. With an ID token beside it, both have to be of one person.
    /// - Parameters:
    ///   - provider: the provider, as the app calls it.
    ///   - subject: who it is there.
    ///   - nonce: what the app gave the provider: `FederatedNonce.value`; nil for an app that gave none.
    /// - Returns: the code.
    public func issueAuthorizationCode(provider: String, subject: String, nonce: String?) -> String {
        core.withLock {
            $0.issueProviderCode(ServerCore.ProviderWord(provider: provider, subject: subject, nonce: nonce))
        }
    }

    /// What Sign in with Apple gives the app for a person: a code and an identity token.
    /// - Parameters:
    ///   - user: Apple's identifier for the person.
    ///   - nonce: from `Wallet.federatedNonce()`.
    ///   - provider: what the server calls Apple.
    /// - Returns: the credential; it signs in once.
    public func appleCredential(
        of user: String, nonce: FederatedNonce, provider: String = "apple"
    ) -> AppleCredential {
        AppleCredential(
            authorizationCode: issueAuthorizationCode(provider: provider, subject: user, nonce: nonce.value),
            identityToken: issueIDToken(provider: provider, subject: user, nonce: nonce.value), nonce: nonce)
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

    private var now: NumericDate { clock.serverTime }
}
