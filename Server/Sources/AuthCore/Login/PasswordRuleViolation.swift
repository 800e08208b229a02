/// Why a new password is not taken.
package enum PasswordRuleViolation: String, Error, Sendable, Hashable, Codable {
    /// Fewer than 8 characters.
    case tooShort = "too_short"
    /// More than 256 characters.
    case tooLong = "too_long"
    /// Among the most common ones, or the user name itself.
    case tooCommon = "too_common"
    /// Stolen from somebody, somewhere, and published.
    case breached
    /// The password in use.
    case unchanged = "unchanged"
}
