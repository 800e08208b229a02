internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire
internal import Web

/// A merchant's integration with a vendor's provider, looked up for a client of its brand.
struct LoyaltyIntegration: Sendable {
    let record: ProviderIntegrationRecord
    let provider: IdentityProvider
    let vendor: any VendorProvider

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

/// The integrations of merchants.
struct LoyaltyIntegrations: Sendable {
    let database: any Database
    let vault: ProviderVault

    /// Finds an integration. Another brand's, or that of a merchant that the client does not serve, gets the response of an
    /// unknown one.
    func find(
        _ id: IntegrationID, of merchant: Int64, for call: LoyaltyCaller
    ) async throws -> Result<LoyaltyIntegration, LoyaltyFailure> {
        guard call.client.loyaltyMerchants.contains(merchant) else { return .failure(LoyaltyFailure(.unknownMerchant)) }
        let brand = try call.client.accountBrand
        let (isKnown, found) = try await database.read { connection in
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
        let provider = try vault.open(registered)
        guard let vendor = provider.vendor else { return .failure(LoyaltyFailure(.unknownIntegration)) }
        return .success(LoyaltyIntegration(record: record, provider: provider, vendor: vendor))
    }

    /// Whether a claimed identity is linked to an account.
    func isLinked(_ claim: ExternalAccountCheck.Claim) async throws -> Bool {
        let brand = claim.integration.provider.brand.rawValue
        return try await database.read {
            try FederatedIdentities.find(claim.digest, brand: brand, on: $0) != nil
        }
    }

    /// Whether a client serves this merchant, and its brand has an integration of it.
    func isKnown(merchant: Int64, to call: LoyaltyCaller) async throws -> Bool {
        guard call.client.loyaltyMerchants.contains(merchant) else { return false }
        let brand = try call.client.accountBrand.rawValue
        return try await database.read { connection in
            try ProviderIntegrations.exist(merchant: merchant, brand: brand, on: connection)
        }
    }

    /// Whether a client may sign an account in by its password alone. The account belongs to the merchant that enrolled it; one
    /// that none enrolled belongs to the brand, for which only a client of all its merchants speaks.
    /// - Parameter account: `nil` for a name without an account, which takes as long.
    func reaches(
        _ account: UniqueID?, by call: LoyaltyCaller
    ) async throws -> Bool {
        let (own, brand) = (call.client.loyaltyMerchants, try call.client.accountBrand.rawValue)
        return try await database.read { connection in
            if let account, let enrolled = try LoyaltyAccounts.find(account, on: connection) {
                return own.contains(enrolled.merchantID)
            }
            return try own.isSuperset(of: ProviderIntegrations.merchants(of: brand, on: connection))
        }
    }
}
