import Web

/// The account page. It works without scripts, shows the secret's QR code, and has one form per button.
struct AccountValues: PageValues {
    let form: PageFormValues
    let notice: NoticeValues?
    /// Whether the notice concerns the field.
    let invalid: Bool
    let step: Step
    let scriptSource: String?

    /// What a step shows, of which it has one kind.
    struct Step: Encodable {
        var overview: Overview?
        var authenticator: Authenticator?
        var recoveryCodes: RecoveryCodes?
        var passkeyPage: PasskeyPageValues?
        var pinPage: PINPageValues?
        var clientAccessPage: ClientAccessPageValues?
    }

    struct Overview: Encodable {
        let rows: [Row]
        let devicesLabel: String
        let devices: [Device]
        let noDevices: String?
        let awaiting: [DeviceCode]
        let sections: [Section]
        let clientAccess: ClientAccessValues?
        let others: [ButtonValues]
    }

    struct Row: Encodable {
        let label: String
        let value: String
        let note: String?
    }

    struct Device: Encodable {
        let name: String
        let state: String?
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

    /// A factor that can be set up.
    struct Section: Encodable {
        let heading: String
        let lead: String
        let press: String
        let button: String
    }

    struct Authenticator: Encodable {
        let symbol: Symbol?
        let uri: String
        let openLabel: String
        let typeLead: String
        let secret: String
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
        let print: String
        let others: [ButtonValues]
    }

    static let template = PageTemplate(
        "account",
        """
        {{<layout}}
        {{$content}}
        {{#notice}}
        {{> notice}}
        {{/notice}}
        {{#step}}
        {{#overview}}
        <dl class="facts">
        {{#rows}}
        <div><dt>{{label}}</dt><dd>{{value}}{{#note}} <span class="tag">{{note}}</span>{{/note}}</dd></div>
        {{/rows}}
        <div><dt>{{devicesLabel}}</dt>
        {{#devices}}
        <dd>{{name}}{{#state}} <span class="tag">{{state}}</span>{{/state}}</dd>
        {{/devices}}
        {{#noDevices}}
        <dd>{{noDevices}}</dd>
        {{/noDevices}}
        </div>
        </dl>
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
        <button type="submit" name="action" value="{{confirm}}">{{confirmLabel}}</button>
        </form>
        <form method="post" action="{{form.action}}" class="others">
        {{> csrfFields}}
        <input type="hidden" name="device" value="{{device}}">
        <button type="submit" class="quiet" name="action" value="{{send}}">{{sendLabel}}</button>
        </form>
        </section>
        {{/awaiting}}
        {{#sections}}
        <section>
        <h2>{{heading}}</h2>
        <p>{{lead}}</p>
        <form method="post" action="{{form.action}}">
        {{> csrfFields}}
        <button type="submit" name="action" value="{{press}}">{{button}}</button>
        </form>
        </section>
        {{/sections}}
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
        <form method="post" action="{{form.action}}" accept-charset="utf-8">
        {{> csrfFields}}
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="code">{{codeLabel}}</label>
        <p class="hint" id="code-hint">{{codeHint}}</p>
        <input id="code" class="code" name="code" type="text" required maxlength="16" inputmode="numeric" \
        autocomplete="one-time-code" autofocus\
        {{#invalid}} aria-invalid="true" aria-describedby="notice code-hint"{{/invalid}}\
        {{^invalid}} aria-describedby="code-hint"{{/invalid}}>
        </div>
        <button type="submit" name="action" value="{{confirm}}">{{confirmLabel}}</button>
        </form>
        {{> otherButtons}}
        {{/authenticator}}
        {{#recoveryCodes}}
        <ol class="recovery-codes">
        {{#codes}}
        <li><code>{{.}}</code></li>
        {{/codes}}
        </ol>
        <p>{{print}}</p>
        {{> otherButtons}}
        {{/recoveryCodes}}
        {{> passkeyPage}}
        {{> pinPage}}
        {{> clientAccessPage}}
        {{/step}}
        {{/content}}
        {{$script}}
        {{> passkeyScript}}
        {{/script}}
        {{/layout}}

        """)
}
