package import Kernel

/// A guest whom a vendor's provider vouches for.
package struct ProvenGuest: Sendable {
    /// How long a guest's proof can be used to create or link an account.
    package static let lifetime = PendingSignIn.lifetime

    package let identity: ProvenIdentity

    /// The guest's subject at the provider.
    package var subject: String { identity.subject }

    /// Converts a vendor's identity.
    package init(_ told: VendorIdentity, at provider: IdentityProvider) {
        var identity = ProvenIdentity(
            ProviderPerson(subject: told.subject, email: told.email, isEmailVerified: told.isEmailVerified),
            at: provider)
        identity.grant = told.grant
        identity.authTime = told.authTime
        self.identity = identity
    }

    /// The account linked to the guest's identity.
    package func account(in context: ServerContext) async throws -> AccountRecord? {
        try await identity.account(in: context)
    }
}
