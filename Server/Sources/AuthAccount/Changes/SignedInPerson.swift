internal import AuthCore
internal import AuthStore

/// The signed-in person, according to the cookie.
struct SignedInPerson: Sendable {
    var account: AccountRecord
    var session: BrowserSessionRecord
    /// End of the cooling period of an identity that a restore brought back, if the session may have used it.
    var identityCooling: Timestamp?
}
