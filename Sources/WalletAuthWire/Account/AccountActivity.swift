/// What happened to the account, the newest first (`GET /v1/account/activity`).
public struct AccountActivity: WireMessage {
    /// Something that happened.
    public struct Entry: WireMessage {
        /// When.
        public var at: NumericDate
        /// What, as a sentence in the person's language.
        public var text: String
        /// The name of the app through which it happened, if it was one.
        public var app: String?
        /// The network address of the request, if there was one.
        public var address: String?

        /// Creates a value. Each parameter sets the property of the same name.
        public init(at: NumericDate, text: String, app: String? = nil, address: String? = nil) {
            self.at = at
            self.text = text
            self.app = app
            self.address = address
        }
    }

    /// A page of entries. It may have none although there are more.
    public var entries: [Entry]
    /// What to ask for the next page with; nil after the last one.
    public var cursor: String?

    /// Creates a value. Each parameter sets the property of the same name.
    public init(entries: [Entry], cursor: String? = nil) {
        self.entries = entries
        self.cursor = cursor
    }
}
