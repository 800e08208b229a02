import ArgumentParser

/// The name of a second factor on the command line.
enum FactorName: String, CaseIterable, ExpressibleByArgument, Sendable {
    case totp
    case email
    case sms
    case secretQuestion = "secret_question"
    case recoveryCode = "recovery_code"

    /// The factors that a recovery can require in addition to the mailbox.
    static let besideMailbox = [totp, sms, recoveryCode]

    /// - Parameters:
    ///   - method: the server's name of the method.
    ///   - channel: the channel of a code that is sent.
    /// - Returns: the name to type.
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
