internal import AuthFlows
internal import AuthStore
internal import WalletAuthWire

/// A merchant's integration with a vendor's provider, found for a client of its brand.
struct LoyaltyIntegration: Sendable {
    let record: ProviderIntegrationRecord
    let provider: IdentityProvider
    let vendor: any VendorProvider

    /// Finds an integration. One of another brand is answered like one that does not exist.
    static func find(
        _ id: IntegrationID, of merchant: Int64, for call: LoyaltyCall, in context: ServerContext
    ) async throws -> Result<LoyaltyIntegration, LoyaltyFailure> {
        let brand = try call.client.accountBrand
        let (own, found) = try await context.database.read { connection in
            let own = try ProviderIntegrations.list(merchant: merchant, on: connection)
                .filter { $0.brandID == brand.rawValue }
            let integration = own.first { $0.integrationID == id.rawValue }
            let provider = try integration.flatMap {
                try IdentityProviders.find($0.providerID, brand: $0.brandID, on: connection)
            }
            return (own, integration.flatMap { record in provider.map { (record, $0) } })
        }
        guard !own.isEmpty else { return .failure(LoyaltyFailure(.unknownMerchant)) }
        guard let (record, registered) = found else { return .failure(LoyaltyFailure(.unknownIntegration)) }
        let provider = try ProviderVault(context: context).open(registered)
        guard let vendor = provider.vendor else { return .failure(LoyaltyFailure(.unknownIntegration)) }
        return .success(LoyaltyIntegration(record: record, provider: provider, vendor: vendor))
    }

    /// Whether a client's brand has any integration of a merchant.
    static func isKnown(merchant: Int64, to call: LoyaltyCall, in context: ServerContext) async throws -> Bool {
        let brand = try call.client.accountBrand.rawValue
        return try await context.database.read { connection in
            try ProviderIntegrations.list(merchant: merchant, on: connection).contains { $0.brandID == brand }
        }
    }

    /// Why the enrollment's codes are refused; `nil` if they are the integration's, or if it has no codes.
    func refusal(of request: LoyaltyEnrollmentRequest) -> LoyaltyFailure? {
        if let template = record.cardTemplate, request.cardTemplateCode != template {
            return LoyaltyFailure(.unknownCardTemplate)
        }
        if let store = record.activationStore, request.activationStoreCode != store {
            return LoyaltyFailure(.unknownStore)
        }
        return nil
    }
}
