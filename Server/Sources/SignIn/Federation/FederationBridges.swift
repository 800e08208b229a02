internal import Core
package import Kernel

// Folders that still have the whole server make parts of this one from it. Each of these ends when the value that builds their flows holds
// a ``Federation``.

extension SignInAttempt {
    var federation: FederatedSignIn { Federation(context: context).signIn }
}

extension EmailAfterProvider {
    package init(context: ServerContext) { self.init(sealing: context.sealing, vendors: context.vendors) }
}

extension AccountIdentities {
    package init(context: ServerContext) { self = Federation(context: context).identities }
}

extension ProviderVault {
    package init(context: ServerContext) { self = context.providerVault }
}

extension ServerContext {
    func report(_ failure: ProviderFailure, of provider: IdentityProvider) {
        providerAccess.report(failure, of: provider)
    }
}

/// A new account, on its way to ``GuestAccounts``.
package struct GuestAccount: Sendable {
    typealias Details = GuestAccounts.Details

    private let accounts: GuestAccounts
    private let guest: ProvenIdentity
    private let details: Details
    private let now: Timestamp

    init(context: ServerContext, of guest: ProvenIdentity, _ details: Details, now: Timestamp) throws {
        accounts = Federation(context: context).accounts
        (self.guest, self.details, self.now) = (guest, details, now)
    }

    func make() async throws -> GuestAccounts.Outcome {
        try await accounts.make(for: guest, details, now: now)
    }
}
