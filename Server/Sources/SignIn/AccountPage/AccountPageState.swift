/// The account page's part of the sealed state.
package struct AccountPageState: Codable, Sendable {
    package enum Intent: Codable, Sendable, Hashable {
        case look
        case password
        case authenticator
        case authenticatorRemoval
        case recoveryCodes
        case passkeys
        case pin
        case clientConsents
        case deviceRemoval(id: String)
        case sessionEnd(id: String)
        case otherSessionsEnd
    }

    /// Carried out after the sign-in that the page requires.
    package var intent: Intent
    /// The hash of the browser session whose sign-in led to this page; `nil` on a page opened with a cookie only.
    package var proved: [UInt8]?
    /// Identifies this page: it makes one change only.
    package var mark: [UInt8]
}

/// A sign-in for the account's own page instead of an app.
struct AccountPageSignIn: Sendable {
    let page: AccountPageState
    let host: AccountPages
}
