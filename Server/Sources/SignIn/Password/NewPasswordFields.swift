import Core
import WalletAuthWire
import Web

/// Why a new password typed on the account's page is not taken.
package enum NewPasswordFault: Error, Sendable, Hashable, Codable {
    case missing
    /// The two entries differ.
    case mistyped
    /// Text that no password can be.
    case unusable
    case unacceptable(PasswordRuleViolation)

    /// - Returns: the sentence for people.
    func sentence(in text: Texts<PageText>) -> String {
        switch self {
        case .missing: text[.passwordMissing]
        case .mistyped: text[.passwordMistyped]
        case .unusable: text[.passwordUnusable]
        case .unacceptable(.tooShort): text[.passwordTooShort]
        case .unacceptable(.tooLong): text[.passwordTooLong]
        case .unacceptable(.tooCommon): text[.passwordTooCommon]
        case .unacceptable(.containsName): text[.passwordContainsName]
        case .unacceptable(.breached): text[.passwordBreached]
        case .unacceptable(.unchanged): text[.passwordUnchanged]
        }
    }
}

/// The fields of a new password on the account's page.
enum NewPasswordFields {
    /// - Throws: `MalformedValue` if a field is missing. Our page always sends both.
    static func new(_ form: FormParameters) throws(MalformedValue) -> Result<Password, NewPasswordFault> {
        let (typed, repeated) = (try form.typed("new_password"), try form.typed("repeated_password"))
        guard !typed.isEmpty else { return .failure(.missing) }
        guard typed == repeated else { return .failure(.mistyped) }
        return (try? Password(typed)).map { .success($0) } ?? .failure(.unusable)
    }
}

extension PageTemplate {
    /// The two fields of a new password, on the sign-in page and the account page. Both are empty again after a fault, so that what is
    /// wrong is at the first, which has the focus, also if the two differed.
    static let newPasswordFields = PageTemplate(
        "newPasswordFields",
        """
        {{#username}}
        <input type="text" name="username" value="{{username}}" autocomplete="username" readonly hidden>
        {{/username}}
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="new-password">{{newPasswordLabel}}</label>
        <p class="hint" id="password-hint">{{newPasswordHint}}</p>
        {{> fieldNotice}}
        <div class="entry">
        <input id="new-password" name="new_password" type="password" required minlength="8" maxlength="256" \
        autocomplete="new-password" autocapitalize="none" spellcheck="false" enterkeyhint="next"\
        {{^isFocusElsewhere}} autofocus{{/isFocusElsewhere}}\
        {{#invalid}} aria-invalid="true" aria-describedby="notice password-hint"{{/invalid}}\
        {{^invalid}} aria-describedby="password-hint"{{/invalid}}>
        {{> reveal}}
        </div>
        </div>
        <div class="field{{#isMistyped}} invalid{{/isMistyped}}">
        <label for="repeated-password">{{repeatLabel}}</label>
        <div class="entry">
        <input id="repeated-password" name="repeated_password" type="password" required minlength="8" maxlength="256" \
        autocomplete="new-password" autocapitalize="none" spellcheck="false" enterkeyhint="go"\
        {{#isMistyped}} aria-invalid="true" aria-describedby="notice"{{/isMistyped}}>
        {{> reveal}}
        </div>
        </div>

        """)

    /// The form for another password.
    static let passwordPage = PageTemplate(
        "passwordPage",
        """
        {{#passwordPage}}
        <form method="post" action="{{form.action}}" accept-charset="utf-8">
        {{> csrfFields}}
        {{#fields}}
        {{> newPasswordFields}}
        {{/fields}}
        <button type="submit" name="action" value="{{save}}">{{saveLabel}}</button>
        </form>
        {{> otherButtons}}
        {{/passwordPage}}

        """)
}

/// The values of the piece `newPasswordFields`.
struct NewPasswordValues: Encodable {
    let username: String?
    let newPasswordLabel: String
    let newPasswordHint: String
    let repeatLabel: String
    /// Whether the two entries differed: both fields are marked.
    let isMistyped: Bool
    /// Whether a field before them has the focus.
    var isFocusElsewhere = false
    let reveal: RevealValues
}

/// The values of the piece `passwordPage`, under that name.
struct PasswordPageValues: Encodable {
    let fields: NewPasswordValues
    let save: String
    let saveLabel: String
    let others: [ButtonValues]
}
