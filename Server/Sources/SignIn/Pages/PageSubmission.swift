/// A form submitted from a page.
package struct PageSubmission<Action: Sendable>: Sendable {
    /// The hidden field `request`.
    package var request: String
    /// The hidden field `csrf`.
    package var csrf: String
    /// The button and its fields.
    package var action: Action

    package init(request: String, csrf: String, action: Action) {
        self.request = request
        self.csrf = csrf
        self.action = action
    }
}
