import Web

/// The account page: a row for each thing, with its state and its buttons. It works without scripts, shows the secret's QR code, and has one form per button.
struct AccountValues: PageValues {
    let form: PageFormValues
    let notice: NoticeValues?
    /// Whether the notice concerns the field, where it is then.
    let invalid: Bool
    let step: Step
    /// To the sandbox's outbox.
    let messageLink: LinkValues?
    /// Where a page leads that ends something.
    let wayOn: LinkValues?
    let scriptSource: String?

    /// What a step shows, of which it has one kind.
    struct Step: Encodable {
        var overview: Overview?
        var authenticator: Authenticator?
        var removal: Removal?
        var recoveryCodes: RecoveryCodes?
        var passwordPage: PasswordPageValues?
        var passkeyPage: PasskeyPageValues?
        var pinPage: PINPageValues?
        var clientAccessPage: ClientAccessPageValues?
        /// The only one of a page.
        var buttonOn: ButtonsValues?
        var ownAccountForm: OwnAccountFormValues?
        var ownAccountFields: OwnAccountFieldsValues?
        var ownAccountExport: OwnAccountExportValues?
        var ownAccountClosed: OwnAccountClosedValues?
    }

    struct Overview: Encodable {
        let awaiting: [DeviceCode]
        let groups: [Group]
        let clientAccess: ClientAccessValues?
        let others: [ButtonValues]
    }

    struct Group: Encodable {
        /// `nil` for the only group of a page.
        let heading: String?
        let rows: [Row]
        /// Instead of rows.
        var nothing: String?
        /// Concerns all rows.
        var whole: ButtonsValues?
    }

    /// A thing with its state and its buttons.
    struct Row: Encodable {
        /// Unique on the page.
        let row: String
        let label: String
        let state: String?
        let tag: String?
        let note: String?
        let rowForm: ButtonsValues?
    }

    /// The form for a device's code.
    struct DeviceCode: Encodable {
        let device: String
        let heading: String
        let lead: String
        let label: String
        let confirm: String
        let confirmLabel: String
        let send: String
        let sendLabel: String
    }

    /// The question before something is removed.
    struct Removal: Encodable {
        let remove: ButtonsValues
        let others: [ButtonValues]
    }

    struct Authenticator: Encodable {
        let symbol: Symbol?
        let uri: String
        let openLabel: String
        let typeLead: String
        let secret: String
        /// Without the spaces between its groups.
        let copiedSecret: String
        /// Of the button that the script of pages with something to copy shows.
        let copyLabel: String
        let copied: String
        let codeLabel: String
        let codeHint: String
        let confirm: String
        let confirmLabel: String
        let others: [ButtonValues]
    }

    /// A QR code.
    struct Symbol: Encodable {
        let size: String
        let path: String
        let label: String
    }

    struct RecoveryCodes: Encodable {
        let codes: [String]
        let advice: String
        let copyLabel: String
        let copied: String
        let notCopied: String
        let printLabel: String
        let savedLabel: String
        let go: String
        let goLabel: String
    }

    static let template = PageTemplate(
        "account",
        """
        {{<layout}}
        {{$content}}
        {{^invalid}}
        {{#notice}}
        {{> notice}}
        {{/notice}}
        {{/invalid}}
        {{#wayOn}}
        {{> linkButton}}
        {{/wayOn}}
        {{#step}}
        {{#overview}}
        {{#awaiting}}
        <section>
        <h2>{{heading}}</h2>
        <p>{{lead}}</p>
        <form method="post" action="{{form.action}}" accept-charset="utf-8">
        {{> csrfFields}}
        <input type="hidden" name="device" value="{{device}}">
        <div class="field">
        <label for="code-{{device}}">{{label}}</label>
        <input id="code-{{device}}" class="code" name="device_code" type="text" required maxlength="16" \
        inputmode="numeric" autocomplete="one-time-code">
        </div>
        {{> messageLink}}
        <button type="submit" name="action" value="{{confirm}}">{{confirmLabel}}</button>
        </form>
        <form method="post" action="{{form.action}}" class="others">
        {{> csrfFields}}
        <input type="hidden" name="device" value="{{device}}">
        <button type="submit" class="quiet" name="action" value="{{send}}">{{sendLabel}}</button>
        </form>
        </section>
        {{/awaiting}}
        {{#groups}}
        <section>
        {{#heading}}
        <h2>{{heading}}</h2>
        {{/heading}}
        {{#nothing}}
        <p>{{nothing}}</p>
        {{/nothing}}
        <ul class="rows">
        {{#rows}}
        <li>
        <div class="about">
        {{#heading}}
        <h3 id="{{row}}">{{label}}</h3>
        {{/heading}}
        {{^heading}}
        <h2 id="{{row}}">{{label}}</h2>
        {{/heading}}
        {{#state}}
        <p>{{state}}{{#tag}} <span class="tag">{{tag}}</span>{{/tag}}</p>
        {{/state}}
        </div>
        {{#note}}
        <p class="hint">{{note}}</p>
        {{/note}}
        {{#rowForm}}
        {{> buttons}}
        {{/rowForm}}
        </li>
        {{/rows}}
        </ul>
        {{#whole}}
        {{> buttons}}
        {{/whole}}
        </section>
        {{/groups}}
        {{> clientAccess}}
        {{> otherButtons}}
        {{/overview}}
        {{#authenticator}}
        {{#symbol}}
        <svg class="symbol" viewBox="0 0 {{size}} {{size}}" role="img" aria-label="{{label}}" shape-rendering="crispEdges">\
        <path d="{{path}}"/></svg>
        {{/symbol}}
        <p><a href="{{uri}}">{{openLabel}}</a></p>
        <p class="hint" id="secret-label">{{typeLead}}</p>
        <p class="secret" aria-labelledby="secret-label"><code>{{secret}}</code></p>
        <button type="button" class="second" data-copied="{{copied}}" data-text="{{copiedSecret}}" hidden>{{copyLabel}}</button>
        <form method="post" action="{{form.action}}" accept-charset="utf-8">
        {{> csrfFields}}
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="code">{{codeLabel}}</label>
        <p class="hint" id="code-hint">{{codeHint}}</p>
        {{> fieldNotice}}
        <input id="code" class="code" name="code" type="text" required maxlength="16" inputmode="numeric" \
        autocomplete="one-time-code"\
        {{#invalid}} autofocus aria-invalid="true" aria-describedby="notice code-hint"{{/invalid}}\
        {{^invalid}} aria-describedby="code-hint"{{/invalid}}>
        </div>
        <button type="submit" name="action" value="{{confirm}}">{{confirmLabel}}</button>
        </form>
        {{> otherButtons}}
        {{/authenticator}}
        {{#buttonOn}}
        {{> buttons}}
        {{/buttonOn}}
        {{#removal}}
        {{#remove}}
        {{> buttons}}
        {{/remove}}
        {{> otherButtons}}
        {{/removal}}
        {{#recoveryCodes}}
        <ol class="recovery-codes" id="recovery-codes">
        {{#codes}}
        <li><code>{{.}}</code></li>
        {{/codes}}
        </ol>
        <p>{{advice}}</p>
        <div class="pair" id="recovery-codes-buttons" data-copied="{{copied}}" data-failed="{{notCopied}}" hidden>
        <button type="button" class="second" id="copy-codes">{{copyLabel}}</button>
        <button type="button" class="second" id="print-codes">{{printLabel}}</button>
        </div>
        <p class="hint" id="recovery-codes-status" role="status"></p>
        <form method="post" action="{{form.action}}">
        {{> csrfFields}}
        <div class="field">
        <label class="check"><input type="checkbox" name="saved" value="yes" required> {{savedLabel}}</label>
        </div>
        <button type="submit" name="action" value="{{go}}">{{goLabel}}</button>
        </form>
        {{/recoveryCodes}}
        {{> passwordPage}}
        {{> passkeyPage}}
        {{> pinPage}}
        {{> clientAccessPage}}
        {{> ownAccountForm}}
        {{> ownAccountFields}}
        {{> ownAccountExport}}
        {{> ownAccountClosed}}
        {{/step}}
        {{/content}}
        {{$script}}
        {{> passkeyScript}}
        {{/script}}
        {{/layout}}

        """)
}
