/// What a person sent from a page: a button, and what the page was served with.
public struct PageSubmission<Action: Sendable>: Sendable {
    /// The hidden field `request`, as it was served.
    public var request: String
    /// The hidden field `csrf`, as it was served.
    public var csrf: String
    /// The button.
    public var action: Action

    /// - Parameters:
    ///   - request: the hidden field `request`.
    ///   - csrf: the hidden field `csrf`.
    ///   - action: the button and its fields.
    public init(request: String, csrf: String, action: Action) {
        self.request = request
        self.csrf = csrf
        self.action = action
    }
}
