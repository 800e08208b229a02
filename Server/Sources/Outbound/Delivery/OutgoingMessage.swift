package import Core

/// A message to one person, ready to be sent.
package struct OutgoingMessage: Sendable, Hashable {
    /// The same for each attempt, so that receivers recognize repeats.
    package var id: String
    /// For example `email_code`.
    package var kind: String
    /// The e-mail address or telephone number, or the token of a device for pushes.
    package var recipient: String
    /// Used by e-mail only.
    package var subject: String
    /// Lines are separated by `\n`.
    package var text: String
    package var createdAt: Timestamp
    /// When the message becomes useless.
    package var expiresAt: Timestamp
    /// Only of a push.
    package var push: PushTarget?

    package init(
        id: String, kind: String, recipient: String, subject: String, text: String, createdAt: Timestamp,
        expiresAt: Timestamp, push: PushTarget? = nil
    ) {
        self.id = id
        self.kind = kind
        self.recipient = recipient
        self.subject = subject
        self.text = text
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.push = push
    }
}
