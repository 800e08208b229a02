import Web

/// The sign-in page, one step at a time. It works without scripts. Password managers find the fields by their
/// `autocomplete` names. An error that concerns a field is at the field, which describes itself with it.
///
/// A new password is typed twice. Asking once would require a way to show it, which the page has only with scripts.
/// Password managers fill in both fields, which are named `new-password`.
struct SignInValues: PageValues {
    /// The `id` of the form with the fields.
    static let formID = "sign-in"

    let form: PageFormValues
    let notice: NoticeValues?
    let payment: PaymentFacts?
    /// To the page that takes the closing of the account back.
    let keepLink: LinkValues?
    /// Whether the notice concerns the field.
    let invalid: Bool
    let fields: Fields
    let primaryAction: String
    /// `nil` if the fields are buttons themselves.
    let primaryLabel: String?
    let others: [ButtonValues]
    let passkey: PasskeyUseValues?
    let newPasskey: NewPasskeyValues?
    let providers: ProviderValues?
    let providersFirst: ProviderValues?
    /// Whether the fields have a form: not for a person who can only use a provider.
    let showsForm: Bool
    /// To the sandbox's outbox, from a step that asks for a sent code.
    let messageLink: LinkValues?
    let scriptSource: String?
    /// Seconds after which a page without scripts loads itself again.
    let refresh: String?
    /// The script of `reveal`.
    let revealScript: Script?
    /// The script that says in which zone the browser is, on pages that have a script anyway.
    let zoneScript: Script?

    struct Script: Encodable {
        let scriptSource: String
    }

    /// The fields of a step, of which it has one kind.
    struct Fields: Encodable {
        var clientConsent: ClientConsentValues?
        var confirmation: ConfirmationValues?
        var credentials: Credentials?
        var recovery: Recovery?
        var newAccount: NewAccountValues?
        var registrationAddress: RegistrationAddressValues?
        var registrationAccount: RegistrationAccountValues?
        var sentCode: SentCode?
        var newPassword: NewPasswordValues?
        var factor: Factor?
        var merchants: Merchants?
        var scan: ScanValues?
    }

    struct Credentials: Encodable {
        let usernameLabel: String
        let username: String?
        let secret: SecretValues
        let resetLink: String?
        let resetLabel: String?
    }

    struct Recovery: Encodable {
        let usernameLabel: String
        let username: String?
    }

    struct SentCode: Encodable {
        let codeLabel: String
        /// How long the code works.
        let codeHint: String
        let codeName: String
    }

    struct Factor: Encodable {
        let answerLabel: String
        /// How long the code works, if one was sent.
        let answerHint: String?
        let numeric: Bool
    }

    struct Merchants: Encodable {
        let buttons: [ChoiceValues]
    }

    static let template = PageTemplate(
        "signIn",
        """
        {{<layout}}
        {{$head}}
        {{#refresh}}
        <noscript><meta http-equiv="refresh" content="{{refresh}}"></noscript>
        {{/refresh}}
        {{/head}}
        {{$content}}
        {{^invalid}}
        {{#notice}}
        {{> notice}}
        {{/notice}}
        {{/invalid}}
        {{#keepLink}}
        {{> linkButton}}
        {{/keepLink}}
        {{> payment}}
        {{#fields}}
        {{> clientConsent}}
        {{> confirmation}}
        {{> scan}}
        {{> providersFirst}}
        {{#showsForm}}
        <form method="post" action="{{form.action}}" accept-charset="utf-8" id="\(formID)">
        {{> csrfFields}}
        {{#credentials}}
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="username">{{usernameLabel}}</label>
        <input id="username" name="username" type="text" value="{{username}}" required maxlength="256" \
        autocomplete="username{{#passkey}} webauthn{{/passkey}}" autocapitalize="none" autocorrect="off" \
        spellcheck="false" enterkeyhint="next"\
        {{#invalid}} aria-invalid="true" aria-describedby="notice"{{/invalid}}{{^username}} autofocus{{/username}}>
        </div>
        {{#secret}}
        {{> secretField}}
        {{/secret}}
        {{#resetLink}}
        <p class="aside"><a href="{{resetLink}}" rel="noreferrer">{{resetLabel}}</a></p>
        {{/resetLink}}
        {{/credentials}}
        {{#recovery}}
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="username">{{usernameLabel}}</label>
        {{> fieldNotice}}
        <input id="username" name="username" type="text" value="{{username}}" required maxlength="256" \
        autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" enterkeyhint="go"\
        {{#invalid}} aria-invalid="true" aria-describedby="notice"{{/invalid}} autofocus>
        </div>
        {{/recovery}}
        {{> newAccount}}
        {{> registrationAddress}}
        {{> registrationAccount}}
        {{#sentCode}}
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="code">{{codeLabel}}</label>
        <p class="hint" id="code-hint">{{codeHint}}</p>
        {{> fieldNotice}}
        <input id="code" class="code" name="{{codeName}}" type="text" required maxlength="16" inputmode="numeric" \
        autocomplete="one-time-code" autofocus\
        {{#invalid}} aria-invalid="true" aria-describedby="notice code-hint"{{/invalid}}\
        {{^invalid}} aria-describedby="code-hint"{{/invalid}}>
        </div>
        {{> messageLink}}
        {{/sentCode}}
        {{#newPassword}}
        {{> newPasswordFields}}
        {{/newPassword}}
        {{#factor}}
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="answer">{{answerLabel}}</label>
        {{#answerHint}}
        <p class="hint" id="answer-hint">{{answerHint}}</p>
        {{/answerHint}}
        {{> fieldNotice}}
        <input id="answer" name="answer" type="text" required maxlength="256" autocapitalize="none" autocorrect="off" \
        spellcheck="false" autofocus\
        {{#numeric}} class="code" inputmode="numeric" autocomplete="one-time-code"{{/numeric}}\
        {{^numeric}} autocomplete="off"{{/numeric}}\
        {{#invalid}} aria-invalid="true" aria-describedby="notice{{#answerHint}} answer-hint{{/answerHint}}"{{/invalid}}\
        {{^invalid}}{{#answerHint}} aria-describedby="answer-hint"{{/answerHint}}{{/invalid}}>
        </div>
        {{> messageLink}}
        {{/factor}}
        {{#merchants}}
        <input type="hidden" name="action" value="{{primaryAction}}">
        <div class="choices">
        {{#buttons}}
        <button type="submit" class="second" name="merchant" value="{{id}}">{{label}}</button>
        {{/buttons}}
        </div>
        {{/merchants}}
        {{#primaryLabel}}
        <button type="submit" name="action" value="{{primaryAction}}">{{primaryLabel}}</button>
        {{/primaryLabel}}
        </form>
        {{/showsForm}}
        {{/fields}}
        {{> passkeyUse}}
        {{> registrationPasskey}}
        {{> providers}}
        {{> otherButtons}}
        {{/content}}
        {{$script}}
        {{#zoneScript}}
        <script src="{{scriptSource}}"></script>
        {{/zoneScript}}
        {{#revealScript}}
        <script src="{{scriptSource}}"></script>
        {{/revealScript}}
        {{> passkeyScript}}
        {{/script}}
        {{/layout}}

        """)
}

/// A button that chooses one of several merchants.
struct ChoiceValues: Encodable {
    let id: String
    let label: String
}
