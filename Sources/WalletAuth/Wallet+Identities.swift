public import WalletAuthWire

extension Wallet.AccountEnrollment {
    /// Links a provider's identity to the signed-in account instead of creating a new one. From then on, the provider
    /// signs in to the account.
    ///
    /// Call it after ``Wallet/login(federatedIdentity:strength:properties:requestedAttributes:)`` returned
    /// ``LoginOutcome/noMatchingGuest(_:)`` and the person, who already has an account, signed in to it as usual (with
    /// two factors if it has them). Both must happen on this device within minutes. The server notifies the account's
    /// owner. A matching e-mail address links nothing by itself.
    /// - Parameter guest: from the federated sign-in. Linking the same identity again is harmless.
    /// - Returns: the identity as linked to the account.
    /// - Throws: ``WalletError``: `insufficient_user_authentication` if the sign-in to the account was too weak or too
    ///   long ago; `identity_taken` if another account has it; `invalid_session` if it took too long, or the provider
    ///   was removed; `too_many_identities`, `signed_out` …
    @discardableResult
    public func join(_ guest: GuestContinuation) async throws -> JoinedIdentity {
        try await core.during(.joinIdentity) {
            try JoinedIdentity(
                try await core.sessionCalls.send(
                    .put, Endpoints.accountIdentities.path, IdentityJoining(session: guest.continuation.session).json,
                    during: .joinIdentity))
        }
    }
}

extension Wallet {
    /// The signed-in account's identities at identity providers.
    public var identities: Identities { Identities(core: core) }

    /// The identities linked to an account; ``AccountEnrollment/join(_:)`` links another.
    public struct Identities: Sendable {
        let core: WalletCore

        /// Returns the account's identities, oldest first.
        /// - Throws: ``WalletError``.
        public func list() async throws -> [JoinedIdentity] {
            try await core.during(.listIdentities) {
                try JoinedIdentityList(
                    try await core.sessionCalls.send(.get, Endpoints.accountIdentities.path, during: .listIdentities)
                ).identities
            }
        }

        /// Unlinks an identity, which then no longer signs in to the account. Other sessions that an identity provider
        /// opened end; this one continues.
        /// - Parameter id: the identity.
        /// - Throws: ``WalletError``: `insufficient_user_authentication` as for ``AccountEnrollment/join(_:)``;
        ///   `last_way_in` if the account has neither a password nor another identity; `identity_not_found` …
        public func remove(_ id: JoinedIdentityID) async throws {
            try await core.during(.removeIdentity) {
                _ = try await core.sessionCalls.send(
                    .delete, Endpoints.accountIdentity.path(id), during: .removeIdentity)
            }
        }
    }
}
