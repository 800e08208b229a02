package import Core
package import Kernel
package import Store
internal import WalletAuthWire

/// The rules for a new password: long enough, and not among an attacker's first guesses. No composition rules (NIST SP
/// 800-63B §5.1.1.2).
package enum PasswordRules {
    /// In Unicode code points.
    package static let length = 8...256

    /// The length from which a name must not be part of any password. Shorter ones are in many words.
    private static let shortestName = 4

    /// The rule that a new password breaks; `nil` if it may be used. `names` are the person's user name and e-mail
    /// address.
    package static func fault(in password: String, names: [String]) -> PasswordRuleViolation? {
        let count = password.unicodeScalars.count
        if count < length.lowerBound { return .tooShort }
        if count > length.upperBound { return .tooLong }
        // The name comes first: many names with something added are common, but only this reason helps to find a better password.
        let folded = password.lowercased()
        let spelled = names.reduce(into: Set<String>()) { $0.formUnion(spellings(of: $1)) }
        if spelled.contains(where: { isName($0, in: folded) }) { return .containsName }
        return isCommon(password) ? .tooCommon : nil
    }

    /// Whether a password in lower case contains the name. A short one counts only where nothing else but digits and signs is added.
    private static func isName(_ name: String, in password: String) -> Bool {
        if name.unicodeScalars.count >= shortestName { return password.contains(name) }
        return isCommon(password) && password.contains(name)
            && !password.replacing(name, with: "").contains(where: \.isLetter)
    }

    /// What a password must not contain: the name, and of an address the part before the `@`, without what follows a `+`. The name may be
    /// typed in full-width letters.
    private static func spellings(of name: String) -> Set<String> {
        var spellings: Set<String> = []
        for whole in [name.lowercased(), (try? Username(name))?.rawValue].compactMap(\.self) {
            let mailbox = whole.prefix { $0 != "@" }
            spellings.formUnion([whole, String(mailbox), String(mailbox.prefix { $0 != "+" })])
        }
        return spellings.filter { !$0.isEmpty }
    }

    /// Whether it is among the common passwords, independent of the person.
    package static func isCommon(_ password: String) -> Bool { CommonPasswords.contain(password.lowercased()) }
}

package enum PasswordRuleViolation: String, Error, Sendable, Hashable, Codable, CaseIterable {
    case tooShort = "too_short"
    case tooLong = "too_long"
    /// Among the most common ones.
    case tooCommon = "too_common"
    /// It contains the user name, or the part before the `@` of the e-mail address.
    case containsName = "contains_name"
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
