public import WalletAuthWire

extension Wallet.AccountEnrollment {
    /// Joins somebody whom a provider knows to the account that is signed in, in the place of a new account: from then on the
    /// provider's word signs in to it.
    ///
    /// The way there: ``Wallet/login(federatedIdentity:strength:properties:requestedAttributes:)`` came with
    /// ``LoginOutcome/noMatchingGuest(_:)``, the person says that they have an account already and signs in to it as they
    /// always do, with two factors where it has them, and then this joins both. It has to happen on this device and within
    /// minutes. The holder is told. An e-mail address joins nobody.
    /// - Parameter guest: what the federated sign-in came with. Joining the same again is harmless.
    /// - Returns: the identity, as the account has it now.
    /// - Throws: ``WalletError``: `insufficient_user_authentication` where the sign-in to the account was too weak or too long
    ///   ago; `identity_taken` where it is another account's; `invalid_session` where it took too long, or the provider is
    ///   gone; `too_many_identities`, `signed_out` …
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
    /// Who the person that is signed in is at identity providers.
    public var identities: Identities { Identities(core: core) }

    /// The identities that are joined to an account; ``AccountEnrollment/join(_:)`` joins another.
    public struct Identities: Sendable {
        let core: WalletCore

        /// The account's identities, the oldest first.
        /// - Throws: ``WalletError``.
        public func list() async throws -> [JoinedIdentity] {
            try await core.during(.listIdentities) {
                try JoinedIdentityList(
                    try await core.sessionCalls.send(.get, Endpoints.accountIdentities.path, during: .listIdentities)
                ).identities
            }
        }

        /// Takes an identity away: its provider's word signs in to the account no more. Sessions go on.
        /// - Parameter id: the identity.
        /// - Throws: ``WalletError``: `insufficient_user_authentication` as for ``AccountEnrollment/join(_:)``; `last_way_in`
        ///   where the account has neither a password nor another identity; `identity_not_found` …
        public func remove(_ id: JoinedIdentityID) async throws {
            try await core.during(.removeIdentity) {
                _ = try await core.sessionCalls.send(
                    .delete, Endpoints.accountIdentity.path(id), during: .removeIdentity)
            }
        }
    }
}
