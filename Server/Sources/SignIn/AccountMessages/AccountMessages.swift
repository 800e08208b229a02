package import Kernel

/// The messages about an account, whichever flow causes them.
package enum AccountMessage: String, SecurityMessage, SecurityMessageKind, CaseIterable {
    case deactivated = "wallet_deactivated"
    case passwordChanged = "password_changed"
    /// The password is known to others, and a new one is required.
    case passwordExpired = "password_expired"

    package var kind: AccountMessage { self }
}

extension AccountMessage {
    package var template: MessageTemplate {
        switch self {
        case .deactivated, .passwordExpired: MessageTemplate(advice: .ask)
        case .passwordChanged: MessageTemplate(advice: .protect)
        }
    }
}
