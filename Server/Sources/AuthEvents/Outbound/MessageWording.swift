package import AuthCore

/// The sentences that messages of several flows share, in one language. A missing translation does not compile.
///
/// A flow's own texts are in its folder, as ``MessageTemplate``.
package struct MessageWording: Sendable {
    let time: String
    let device: String
    /// How long a new PIN cannot approve payments.
    let cooling: String
    let codeLife: String
    let codeAdvice: String
    let recoveryAdvice: String
    let protectAdvice: String
    let askAdvice: String
    /// What to do about a refused operation, depending on who started it.
    let refusalAdvice: String
    let footer: String
    /// The amount and the payee. The account comes before the name, because the payee chose the name and a phone's lock screen
    /// shows only the beginning.
    package let payment: String
    /// States that the payments of a series need no further consent.
    package let series: String
    /// States that payments to a payee no longer need consent.
    package let trust: String
    /// States that payments to a payee need consent again.
    package let distrust: String
    let smsCode: String
    let smsProtectAdvice: String
    let smsAskAdvice: String

    package static func of(_ language: Language) -> MessageWording {
        switch language {
        case .english: .english
        case .german: .german
        case .french: .french
        case .spanish: .spanish
        case .bulgarian: .bulgarian
        }
    }
}
