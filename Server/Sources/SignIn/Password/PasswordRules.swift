package import Core
package import Kernel
package import Store
internal import WalletAuthWire

/// The rules for a new password: long enough, and not among an attacker's first guesses. No composition rules (NIST SP
/// 800-63B §5.1.1.2).
package enum PasswordRules {
    /// In Unicode code points.
    package static let length = 8...256

    /// The rule that a new password breaks; `nil` if it may be used. `names` are the person's user name and e-mail
    /// address.
    package static func fault(in password: String, names: [String]) -> PasswordRuleViolation? {
        let count = password.unicodeScalars.count
        if count < length.lowerBound { return .tooShort }
        if count > length.upperBound { return .tooLong }
        if isCommon(password) { return .tooCommon }
        let folded = password.lowercased()
        let isName = names.contains { name in
            // A user name may be typed in full-width letters.
            [name.lowercased(), (try? Username(name))?.rawValue].compactMap(\.self).contains { name in
                folded == name || folded == name.prefix { $0 != "@" }
            }
        }
        return isName ? .tooCommon : nil
    }

    /// Whether it is among the common passwords, independent of the person.
    package static func isCommon(_ password: String) -> Bool { CommonPasswords.contain(password.lowercased()) }
}

package enum PasswordRuleViolation: String, Error, Sendable, Hashable, Codable, CaseIterable {
    case tooShort = "too_short"
    case tooLong = "too_long"
    /// Among the most common ones, or the user name itself.
    case tooCommon = "too_common"
    /// Found in a published list of stolen passwords.
    case breached
    /// The same as the current password.
    case unchanged
}

extension Brands {
    /// The maximum age of a password in a brand; `nil` for no limit.
    package static func passwordMaximumAge(_ brand: String, on connection: any SQLConnection) throws -> Duration? {
        try find(brand, on: connection).map { try BrandProfile(json: $0.settings) }?.passwordDays
            .map { .days(Int64($0)) }
    }
}

extension AccountRecord {
    /// When the account's password becomes too old for its brand; `nil` for never.
    package func passwordExpiry(on connection: any SQLConnection) throws -> Timestamp? {
        try SignInPolicy.Account(self)
            .passwordExpiry(maximumAge: Brands.passwordMaximumAge(brandID, on: connection))
    }
}
