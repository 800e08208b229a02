package import Kernel

/// The message that an account's e-mail address or phone number was changed or removed. It goes to the old one, to the new one, and
/// over the other channel.
///
/// It names neither: the old mailbox may be an attacker's, and the new one may be mistyped.
package struct ContactMessage: SecurityMessage {
    package let kind: Kind
    package let channel: OutboxChannel?

    package init(_ kind: Kind, over channel: OutboxChannel) {
        self.kind = kind
        self.channel = channel
    }

    package enum Kind: String, SecurityMessageKind, CaseIterable {
        case emailChanged = "email_changed"
        case emailRemoved = "email_removed"
        case phoneChanged = "phone_changed"
        case phoneRemoved = "phone_removed"
    }
}

extension ContactMessage.Kind {
    package var template: MessageTemplate { MessageTemplate(advice: .ask) }
}
