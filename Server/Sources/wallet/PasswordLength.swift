/// How long a new password may be at the server (protocol section 3), so that nobody types one twice that is refused by it.
enum PasswordLength {
    static let tooShort = "That is too short: a password has at least 8 characters."
    static let tooLong = "That is too long: a password has at most 256 characters."

    /// What is wrong with a new password's length; nil where nothing is. Characters are counted as Unicode code points.
    static func fault(in password: String) -> String? {
        switch password.unicodeScalars.count {
        case ..<8: tooShort
        case 257...: tooLong
        default: nil
        }
    }
}
