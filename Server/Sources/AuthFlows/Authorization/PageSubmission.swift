/// What a person sent from a page: a button, and what the page was served with.
package struct PageSubmission<Action: Sendable>: Sendable {
    /// The hidden field `request`, as it was served.
    package var request: String
    /// The hidden field `csrf`, as it was served.
    package var csrf: String
    /// The button.
    package var action: Action

    /// - Parameters:
    ///   - request: the hidden field `request`.
    ///   - csrf: the hidden field `csrf`.
    ///   - action: the button and its fields.
    package init(request: String, csrf: String, action: Action) {
        self.request = request
        self.csrf = csrf
        self.action = action
    }
}
