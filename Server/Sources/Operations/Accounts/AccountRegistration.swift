package struct AccountRegistration: Sendable {
    package var username: String
    /// `nil` creates an account that cannot sign in with a password yet.
    package var password: String?
    /// Unconfirmed unless `emailVerified` is set.
    package var email: String?
    /// The operator vouches for the address.
    package var emailVerified = false
    package var phone: String?
    /// `nil` for `default`.
    package var brand: String?
    package var profile = ProfileChange()
    /// The role that the person gets by a one-time link; `nil` for no link.
    var invitation: NamedRole?

    package init(username: String, password: String?) {
        self.username = username
        self.password = password
    }
}

/// Changes to an account's profile. `nil` leaves a member as it is, an empty text removes it.
package struct ProfileChange: Sendable, Hashable {
    /// As displayed.
    package var name: String?
    package var givenName: String?
    package var familyName: String?
    /// The preferred language (RFC 5646).
    package var locale: String?
    /// The postal address, lines separated by line feeds.
    package var address: String?
    /// Whether the operator vouches for the phone number.
    package var phoneVerified: Bool?
}
