internal import Kernel
internal import Store
internal import WalletAuthWire

/// Sign-in by identity providers, accounts for people without one, and the identities of accounts, built once.
///
/// This folder owns what a provider says about a person and its verification, the links of an account, and guests. It does not own a
/// vendor's service (`Apple`).
package struct Federation: Sendable {
    let signIn: FederatedSignIn
    package let accounts: GuestAccounts
    package let identities: AccountIdentities
    package let guestAttempts: GuestAttempts

    init(
        context: ServerContext, secondFactors: SecondFactorReader, stepUp: StepUp, addresses: AddressAttempts,
        challenges: DeviceChallenges
    ) {
        let (database, access, settings) = (context.database, context.providerAccess, context.settings)
        signIn = FederatedSignIn(
            database: database, access: access, providers: context.providerVault,
            attempts: FederatedAttempts(
                database: database, keyRing: context.keyRing, lockout: settings.lockout, addresses: addresses,
                access: access),
            verification: ProviderVerification(
                access: access, exchange: ProviderCodeExchange(access: access),
                repository: UserRepositoryClient(
                    access: access, issuer: settings.issuer, keyRing: context.keyRing, random: context.random),
                challenges: challenges, database: database, issuer: settings.issuer),
            secondFactors: secondFactors)
        accounts = GuestAccounts(
            database: database, sealing: context.sealing, auditLog: context.auditLog, addresses: addresses,
            providers: context.providerVault, access: access)
        identities = AccountIdentities(
            database: database, clock: context.clock, sealing: context.sealing, auditLog: context.auditLog,
            providers: context.providerVault, access: access, guestSessions: GuestSession.sealed(by: context.sealing),
            stepUp: stepUp)
        guestAttempts = GuestAttempts(
            database: database, keyRing: context.keyRing, lockout: settings.lockout, access: access)
    }
}

/// What a sign-in by a provider uses, with an app's credential and by a page.
struct FederatedSignIn: Sendable {
    let database: any Database
    let access: ProviderAccess
    let providers: ProviderVault
    let attempts: FederatedAttempts
    let verification: ProviderVerification
    let secondFactors: SecondFactorReader

    /// Whether a page can ask for a factor of another category than the provider's.
    func hasSecondFactor(_ account: AccountRecord) async throws -> Bool {
        let usable = try await database.read { connection in
            let brand = try Brands.find(account.brandID, on: connection).map { try BrandProfile(json: $0.settings) }
            return try secondFactors.usable(by: account, after: .provider, brand: brand, on: connection)
        }
        return usable.subtracting(secondFactors.undeliverable)
            .contains { AuthenticationStrength.category(of: $0.authenticationMethod) != nil }
    }
}
