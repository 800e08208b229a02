internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Finds the apps with which a person uses other brands. Apple records a consent per app and not per brand, so revoking
/// one brand's token would sign the person out of the other.
struct AppleSharedConsents: Sendable {
    let database: any Database
    let sealing: SealingKeys
    let providers: ProviderVault

    /// The apps of a person's consents in other brands.
    /// - Parameters:
    ///   - digest: the identity, which is the same for every brand of a team.
    ///   - brand: the brand to leave out.
    /// - Returns: the brand for each app's client ID.
    func brands(of digest: [UInt8], besides brand: String) async throws -> [String: String] {
        let others = try await database.read {
            try AppleGrants.list(of: digest, inOtherBrandsThan: brand, on: $0)
        }
        var brands: [String: String] = [:]
        for other in others where other.suspendedAt == nil {
            for client in try await clients(of: other) { brands[client] = other.brandID }
        }
        return brands
    }

    /// If no token names the app, it may be any app of the provider.
    private func clients(of grant: AppleGrantRecord) async throws -> [String] {
        if let tokens = AppleGrantVault(sealing).open(grant), !tokens.isEmpty { return tokens.map(\.clientID) }
        let provider = try await providers.find(
            ProviderID(grant.providerID), brand: BrandID(grant.brandID))
        return (provider?.vendor as? AppleProvider)?.settings.clientIDs ?? []
    }
}
