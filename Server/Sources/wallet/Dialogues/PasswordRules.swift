import WalletAuth

/// The server's rules for a new password (protocol §3), in words.
enum PasswordRules {
    private static let words: [PasswordFault: String] = [
        .tooShort: "that is too short: a password has at least 8 characters",
        .tooLong: "that is too long: a password has at most 256 characters",
        .tooCommon: "that password is too common",
        .containsName: "that password contains the user name or the e-mail address",
        .breached: "that password is in a list of stolen passwords",
        .unchanged: "that is your current password",
    ]

    /// The rule that a new password breaks, as a sentence for a person who is asked again.
    static func sentence(_ fault: PasswordFault) -> String {
        let text = words[fault] ?? "that password is not accepted"
        return text.prefix(1).uppercased() + text.dropFirst() + ". Choose another one."
    }

    /// The rule that the server refused a password for; nil for any other error.
    static func fault(of error: WalletError) -> PasswordFault? {
        words.keys.first { "password_\($0.rawValue)" == error.code.rawValue }
    }

    static func text(of error: WalletError) -> Failure.Text? {
        fault(of: error).flatMap { words[$0] }.map { Failure.Text($0, "choose another one") }
    }

    /// A sentence about the length of a new password; nil if it is allowed. Checked here, so that no one types a password twice that the
    /// server then refuses. Characters are counted as Unicode code points.
    static func fault(in password: String) -> String? {
        switch password.unicodeScalars.count {
        case ..<8: sentence(.tooShort)
        case 257...: sentence(.tooLong)
        default: nil
        }
    }
}
