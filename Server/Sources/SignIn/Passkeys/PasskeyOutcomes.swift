package import Core
package import WalletAuthWire

/// An account's passkeys, as its holder sees them on the account's page.
package struct PasskeyOverview: Sendable {
    /// Why a server has no passkeys.
    static let noHostName = "This server's host is an IP address, and passkeys need a host name, so it has none."

    package struct Entry: Sendable, Hashable {
        /// Identifies it in a change.
        package var id: String
        /// The holder's name for it; empty if it cannot be read.
        package var name: String
        package var createdAt: Timestamp
        /// `nil` if it was never used.
        package var lastUsedAt: Timestamp?
        /// Whether it can be copied to the holder's other devices.
        package var isSynced: Bool
        /// Whether it belongs to the server's current domain. Others cannot be used.
        package var isUsable: Bool
    }

    /// The oldest first.
    package var passkeys: [Entry]
    /// The options for a new passkey; `nil` if the account has reached the limit.
    package var creation: PasskeyCreationOptions?
    /// How long a new passkey does not replace a second factor.
    package var coolingPeriod: Duration

    /// The maximum number per account.
    package static let limit = 20
    /// The name of a passkey that its holder gave none. A second one gets a number.
    static let usualName = "Passkey"
    /// How long a browser waits for the person.
    package static let patience = Duration.minutes(5)
}

/// A change that a person requested.
package enum PasskeyChange: Sendable {
    /// Add the passkey that the browser created; `nil` for a response that cannot be valid. An empty name means the default one.
    case add(PasskeyRegistrationResponse?, name: String)
    case rename(id: String, name: String)
    case remove(id: String)
}
