/// What a receiver of webhooks subscribes to.
///
/// This folder owns what a webhook says about an event, and its row in the write that causes it. The receivers, and the delivery to
/// them, are in `Operations/Webhooks`.
package enum WebhookKind: String, Sendable, CaseIterable {
    case transactions
    case walletOperations = "wallet-operations"
    case devices
    case signIns = "sign-ins"
    case accounts
    case identities
    case sessions
}

extension SecurityEventKind {
    /// Most events concern the holder and auditors only.
    package var webhookKind: WebhookKind? { nil }
}
