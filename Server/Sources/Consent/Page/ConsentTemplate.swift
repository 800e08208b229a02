import SignIn
import Web

/// The page where a person approves an operation. Amount and payee come first, then the field, the button, and the one for a person who
/// started nothing, all on a small phone's first screen; what else there is to know is folded. The field takes the focus only after wrong input: on a phone, the keyboard would
/// otherwise hide amount and payee. Each factor has its own block, such as `password` and `pin`; everything else is shared.
struct ConsentValues: PageValues {
    /// The class of a heading with a long name; `nil` for a short one.
    let headingSize: String?
    let form: PageFormValues
    let notice: NoticeValues?
    /// Whether the notice concerns the field.
    let invalid: Bool
    let asking: Asking?
    let passkey: PasskeyUseValues?
    /// What was approved.
    let agreed: SummaryValues?
    /// The way back, once the interaction is over; `nil` for a person who started nothing, whose way is `account`.
    let back: LinkValues?
    let account: AccountAdvice?
    let scriptSource: String?

    struct Asking: Encodable {
        /// Amount or payee, where the heading does not name both.
        let summary: String?
        /// Its class, as of the heading.
        let summarySize: String?
        let facts: [FactValues]
        let more: More
        let consequence: String?
        let warning: String
        let password: Password?
        let pin: PIN?
        /// The way out for a person without the secret.
        let forgot: Forgot?
        let passkeyScriptNeeded: String?
        let others: [ButtonValues]
    }

    /// Folded.
    struct More: Encodable {
        let moreLabel: String
        let facts: [FactValues]
    }

    struct Password: Encodable {
        let username: String
        let passwordLabel: String
        let agree: String
        let agreeLabel: String
    }

    struct Forgot: Encodable {
        let forgotLabel: String
        let forgotText: String
        let link: LinkValues
    }

    /// What a person who started nothing should do first. The app that waits may be another person's.
    struct AccountAdvice: Encodable {
        let text: String
        let link: LinkValues
        let wayBack: LinkValues
    }

    struct PIN: Encodable {
        let secret: SecretValues
        let agree: String
        let agreeLabel: String
    }

    static let template = PageTemplate(
        "consent",
        """
        {{<layout}}
        {{$width}}narrow operation{{#headingSize}} {{headingSize}}{{/headingSize}}{{/width}}
        {{$content}}
        {{^invalid}}
        {{#notice}}
        {{> notice}}
        {{/notice}}
        {{/invalid}}
        {{#asking}}
        {{#summary}}
        <p class="summary{{#summarySize}} {{summarySize}}{{/summarySize}}">{{summary}}</p>
        {{/summary}}
        {{> facts}}
        {{#more}}
        <details>
        <summary>{{moreLabel}}</summary>
        {{> facts}}
        </details>
        {{/more}}
        {{#consequence}}
        <p>{{consequence}}</p>
        {{/consequence}}
        <p class="hint" id="warning">{{warning}}</p>
        {{#password}}
        <form method="post" action="{{form.action}}" accept-charset="utf-8">
        {{> csrfFields}}
        <input type="text" name="username" value="{{username}}" autocomplete="username" readonly hidden>
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="password">{{passwordLabel}}</label>
        {{> fieldNotice}}
        <input id="password" name="password" type="password" required maxlength="256" autocomplete="current-password" \
        autocapitalize="none" spellcheck="false" enterkeyhint="go"\
        {{#invalid}} autofocus aria-invalid="true" aria-describedby="notice warning"{{/invalid}}\
        {{^invalid}} aria-describedby="warning"{{/invalid}}>
        </div>
        <button type="submit" name="action" value="{{agree}}">{{agreeLabel}}</button>
        </form>
        {{/password}}
        {{#pin}}
        <form method="post" action="{{form.action}}" accept-charset="utf-8">
        {{> csrfFields}}
        {{#secret}}
        {{> secretField}}
        {{/secret}}
        <button type="submit" name="action" value="{{agree}}">{{agreeLabel}}</button>
        </form>
        {{/pin}}
        {{#passkeyScriptNeeded}}
        <p id="passkey-unsupported">{{passkeyScriptNeeded}}</p>
        {{/passkeyScriptNeeded}}
        {{> passkeyUse}}
        {{> otherButtons}}
        {{#forgot}}
        <details class="forgot">
        <summary>{{forgotLabel}}</summary>
        <p>{{forgotText}}</p>
        <p>{{#link}}<a href="{{address}}" rel="noreferrer">{{label}}</a>{{/link}}</p>
        </details>
        {{/forgot}}
        {{/asking}}
        {{#agreed}}
        <p class="summary{{#summarySize}} {{summarySize}}{{/summarySize}}">{{summary}}</p>
        {{/agreed}}
        {{#account}}
        <p>{{text}}</p>
        {{#link}}
        {{> linkButton}}
        {{/link}}
        {{#wayBack}}
        <p class="hint"><a href="{{address}}" rel="noreferrer">{{label}}</a></p>
        {{/wayBack}}
        {{/account}}
        {{#back}}
        {{> linkButton}}
        {{/back}}
        {{/content}}
        {{$script}}
        {{> passkeyScript}}
        {{/script}}
        {{/layout}}

        """)
}
