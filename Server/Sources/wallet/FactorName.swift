import ArgumentParser

/// What a second factor is called on the command line.
enum FactorName: String, CaseIterable, ExpressibleByArgument, Sendable {
    case totp
    case email
    case sms
    case secretQuestion = "secret_question"
    case recoveryCode = "recovery_code"

    /// Those that the server asks for beside a mailbox, when a password is recovered.
    static let besideMailbox = [totp, sms, recoveryCode]

    /// - Parameter method: as the server says it, with the way that a code is sent beside it.
    /// - Returns: what is typed for it.
    static func typed(_ method: String, _ channel: String?) -> String {
        method == "otp" ? (channel ?? method).lowercased() : method
    }

    /// `totp, sms or recovery_code`.
    static func words(_ names: [FactorName]) -> String {
        let words = names.map(\.rawValue)
        return words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
    }

    static func help(_ names: [FactorName]) -> ArgumentHelp {
        ArgumentHelp("The second factor to use: \(words(names)).", valueName: "factor")
    }
}
