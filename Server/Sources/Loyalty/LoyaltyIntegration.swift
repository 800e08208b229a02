internal import AuthCredentials
internal import AuthFoundation
internal import AuthStore
internal import WalletAuthWire

/// A merchant's integration with a vendor's provider, looked up for a client of its brand.
struct LoyaltyIntegration: Sendable {
    let record: ProviderIntegrationRecord
    let provider: IdentityProvider
    let vendor: any VendorProvider

    /// Finds an integration. Another brand's gets the response of an unknown one.
    static func find(
        _ id: IntegrationID, of merchant: Int64, for call: LoyaltyCaller, in context: ServerContext
    ) async throws -> Result<LoyaltyIntegration, LoyaltyFailure> {
        let brand = try call.client.accountBrand
        let (isKnown, found) = try await context.database.read { connection in
            let integration = try ProviderIntegrations.find(
                merchant: merchant, integration: id.rawValue, on: connection)
            guard let integration, integration.brandID == brand.rawValue else {
                let isKnown = try ProviderIntegrations.exist(
                    merchant: merchant, brand: brand.rawValue, on: connection)
                return (isKnown, nil as (ProviderIntegrationRecord, IdentityProviderRecord)?)
            }
            let provider = try IdentityProviders.find(
                integration.providerID, brand: integration.brandID, on: connection)
            return (true, provider.map { (integration, $0) })
        }
        guard isKnown else { return .failure(LoyaltyFailure(.unknownMerchant)) }
        guard let (record, registered) = found else { return .failure(LoyaltyFailure(.unknownIntegration)) }
        let provider = try ProviderVault(context: context).open(registered)
        guard let vendor = provider.vendor else { return .failure(LoyaltyFailure(.unknownIntegration)) }
        return .success(LoyaltyIntegration(record: record, provider: provider, vendor: vendor))
    }

    /// Whether a client's brand has an integration of this merchant.
    static func isKnown(merchant: Int64, to call: LoyaltyCaller, in context: ServerContext) async throws -> Bool {
        let brand = try call.client.accountBrand.rawValue
        return try await context.database.read { connection in
            try ProviderIntegrations.exist(merchant: merchant, brand: brand, on: connection)
        }
    }

    /// Why the codes in the enrollment are refused; `nil` if they match the integration, or if it has none.
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
