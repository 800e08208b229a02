package import AuthCore
package import WalletAuthWire

/// An account's passkeys, as its holder sees and changes them on the account's page.
package struct PasskeyOverview: Sendable {
    /// One passkey.
    package struct Entry: Sendable, Hashable {
        /// What it is changed by.
        package var id: String
        /// What its holder calls it; empty where that cannot be read.
        package var name: String
        /// When it was added.
        package var createdAt: Timestamp
        /// When it was last used; `nil` where it never was.
        package var lastUsedAt: Timestamp?
        /// Whether it can be copied to the holder's other devices.
        package var isSynced: Bool
        /// Whether it is of the domain that the server has now: no other one can be used.
        package var isUsable: Bool
    }

    /// The passkeys, the oldest first.
    package var passkeys: [Entry]
    /// What the browser is asked to make; `nil` where the account has as many as it may have.
    package var creation: PasskeyCreationOptions?

    /// How many an account may have.
    static let limit = 20
    /// How long a browser waits for the person.
    static let patience = Duration.minutes(5)
}

/// What a person asked to be done with the passkeys of their account.
package enum PasskeyChange: Sendable {
    /// Take the one that the browser made, and call it this; `nil` for what the browser brought and can be none, an empty name
    /// for the usual one.
    case add(PasskeyRegistrationResponse?, name: String)
    /// Call one something else.
    case rename(id: String, name: String)
    /// Take one away.
    case remove(id: String)
}

/// Why nothing was changed.
enum PasskeyRefusal: Error, Sendable, Hashable {
    /// As for any factor.
    case factor(FactorRefusal)
    /// What the browser brought is not taken; why is in the log.
    case notTaken
    /// The account has as many as it may have.
    case tooMany
    /// No passkey of the account has this id.
    case unknown
    /// The name is empty, too long, or has what turns the text around it.
    case unusableName
}
