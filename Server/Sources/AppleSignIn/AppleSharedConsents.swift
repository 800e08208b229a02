internal import AuthCore
internal import AuthFlows
internal import AuthStore
internal import WalletAuthWire

/// The apps by which a person uses other brands. Apple knows a consent for an app and not for a brand, so revoking the token of one
/// brand would sign the person out of the other.
struct AppleSharedConsents: Sendable {
    let context: ServerContext

    /// The apps of a person's consents in other brands.
    /// - Parameters:
    ///   - digest: the identity, which is the same for every brand of a team.
    ///   - brand: the brand that is left out.
    /// - Returns: the brand by each app's client id.
    func brands(of digest: [UInt8], besides brand: String) async throws -> [String: String] {
        let others = try await context.database.read {
            try AppleGrants.list(of: digest, inOtherBrandsThan: brand, on: $0)
        }
        var brands: [String: String] = [:]
        for other in others where other.suspendedAt == nil {
            for client in try await clients(of: other) { brands[client] = other.brandID }
        }
        return brands
    }

    /// Where no token says for which app it is, each app of the provider may be the one.
    private func clients(of grant: AppleGrantRecord) async throws -> [String] {
        if let tokens = AppleGrantVault(context: context).open(grant), !tokens.isEmpty { return tokens.map(\.clientID) }
        let provider = try await ProviderVault(context: context).find(
            ProviderID(grant.providerID), brand: BrandID(grant.brandID))
        return (provider?.vendor as? AppleProvider)?.settings.clientIDs ?? []
    }
}
