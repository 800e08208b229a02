package import Core

/// A message to an account's holder. Each flow declares its own.
///
/// Each feature declares its own messages with their texts, and writes them in its transaction. This folder renders
/// and delivers them.
package protocol SecurityMessage: Sendable {
    associatedtype Kind: SecurityMessageKind

    var kind: Kind { get }

    /// The required channel of a code; `nil` for a notice, which goes to any address of the account.
    var channel: OutboxChannel? { get }

    /// After this time the message is useless.
    var lifetime: Duration { get }

    /// The values of the placeholders in its text. They are stored sealed.
    ///
    /// Some add a sentence of their own: `code`, `device`, and `cooling`, the time until which a new factor approves no payments. `to`
    /// is the address.
    func values(at now: Timestamp) -> [String: String]
}

extension SecurityMessage {
    /// The lifetime of a message without a code.
    package static var noticeLifetime: Duration { .days(7) }

    package var channel: OutboxChannel? { nil }
    package var lifetime: Duration { Self.noticeLifetime }
    package func values(at now: Timestamp) -> [String: String] { [:] }
}

/// The kind of a message. Each flow declares its own.
package protocol SecurityMessageKind: Sendable {
    /// Stored in the message's row. At delivery, ``MessageCatalog`` finds the template by it.
    var rawValue: String { get }

    var template: MessageTemplate { get }
}
