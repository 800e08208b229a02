import Core
import Web

/// The texts of registration.
enum RegistrationText: String, TextKey {
    static let section = "registration"

    case useLabel, heading, lead, phoneLead, addressLabel, phoneLabel, sendLabel
    case codeHeading, codeLead
    case accountHeading, accountLead
    case passkeyUseLabel, passkeyHeading, passkeyLead, passkeyCreateLabel, passwordUseLabel
    /// The way from a registration to the sign-in, for a person who has an account.
    case signInLabel

    // Notices.
    case passwordMissing, passwordMistyped, unusableAddress, unusablePhone, nameMissing, nameIsAddress, nameTaken
    case addressTaken, off, over, passkeyRefused
    /// After a code that was sent for a registration on another page.
    case codeElsewhere
    /// After a name that cannot be taken: no page keeps a password.
    case passwordAgain
}

extension TextSource {
    var registrationText: Texts<RegistrationText> { texts() }
}

extension PageTemplate {
    /// A newcomer's address.
    static let registrationAddress = PageTemplate(
        "registrationAddress",
        """
        {{#registrationAddress}}
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="address">{{addressLabel}}</label>
        {{> fieldNotice}}
        <input id="address" name="address" type="{{kind}}" value="{{address}}" required maxlength="256" \
        autocomplete="{{autocomplete}}" autocapitalize="none" autocorrect="off" spellcheck="false" enterkeyhint="go"\
        {{#invalid}} aria-invalid="true" aria-describedby="notice"{{/invalid}} autofocus>
        </div>
        {{/registrationAddress}}

        """)

    /// A newcomer's user name, password and terms.
    static let registrationAccount = PageTemplate(
        "registrationAccount",
        """
        {{#registrationAccount}}
        {{#name}}
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="username">{{usernameLabel}}</label>
        <p class="hint" id="username-hint">{{usernameHint}}</p>
        {{> fieldNotice}}
        <input id="username" name="username" type="text" value="{{typed}}" required maxlength="256" \
        autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" enterkeyhint="next"\
        {{#invalid}} aria-invalid="true" aria-describedby="notice username-hint"{{/invalid}}\
        {{^invalid}} aria-describedby="username-hint"{{/invalid}}{{#isFocused}} autofocus{{/isFocused}}>
        </div>
        {{/name}}
        {{#entry}}
        {{#fields}}
        {{> newPasswordFields}}
        {{/fields}}
        {{/entry}}
        {{#terms}}
        <p class="hint">{{line}} <a href="{{url}}" target="_blank" rel="noopener noreferrer">{{label}}</a></p>
        {{/terms}}
        {{/registrationAccount}}

        """)
}

extension PageTemplate {
    /// The form that creates a newcomer's passkey, which its script shows.
    static let registrationPasskey = PageTemplate(
        "registrationPasskey",
        """
        {{#newPasskey}}
        {{#terms}}
        <p class="hint">{{line}} <a href="{{url}}" target="_blank" rel="noopener noreferrer">{{label}}</a></p>
        {{/terms}}
        <p id="passkey-unsupported">{{unsupported}}</p>
        <form method="post" action="{{form.action}}" class="alone" id="passkey" data-ceremony="create" \
        data-options="{{options}}" data-failed="{{failed}}" data-known="{{known}}" hidden>
        {{> csrfFields}}
        <input type="hidden" name="action" value="{{create}}">
        <input type="hidden" name="passkey" value="">
        <button type="submit">{{createLabel}}</button>
        <p class="hint" id="passkey-status" role="alert" hidden></p>
        </form>
        {{/newPasskey}}

        """)
}

/// The values of the piece `registrationPasskey`, under the name `newPasskey`.
struct NewPasskeyValues: Encodable {
    let terms: NewAccountValues.Terms?
    let unsupported: String
    let options: String
    let failed: String
    let known: String
    let create: String
    let createLabel: String
}

/// The values of the piece `registrationAddress`, under that name.
struct RegistrationAddressValues: Encodable {
    let addressLabel: String
    let address: String?
    /// The `type` of the field.
    let kind: String
    let autocomplete: String

    init(_ typed: String?, takesPhones: Bool, _ text: Texts<RegistrationText>) {
        addressLabel = text[takesPhones ? .phoneLabel : .addressLabel]
        address = typed
        kind = takesPhones ? "text" : "email"
        autocomplete = takesPhones ? "on" : "email"
    }
}

/// The values of the piece `registrationAccount`, under that name.
struct RegistrationAccountValues: Encodable {
    let name: Name
    let entry: Entry
    let terms: NewAccountValues.Terms?

    struct Name: Encodable {
        let usernameLabel: String
        let usernameHint: String
        let typed: String?
        let invalid: Bool
        let isFocused: Bool
    }

    /// The fields of the password, with a fault of their own.
    struct Entry: Encodable {
        let invalid: Bool
        let fields: NewPasswordValues
    }
}

extension SignInPage.Notice {
    /// Whether a newcomer's user name is at fault.
    var concernsNewName: Bool {
        switch self {
        case .nameTaken, .lookAlikeTaken, .unusableName, .newNameMissing, .nameIsAddress: true
        default: false
        }
    }
}
