extension Wallet {
    /// A nonce of the server's, to be the `nonce` of the app's request to an identity provider. Ask for one for each
    /// sign-in, before the provider's page is shown.
    /// - Returns: the nonce; it serves once within five minutes, on this device.
    /// - Throws: ``WalletError``.
    public func federatedNonce() async throws -> FederatedNonce { try await core.federatedNonce() }

    /// Signs in by an identity provider's word: any OpenID provider that the wallet's operator added, or the issuer's own
    /// user repository. Older kits call this `loginByFederatedIdentity`.
    ///
    /// Who it is at the provider decides, and never an e-mail address. Somebody who comes for the first time is
    /// ``LoginOutcome/noMatchingGuest(_:)``.
    /// - Parameters:
    ///   - identity: what the provider gave the app.
    ///   - strength: what has to be proved; with ``LoginStrength/required(_:)`` whoever is signed in signs in again.
    ///   - properties: what the app wants kept with the sign-in's entry in the server's journal.
    ///   - requestedAttributes: the names of additional attributes beside those that are always told.
    /// - Returns: ``LoginOutcome``.
    /// - Throws: ``WalletError``: `invalid_credentials` where the provider says no or what it gave is not good here;
    ///   `temporarily_unavailable` where the provider cannot be asked; `wallet_deactivated`, `device_deactivated`,
    ///   `device_suspended` …
    public func login(
        federatedIdentity identity: FederatedIdentity, strength: LoginStrength = .asTheServerAsks,
        properties: [String: String] = [:], requestedAttributes: [String] = []
    ) async throws -> LoginOutcome {
        try await core.login(
            identity, strength: strength,
            extras: LoginExtras(properties: properties, requestedAttributes: requestedAttributes))
    }

    /// Signs in with Apple, by what Apple's sheet gave the app. Everything else is as for
    /// ``login(federatedIdentity:strength:properties:requestedAttributes:)``.
    ///
    /// The session remembers who the person is at Apple. Where ``Ports/appleCredentials`` can ask Apple, a credential that
    /// the person revoked signs out with ``WalletError/SignOutReason/appleCredentialRevoked``: at ``setUp()``, and while the
    /// app runs.
    /// - Parameters:
    ///   - credential: what Apple gave. Its code works once, whatever the outcome.
    ///   - provider: what the wallet's server calls Apple.
    ///   - strength: what has to be proved; with ``LoginStrength/required(_:)`` whoever is signed in signs in again.
    ///   - properties: what the app wants kept with the sign-in's entry in the server's journal.
    ///   - requestedAttributes: the names of additional attributes beside those that are always told.
    /// - Returns: ``LoginOutcome``: ``LoginOutcome/noMatchingGuest(_:)`` for a person without an account, which
    ///   ``AccountEnrollment/createAndRegister(_:for:)`` makes of the same credential.
    /// - Throws: ``WalletError``: `invalid_credentials` where Apple or the server refuses the credential; `another_person`
    ///   where somebody else was asked to sign in again; `temporarily_unavailable` where Apple cannot be asked;
    ///   `wallet_deactivated` …
    public func login(
        apple credential: AppleCredential, provider: String = "apple", strength: LoginStrength = .asTheServerAsks,
        properties: [String: String] = [:], requestedAttributes: [String] = []
    ) async throws -> LoginOutcome {
        try await core.login(
            credential, provider: provider, strength: strength,
            extras: LoginExtras(properties: properties, requestedAttributes: requestedAttributes))
    }

    /// Accounts for people who come for the first time.
    public var enrollment: AccountEnrollment { AccountEnrollment(core: core) }

    /// Accounts for people who come for the first time, by ``Wallet/enrollment``.
    public struct AccountEnrollment: Sendable {
        let core: WalletCore

        /// Makes an account for somebody whom a provider knows, and signs in to it.
        /// - Parameters:
        ///   - account: the new account.
        ///   - guest: what the sign-in came with.
        /// - Returns: how the sign-in went on: ``LoginOutcome/emailUnverified(_:)`` where the address has to be confirmed.
        /// - Throws: ``WalletError`` of the sign-in that was begun: `username_taken`, after which another name may be
        ///   tried; `bad_request` for an address or a number that is none; `invalid_session` after some minutes.
        public func createAndRegister(
            _ account: NewAccount, for guest: GuestContinuation
        ) async throws -> LoginOutcome {
            try await core.createAccount(account, for: guest.continuation)
        }
    }
}
