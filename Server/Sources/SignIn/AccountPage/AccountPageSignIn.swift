package import Core
package import Kernel
package import WalletAuthWire

/// A sign-in for the account's own page instead of an app.
package struct AccountPageSignIn: Sendable {
    package let page: AccountPageState
    package let host: any AccountPageHost

    package init(page: AccountPageState, host: any AccountPageHost) {
        self.page = page
        self.host = host
    }
}

/// The account's own page, as far as a sign-in on it has to know. A floor above this one implements it.
package protocol AccountPageHost: Sendable {
    /// The interaction of a sign-in on the page.
    func signIn(
        on page: AccountPageState, request: AuthorizationRequest, cookies: BrowserCookies, origin: RequestOrigin,
        now: Timestamp
    ) throws -> PageFlow

    /// Opens the page again in a browser whose form no longer counts.
    func restart(_ request: AuthorizationRequest) -> AuthorizationAnswer

    /// Continues on the page after its sign-in.
    /// - Parameters:
    ///   - admission: the sign-in.
    ///   - page: the page that required it.
    ///   - flow: the interaction of the sign-in.
    ///   - changes: the cookies that the sign-in sets.
    func arrive(
        _ admission: Admission, from page: AccountPageState, by flow: PageFlow, _ changes: [CookieChange]
    ) async throws -> AuthorizationAnswer
}
