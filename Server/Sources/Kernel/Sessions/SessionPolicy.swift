/// The limits of what one account can open.
package struct SessionPolicy: Sendable, Hashable {
    /// The open sessions that an account may have at one client. Default 100.
    package var limit: Int
    /// The sign-ins without a page that a signed-in browser gets in a row, before each further one has to wait. Default 100.
    package var silentSignIns: Int

    package init() {
        limit = 100
        silentSignIns = 100
    }
}
