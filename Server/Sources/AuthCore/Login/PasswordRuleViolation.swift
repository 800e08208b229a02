package enum PasswordRuleViolation: String, Error, Sendable, Hashable, Codable {
    case tooShort = "too_short"
    case tooLong = "too_long"
    /// Among the most common ones, or the user name itself.
    case tooCommon = "too_common"
    /// Found in a published list of stolen passwords.
    case breached
    /// The same as the current password.
    case unchanged = "unchanged"
}
