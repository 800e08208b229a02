/// The server's limits for the length of a new password (protocol §3). Checked here, so that no one types a password
/// twice that the server then refuses.
enum PasswordLength {
    static let tooShort = "That is too short: a password has at least 8 characters."
    static let tooLong = "That is too long: a password has at most 256 characters."

    /// The fault of a new password's length; nil if there is none. Characters are counted as Unicode code points.
    static func fault(in password: String) -> String? {
        switch password.unicodeScalars.count {
        case ..<8: tooShort
        case 257...: tooLong
        default: nil
        }
    }
}
