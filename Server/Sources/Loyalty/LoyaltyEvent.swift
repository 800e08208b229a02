internal import Kernel
internal import WalletAuthWire

/// The events of loyalty accounts in the audit log.
enum LoyaltyEvent: String, SecurityEventKind, CaseIterable {
    case enrolled = "loyalty.enrolled"
    /// The guest proved by a code that a phone number is theirs, which one-time passwords are sent to from then on.
    case phoneProved = "loyalty.phone_proved"
    /// A limit of one-time passwords that guests share was reached.
    case codesHeld = "loyalty.codes_held"
}

extension LoyaltyAccountRecord {
    /// The codes of its enrollment.
    var details: JSONObject {
        var details = JSONObject()
        details.set("number", number)
        details.set("merchant_id", merchantID)
        details.set("integration", integrationID)
        details.set("card_template", cardTemplate)
        details.set("activation_store", activationStore)
        return details
    }
}
