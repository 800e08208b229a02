/// What a new password has to be: long enough, and not among the first that anybody would try. No composition rules
/// (NIST SP 800-63B §5.1.1.2).
package enum PasswordRules {
    /// How many characters, counted as Unicode code points.
    package static let length = 8...256

    /// What is wrong with a new password; `nil` when it may be used.
    /// - Parameters:
    ///   - password: as typed.
    ///   - names: what the person is called here: user name and e-mail address.
    package static func fault(in password: String, names: [String]) -> PasswordRuleViolation? {
        let count = password.unicodeScalars.count
        if count < length.lowerBound { return .tooShort }
        if count > length.upperBound { return .tooLong }
        if isCommon(password) { return .tooCommon }
        let folded = password.lowercased()
        let isName = names.contains { name in
            let name = name.lowercased()
            return folded == name || folded == name.prefix { $0 != "@" }
        }
        return isName ? .tooCommon : nil
    }

    /// Whether a password is one of those that are tried first, whoever's it is.
    /// - Parameter password: as typed.
    package static func isCommon(_ password: String) -> Bool { CommonPasswords.contain(password.lowercased()) }
}
