package import Store

/// A merchant's integration with an identity provider, under the id that integrators use.
package struct ProviderIntegrationRecord: Sendable, Hashable {
    /// The number by which integrators know the merchant.
    package let merchantID: Int64
    package let integrationID: String
    package let brandID: String
    /// The provider, among the brand's.
    package let providerID: String
    /// The card template that an enrollment must name; `nil` for any.
    package let cardTemplate: Int64?
    /// The store that an enrollment must name; `nil` for any.
    package let activationStore: String?

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

    /// The columns that ``init(_:)`` reads.
    enum Column: Int, RecordColumn {
        case merchantID, integrationID, brandID, providerID, cardTemplate, activationStore
    }

    static let columns = Column.list()

    fileprivate init(_ row: SQLRow) throws {
        let row = RecordRow<Column>(row)
        self.init(
            merchantID: try row.integer(.merchantID), integrationID: try row.text(.integrationID),
            brandID: try row.text(.brandID), providerID: try row.text(.providerID),
            cardTemplate: try row.optionalInteger(.cardTemplate),
            activationStore: try row.optionalText(.activationStore))
    }
}

/// Reads and writes integrations. It owns the `provider_integrations` table.
package enum ProviderIntegrations {
    /// - Returns: whether the merchant had no integration of that id; nothing was written otherwise.
    package static func add(_ integration: ProviderIntegrationRecord, on connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO provider_integrations (\(ProviderIntegrationRecord.columns))
            VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (merchant_id, integration_id) DO NOTHING
            """,
            [
                .integer(integration.merchantID), .text(integration.integrationID), .text(integration.brandID),
                .text(integration.providerID), .optional(integration.cardTemplate),
                .optional(integration.activationStore),
            ]) == 1
    }

    /// One point read.
    package static func find(
        merchant: Int64, integration: String, on connection: any SQLConnection
    ) throws -> ProviderIntegrationRecord? {
        try connection.row(
            """
            SELECT \(ProviderIntegrationRecord.columns) FROM provider_integrations
            WHERE merchant_id = $1 AND integration_id = $2
            """,
            [.integer(merchant), .text(integration)]
        ).map(ProviderIntegrationRecord.init)
    }

    package static func exist(merchant: Int64, brand: String, on connection: any SQLConnection) throws -> Bool {
        try connection.row(
            "SELECT 1 FROM provider_integrations WHERE merchant_id = $1 AND brand_id = $2 LIMIT 1",
            [.integer(merchant), .text(brand)]) != nil
    }

    /// The merchants with integrations in a brand.
    package static func merchants(of brand: String, on connection: any SQLConnection) throws -> [Int64] {
        try connection.query(
            """
            SELECT DISTINCT merchant_id FROM provider_integrations WHERE brand_id = $1 ORDER BY merchant_id LIMIT 1000
            """, [.text(brand)]
        ).map { try $0.integer("merchant_id") }
    }

    package static func list(
        provider: String, brand: String, on connection: any SQLConnection
    ) throws -> [ProviderIntegrationRecord] {
        try connection.query(
            """
            SELECT \(ProviderIntegrationRecord.columns) FROM provider_integrations
            WHERE brand_id = $1 AND provider_id = $2
            ORDER BY merchant_id, integration_id LIMIT 100
            """, [.text(brand), .text(provider)]
        ).map(ProviderIntegrationRecord.init)
    }

    /// Deletes the integrations of a removed provider.
    package static func remove(provider: String, brand: String, on connection: any SQLConnection) throws {
        try connection.execute(
            "DELETE FROM provider_integrations WHERE brand_id = $1 AND provider_id = $2",
            [.text(brand), .text(provider)])
    }
}
