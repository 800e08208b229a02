/// A sign-in for the account's own page instead of an app.
struct AccountPageSignIn: Sendable {
    let page: AccountPageState
    let host: AccountPages
}
