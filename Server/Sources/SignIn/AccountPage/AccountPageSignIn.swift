/// A sign-in for the account's own page instead of an app.
package struct AccountPageSignIn: Sendable {
    package let page: AccountPageState
    package let host: AccountPages

    package init(page: AccountPageState, host: AccountPages) {
        self.page = page
        self.host = host
    }
}
