public import WalletAuthWire

extension Wallet {
    /// Requests a nonce from the server, to be sent as the `nonce` of the app's request to an identity provider.
    /// Request one per sign-in, before the provider's page is shown.
    /// - Returns: the nonce; it works once, within five minutes, on this device.
    /// - Throws: ``WalletError``.
    public func federatedNonce() async throws -> FederatedNonce {
        try await log.during(.loginByFederatedIdentity) { try await nativeLogin.federatedNonce() }
    }

    /// Signs in with an identity provider: any OpenID provider that the wallet's operator added, or the issuer's own
    /// user repository. Older SDKs call this `loginByFederatedIdentity`.
    ///
    /// The provider's identifier for the person decides, never an e-mail address. A new person gets
    /// ``LoginOutcome/noMatchingGuest(_:)``.
    /// - Parameters:
    ///   - identity: the credential from the provider.
    ///   - strength: the required strength; with ``LoginStrength/required(_:)``, the signed-in person signs in again.
    ///   - properties: what the server should record with the sign-in in its audit log.
    ///   - requestedAttributes: the names of attributes to return in addition to the default ones.
    /// - Returns: ``LoginOutcome``.
    /// - Throws: ``WalletError``: `invalid_credentials` if the provider refuses, or its credential is not accepted
    ///   here; `temporarily_unavailable` if the provider cannot be reached; `wallet_deactivated`, `device_deactivated`,
    ///   `device_suspended` …
    public func login(
        federatedIdentity identity: FederatedIdentity, strength: LoginStrength = .asTheServerAsks,
        properties: [String: String] = [:], requestedAttributes: [String] = []
    ) async throws -> LoginOutcome {
        try await log.during(.loginByFederatedIdentity) {
            try await nativeLogin.begin(
                identity, strength: strength,
                extras: LoginExtras(properties: properties, requestedAttributes: requestedAttributes))
        }
    }

    /// Signs in with a credential from Sign in with Apple. Otherwise works like
    /// ``login(federatedIdentity:strength:properties:requestedAttributes:)``.
    ///
    /// The session remembers Apple's identifier for the person. If ``Ports/appleCredentials`` can ask Apple, a revoked
    /// credential signs out with ``WalletError/SignOutReason/appleCredentialRevoked``: at ``restore()``, and while the
    /// app runs.
    /// - Parameters:
    ///   - credential: Apple's credential. Its code works once, whatever the outcome.
    ///   - provider: the server's name for Apple.
    ///   - strength: the required strength; with ``LoginStrength/required(_:)``, the signed-in person signs in again.
    ///   - properties: what the server should record with the sign-in in its audit log.
    ///   - requestedAttributes: the names of attributes to return in addition to the default ones.
    /// - Returns: ``LoginOutcome``. For a person without an account, ``LoginOutcome/noMatchingGuest(_:)``;
    ///   ``AccountEnrollment/createAndRegister(_:for:)`` creates one from the same credential.
    /// - Throws: ``WalletError``: `invalid_credentials` if Apple or the server refuses the credential; `another_person`
    ///   if another person signed in where the current one had to sign in again; `temporarily_unavailable` if Apple
    ///   cannot be reached; `wallet_deactivated` …
    public func login(
        apple credential: AppleCredential, provider: String = "apple", strength: LoginStrength = .asTheServerAsks,
        properties: [String: String] = [:], requestedAttributes: [String] = []
    ) async throws -> LoginOutcome {
        appleCredentials.begin()
        return try await log.during(.loginByApple) {
            try await nativeLogin.begin(
                FederatedIdentity(
                    provider: provider, authorizationCode: credential.authorizationCode,
                    idToken: credential.identityToken, nonce: credential.nonce),
                strength: strength,
                extras: LoginExtras(properties: properties, requestedAttributes: requestedAttributes),
                during: .loginByApple, appleUser: credential.user)
        }
    }

    /// Creates accounts for new people.
    public var enrollment: AccountEnrollment { AccountEnrollment(wallet: self) }

    /// Creates accounts for new people; see ``Wallet/enrollment``.
    public struct AccountEnrollment: Sendable {
        let wallet: Wallet

        /// Creates an account for a person whom a provider knows, and signs in to it.
        /// - Parameters:
        ///   - account: the new account.
        ///   - guest: from the sign-in.
        /// - Returns: the next state of the sign-in; ``LoginOutcome/emailUnverified(_:)`` if the address must be
        ///   confirmed.
        /// - Throws: ``WalletError`` of the sign-in: `username_taken`, after which another name may be tried;
        ///   `bad_request` for an invalid address or number; `invalid_session` after a few minutes.
        public func createAndRegister(
            _ account: NewAccount, for guest: GuestContinuation
        ) async throws -> LoginOutcome {
            try await wallet.log.during(guest.continuation.attempt.operation) {
                try await wallet.nativeLogin.createAccount(account, for: guest.continuation)
            }
        }
    }
}

extension Wallet.AccountEnrollment {
    /// Links a provider's identity to the signed-in account instead of creating a new one. From then on, the provider
    /// signs in to the account.
    ///
    /// Call it after ``Wallet/login(federatedIdentity:strength:properties:requestedAttributes:)`` returned
    /// ``LoginOutcome/noMatchingGuest(_:)`` and the person, who already has an account, signed in to it as usual (with
    /// two factors if it has them). Both must happen on this device within minutes. The server notifies the account's
    /// owner. A matching e-mail address links nothing by itself.
    ///
    /// For a signed-in person who connects a provider, call that `login` with the strength
    /// ``Wallet/LoginStrength/required(_:)``. Otherwise an identity that belongs to another account replaces the session.
    /// - Parameter guest: from the federated sign-in. Linking the same identity again is harmless.
    /// - Returns: the identity as linked to the account.
    /// - Throws: ``WalletError``: `insufficient_user_authentication` if the sign-in to the account was too weak or too
    ///   long ago; `identity_taken` if another account has it; `invalid_session` if it took too long, or the provider
    ///   was removed; `too_many_identities`, `signed_out` …
    @discardableResult
    public func join(_ guest: GuestContinuation) async throws -> JoinedIdentity {
        try await wallet.call(
            .joinIdentity, .put, Endpoints.accountIdentities.path,
            IdentityJoining(session: guest.continuation.session).json
        ) { try JoinedIdentity($0) }
    }
}

extension Wallet {
    /// The signed-in account's identities at identity providers.
    public var identities: Identities { Identities(wallet: self) }

    /// The identities linked to an account; ``AccountEnrollment/join(_:)`` links another.
    public struct Identities: Sendable {
        let wallet: Wallet

        /// Returns the account's identities, oldest first.
        /// - Throws: ``WalletError``.
        public func list() async throws -> [JoinedIdentity] {
            try await wallet.call(.listIdentities, .get, Endpoints.accountIdentities.path) {
                try JoinedIdentityList($0).identities
            }
        }

        /// Unlinks an identity, which then no longer signs in to the account. Other sessions that an identity provider
        /// opened end; this one continues.
        /// - Parameter id: the identity.
        /// - Throws: ``WalletError``: `insufficient_user_authentication` as for ``AccountEnrollment/join(_:)``;
        ///   `last_way_in` if the account has neither a password nor another identity; `identity_not_found`, except
        ///   for a repetition after a lost answer …
        public func remove(_ id: JoinedIdentityID) async throws {
            try await wallet.remove(.removeIdentity, Endpoints.accountIdentity.path(id), missing: .identityNotFound)
        }
    }
}
