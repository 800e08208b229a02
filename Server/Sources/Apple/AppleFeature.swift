package import Kernel
package import Store
package import Web

/// What Sign in with Apple adds to the server.
package enum AppleFeature {
    package static let events: [any SecurityEventKind] = AppleEvent.allCases

    package static func routes(_ edge: Edge, _ flows: AppleFlows) -> [Route] {
        AppleNotificationEndpoint(notifications: flows.notifications, faults: edge.faults).routes
    }
}

/// What Apple said of an address ends with the address.
package struct AppleRows: DependentRows {
    package init() {}

    package func emailChanged(of account: UniqueID, on connection: any SQLConnection) throws {
        try AppleGrants.forgetReachability(of: account, on: connection)
    }

    /// What Apple said was of the former account's address.
    package func accountMerged(
        _ account: UniqueID, into other: UniqueID, on connection: any SQLConnection
    ) throws {
        try AppleGrants.forgetReachability(of: account, on: connection)
    }
}

/// The events of Sign in with Apple in the audit log.
enum AppleEvent: String, SecurityEventKind, CaseIterable {
    case suspended = "identity.suspended"
    case resumed = "identity.resumed"
    case transferPrepared = "provider.transfer_prepared"
    case transferred = "identity.transferred"
    case addressReachable = "identity.address_reachable"
    case addressUnreachable = "identity.address_unreachable"
    case revoked = "identity.consent_revoked"
    case revocationWithheld = "identity.revocation_withheld"
    case revocationAbandoned = "identity.revocation_abandoned"

    var webhookKind: WebhookKind? {
        switch self {
        case .suspended, .resumed, .transferred: .identities
        case .transferPrepared, .addressReachable, .addressUnreachable, .revoked, .revocationWithheld,
            .revocationAbandoned:
            nil
        }
    }
}
