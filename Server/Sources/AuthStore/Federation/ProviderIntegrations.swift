/// A merchant's integration with an identity provider, under the name by which integrators ask for it.
package struct ProviderIntegrationRecord: Sendable, Hashable {
    /// The merchant, by the number that integrators know it by.
    package let merchantID: Int64
    /// The integration's name.
    package let integrationID: String
    /// Whose people come by it.
    package let brandID: String
    /// The provider that it leads to, among the brand's.
    package let providerID: String
    /// The card template that an enrollment has to name; `nil` for any.
    package let cardTemplate: Int64?
    /// The store that an enrollment has to name; `nil` for any.
    package let activationStore: String?

    /// Each parameter is the property of its name.
    package init(
        merchantID: Int64, integrationID: String, brandID: String, providerID: String, cardTemplate: Int64?,
        activationStore: String?
    ) {
        self.merchantID = merchantID
        self.integrationID = integrationID
        self.brandID = brandID
        self.providerID = providerID
        self.cardTemplate = cardTemplate
        self.activationStore = activationStore
    }

    fileprivate init(_ row: SQLRow) throws {
        self.init(
            merchantID: try row.integer("merchant_id"), integrationID: try row.text("integration_id"),
            brandID: try row.text("brand_id"), providerID: try row.text("provider_id"),
            cardTemplate: try row.optionalInteger("card_template"),
            activationStore: try row.optionalText("activation_store"))
    }
}

/// The facts of integrations. It owns the `provider_integrations` table.
package enum ProviderIntegrations {
    /// Adds an integration.
    /// - Returns: whether the merchant had none of that name; nothing was written otherwise.
    /// - Throws: ``StoreError``.
    package static func add(_ integration: ProviderIntegrationRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO provider_integrations
                (merchant_id, integration_id, brand_id, provider_id, card_template, activation_store)
            VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (merchant_id, integration_id) DO NOTHING
            """,
            [
                .integer(integration.merchantID), .text(integration.integrationID), .text(integration.brandID),
                .text(integration.providerID), .optional(integration.cardTemplate),
                .optional(integration.activationStore),
            ]) == 1
    }

    /// A merchant's integration of a name; one point read.
    package static func find(
        merchant: Int64, integration: String, on connection: any SQLConnection
    ) throws -> ProviderIntegrationRecord? {
        try connection.row(
            "SELECT * FROM provider_integrations WHERE merchant_id = $1 AND integration_id = $2",
            [.integer(merchant), .text(integration)]
        ).map(ProviderIntegrationRecord.init)
    }

    /// Whether a merchant has any integration in a brand.
    package static func exist(merchant: Int64, brand: String, on connection: any SQLConnection) throws -> Bool {
        try connection.row(
            "SELECT 1 FROM provider_integrations WHERE merchant_id = $1 AND brand_id = $2 LIMIT 1",
            [.integer(merchant), .text(brand)]) != nil
    }

    /// The integrations that lead to a provider.
    package static func list(
        provider: String, brand: String, on connection: any SQLConnection
    ) throws -> [ProviderIntegrationRecord] {
        try connection.query(
            """
            SELECT * FROM provider_integrations WHERE brand_id = $1 AND provider_id = $2
            ORDER BY merchant_id, integration_id LIMIT 100
            """, [.text(brand), .text(provider)]
        ).map(ProviderIntegrationRecord.init)
    }

    /// Removes the integrations of a provider, as its removal does.
    package static func remove(provider: String, brand: String, on connection: any SQLConnection) throws {
        try connection.execute(
            "DELETE FROM provider_integrations WHERE brand_id = $1 AND provider_id = $2",
            [.text(brand), .text(provider)])
    }
}
