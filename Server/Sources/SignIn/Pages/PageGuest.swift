internal import Core
internal import WalletAuthWire

/// A person to whom a page offers an account.
package struct PageGuest: Codable, Sendable {
    var identity: VouchedGuest
    /// When the provider vouched for the person.
    var authTime: Timestamp
    var providerAuthTime: Timestamp
    /// The display name of the provider.
    var provider: String
    var termsURL: String?

    /// A user name derived from a verified address. It may be taken.
    var suggestion: String? {
        guard identity.isEmailVerified, let local = identity.email?.split(separator: "@").first,
            let name = try? Username(String(local.prefix { $0 != "+" })), ShownText.fault(in: name.rawValue) == nil
        else { return nil }
        return name.rawValue
    }
}
