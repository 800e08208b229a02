public import WalletAuth
import WalletAuthTransport
import WalletAuthWire

extension ScriptedServer {
    /// Configures an identity provider. Sign-in with an unknown provider is refused as an error of the app.
    /// ``issueIDToken(provider:subject:nonce:)``, ``appleCredential(of:nonce:provider:)`` and ``link(_:to:subject:)``
    /// configure their provider themselves.
    ///
    /// - Parameter provider: the app's name for the provider.
    public func addProvider(_ provider: String) {
        core.withLock { _ = $0.providers.insert(provider) }
    }

    /// Issues an ID token, as a configured identity provider would. It is valid for one sign-in, with the same nonce.
    ///
    /// - Parameters:
    ///   - provider: the app's name for the provider.
    ///   - subject: the person's subject at the provider.
    ///   - nonce: the nonce that the app gave the provider: `FederatedNonce.value`; nil for an app that gave none.
    /// - Returns: the token, a JWT with the subject and the nonce. The app must treat it as an opaque text.
    public func issueIDToken(provider: String, subject: String, nonce: String?) -> String {
        core.withLock {
            $0.issueIDToken(ServerCore.ProviderWord(provider: provider, subject: subject, nonce: nonce), now: now)
        }
    }

    /// Issues an authorization code, as a configured identity provider would. It is valid for one sign-in, with the
    /// same nonce. An ID token in the same sign-in must be for the same person.
    ///
    /// - Parameters:
    ///   - provider: the app's name for the provider.
    ///   - subject: the person's subject at the provider.
    ///   - nonce: the nonce that the app gave the provider: `FederatedNonce.value`; nil for an app that gave none.
    /// - Returns: the code.
    public func issueAuthorizationCode(provider: String, subject: String, nonce: String?) -> String {
        core.withLock {
            $0.issueProviderCode(ServerCore.ProviderWord(provider: provider, subject: subject, nonce: nonce))
        }
    }

    /// Issues a person's credential as from Sign in with Apple: a code and an identity token.
    ///
    /// - Parameters:
    ///   - user: Apple's identifier for the person.
    ///   - nonce: from `Wallet.federatedNonce()`.
    ///   - provider: the server's name for Apple.
    /// - Returns: the credential, valid for one sign-in.
    public func appleCredential(
        of user: String, nonce: FederatedNonce, provider: String = "apple"
    ) -> AppleCredential {
        AppleCredential(
            authorizationCode: issueAuthorizationCode(provider: provider, subject: user, nonce: nonce.value),
            identityToken: issueIDToken(provider: provider, subject: user, nonce: nonce.value), nonce: nonce)
    }

    /// Links an account to a person's identity at a provider.
    ///
    /// - Parameters:
    ///   - username: the account's username.
    ///   - provider: the app's name for the provider.
    ///   - subject: the person's subject at the provider.
    public func link(_ username: String, to provider: String, subject: String) {
        core.withLock {
            $0.providers.insert(provider)
            $0.identities["\(provider) \(subject)"] = username
        }
    }

    private var now: NumericDate { clock.serverTime }
}
