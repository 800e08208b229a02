public import WalletAuthWire

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
        ///   `last_way_in` if the account has neither a password nor another identity; `identity_not_found`, except
        ///   for a repetition after a lost answer …
        public func remove(_ id: JoinedIdentityID) async throws {
            try await core.during(.removeIdentity) {
                try await core.sessionCalls.remove(
                    Endpoints.accountIdentity.path(id), missing: .identityNotFound, during: .removeIdentity)
            }
        }
    }
}
