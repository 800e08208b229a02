package import AuthCore

/// A message on its way to one person.
package struct OutgoingMessage: Sendable, Hashable {
    /// Its id, the same at each attempt: receivers tell repeats apart by it.
    package var id: String
    /// What it is about, such as `email_code`.
    package var kind: String
    /// The e-mail address or telephone number.
    package var recipient: String
    /// The subject; without use in an SMS.
    package var subject: String
    /// The text, lines separated by `\n`.
    package var text: String
    /// When it was written.
    package var createdAt: Timestamp
    /// Of no use after.
    package var expiresAt: Timestamp

    /// Each parameter is the property of its name.
    package init(
        id: String, kind: String, recipient: String, subject: String, text: String, createdAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.id = id
        self.kind = kind
        self.recipient = recipient
        self.subject = subject
        self.text = text
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
