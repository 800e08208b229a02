public import Foundation
import WalletAuthWire

extension UserErrorMessages {
    /// Returns what to ask a person for a second factor: the account's own question, or which code to enter and where it was sent.
    ///
    /// An app replaces a text by its key, as it does the text of an error: `second_factor.totp`, `second_factor.recovery_code`,
    /// `second_factor.passkey`, `second_factor.code_sent`, `second_factor.code_sent_to` (`{destination}` is the masked address or number),
    /// and `second_factor.code_not_sent` if too many codes were sent recently.
    /// - Parameters:
    ///   - challenge: the second factor that the sign-in asks for.
    ///   - languages: the person's languages in order of preference (BCP 47). English is the fallback.
    /// - Returns: a text to show. A secret question is in the words in which the person chose it.
    public func question(of challenge: MFAChallenge, languages: [String] = Locale.preferredLanguages) -> String {
        if let question = challenge.question { return question }
        let text = first(of: [challenge.questionKey], in: languages) ?? challenge.method
        return challenge.destination.map { text.replacing("{destination}", with: $0) } ?? text
    }
}

extension MFAChallenge {
    /// The key of the text that asks for it.
    fileprivate var questionKey: UserErrorMessages.Key {
        switch method {
        case "totp", "recovery_code", AccountFactorList.Factor.passkeyMethod: .init(rawValue: "second_factor.\(method)")
        default:
            !isCodeSent
                ? "second_factor.code_not_sent"
                : destination == nil ? "second_factor.code_sent" : "second_factor.code_sent_to"
        }
    }
}
