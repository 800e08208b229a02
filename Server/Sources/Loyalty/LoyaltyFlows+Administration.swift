internal import AuthAdministration
internal import AuthCore
internal import AuthFoundation
package import AuthStore
package import WalletAuthWire

extension LoyaltyFlows: AdministeredFlow {
    package var name: String { "loyalty" }

    package var eventKinds: [String] { LoyaltyEvent.allCases.map(\.rawValue) }

    /// The loyalty data of an account, with the codes of its enrollment.
    package func export(of account: UniqueID) async throws -> (member: String, value: JSONValue) {
        guard let kept = try await context.database.read({ try LoyaltyAccounts.find(account, on: $0) }) else {
            return ("loyaltyAccount", .null)
        }
        var json = JSONObject()
        json.set("number", kept.number)
        json.set("merchantId", kept.merchantID)
        json.set("integration", kept.integrationID)
        json.set("cardTemplateCode", kept.cardTemplate)
        json.set("activationStoreCode", kept.activationStore)
        json.set("enrolledAt", kept.enrolledAt.text)
        return ("loyaltyAccount", .object(json))
    }
}
