import Core
import Store
import WalletAuthWire

/// A method that the sign-in page shows in place of the password: when, and its form, which is a user name, one field, and buttons of its
/// own.
struct AlternativeForm: Sendable {
    /// The value with which a request asks for it.
    var strategy: AuthorizationRequest.LoginStrategy
    /// Whether a brand's accounts may sign in this way.
    var isTaken: @Sendable (_ brand: String, _ connection: any SQLConnection) throws -> Bool
    /// The values of the parameter `action`, one for each button.
    var signIn: String
    var use: String
    /// `nil` for a secret that no one can forget, such as a code that was just sent.
    var forgot: ForgotButton?
    var field: SecretField
    /// Reads the submitted secret. Throws `MalformedValue` for input that the page never sends.
    var secret: @Sendable (FormParameters) throws(MalformedValue) -> PasswordAlternative.Secret
    var text: @Sendable (BrandLanguage) -> AlternativeText
}

/// The texts of a method that the sign-in page shows in place of the password.
struct AlternativeText: Sendable {
    /// Of the secret.
    var label: String
    var useLabel: String
    /// The same for a wrong secret, a locked one, none, and an unknown name.
    var wrong: String
    /// The rule after several wrong secrets.
    var triedOften: String
}

/// The button "Forgot …?" below the form of a secret.
struct ForgotButton: Sendable {
    /// The value of the parameter `action`.
    var value: String
    var label: @Sendable (BrandLanguage) -> String
    /// The notice after it, with the address of the account page.
    var answer: @Sendable (_ language: BrandLanguage, _ accountPage: String) -> String
}

/// A field for a secret that the person types.
package struct SecretField: Sendable {
    package var name: String
    package var maxLength: Int
    /// For password managers.
    package var autocomplete: String
    package var isNumeric = false

    package static let password = SecretField(name: "password", maxLength: 256, autocomplete: "current-password")

    /// - Parameter reveal: the labels of the button that shows what was typed; `nil` without one. A secret that approves a payment has
    ///   none.
    package func values(label: String, isFocused: Bool = false, reveal: RevealValues? = nil) -> SecretValues {
        SecretValues(
            secretName: name, secretLabel: label, maxLength: String(maxLength), autocomplete: autocomplete,
            isNumeric: isNumeric, isFocused: isFocused, reveal: reveal)
    }
}

/// The values of the piece `secretField`, under the name `secret`.
package struct SecretValues: Encodable {
    let secretName: String
    let secretLabel: String
    let maxLength: String
    let autocomplete: String
    let isNumeric: Bool
    let isFocused: Bool
    let reveal: RevealValues?
}

/// The values of the piece `reveal`, under that name.
package struct RevealValues: Encodable {
    let show: String
    let hide: String
}
