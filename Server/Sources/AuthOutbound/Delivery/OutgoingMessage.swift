public import AuthCore

/// A message on its way to one person.
public struct OutgoingMessage: Sendable, Hashable {
    /// Its id, the same at each attempt: receivers tell repeats apart by it.
    public var id: String
    /// What it is about, such as `email_code`.
    public var kind: String
    /// The e-mail address or telephone number.
    public var recipient: String
    /// The subject; without use in an SMS.
    public var subject: String
    /// The text, lines separated by `\n`.
    public var text: String
    /// When it was written.
    public var createdAt: Timestamp
    /// Of no use after.
    public var expiresAt: Timestamp

    /// Each parameter is the property of its name.
    public init(
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
