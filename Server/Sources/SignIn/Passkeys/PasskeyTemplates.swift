import Web

extension PageTemplate {
    /// The form that uses a passkey. Its script shows it. On the sign-in page, browsers may also suggest a passkey in
    /// the user name field; on the consent page, people press the button.
    static let passkeyUse = PageTemplate(
        "passkeyUse",
        """
        {{#passkey}}
        <form method="post" action="{{form.action}}" class="alone" id="passkey" data-options="{{options}}" \
        data-failed="{{failed}}"{{#suggested}} data-autofill="{{suggested}}"{{/suggested}} hidden>
        {{> csrfFields}}
        <input type="hidden" name="action" value="{{press}}">
        <input type="hidden" name="passkey" value="">
        <button type="submit" class="second">{{button}}</button>
        <p class="hint" id="passkey-status" role="alert" hidden></p>
        </form>
        {{/passkey}}

        """)

    /// The passkeys of an account. Only adding one needs a script; renaming and removing do not.
    static let passkeyPage = PageTemplate(
        "passkeyPage",
        """
        {{#passkeyPage}}
        {{#none}}
        <p>{{none}}</p>
        {{/none}}
        {{#passkeys}}
        <section>
        <h2>{{name}}</h2>
        <p>{{added}} {{used}}{{#synced}} <span class="tag">{{synced}}</span>{{/synced}}\
        {{#unusable}} <span class="tag">{{unusable}}</span>{{/unusable}}</p>
        <form method="post" action="{{form.action}}" accept-charset="utf-8">
        {{> csrfFields}}
        <input type="hidden" name="id" value="{{id}}">
        <div class="field">
        <label for="{{label}}">{{nameLabel}}</label>
        <input id="{{label}}" name="name" type="text" value="{{name}}" required maxlength="64" autocomplete="off">
        </div>
        <button type="submit" class="quiet" name="action" value="{{rename}}">{{renameLabel}}</button>
        <button type="submit" class="quiet" name="action" value="{{remove}}">{{removeLabel}}</button>
        </form>
        </section>
        {{/passkeys}}
        {{#full}}
        <section>
        <p>{{full}}</p>
        </section>
        {{/full}}
        {{#creation}}
        <section>
        <h2>{{heading}}</h2>
        <p>{{lead}}</p>
        <p id="passkey-unsupported">{{unsupported}}</p>
        <form method="post" action="{{form.action}}" accept-charset="utf-8" id="passkey" data-ceremony="create" \
        data-options="{{options}}" data-failed="{{failed}}" data-known="{{known}}" hidden>
        {{> csrfFields}}
        <input type="hidden" name="action" value="{{add}}">
        <input type="hidden" name="passkey" value="">
        <div class="field">
        <label for="passkey-name">{{nameLabel}}</label>
        <p class="hint" id="passkey-name-hint">{{nameHint}}</p>
        <input id="passkey-name" name="name" type="text" maxlength="64" autocomplete="off" \
        aria-describedby="passkey-name-hint">
        </div>
        <button type="submit">{{addLabel}}</button>
        <p class="hint" id="passkey-status" role="alert" hidden></p>
        </form>
        </section>
        {{/creation}}
        {{> otherButtons}}
        {{/passkeyPage}}

        """)

    /// The script of a page that has one, after its forms: of passkeys, or of recovery codes.
    static let passkeyScript = PageTemplate(
        "passkeyScript",
        """
        {{#scriptSource}}
        <script src="{{scriptSource}}"></script>
        {{/scriptSource}}

        """)
}

/// The values of the piece `passkeyUse`, under the name `passkey`.
package struct PasskeyUseValues: Encodable {
    let options: String
    let press: String
    let button: String
    let failed: String
    /// The field in which browsers may suggest a passkey.
    let suggested: String?
}

/// The values of the piece `passkeyPage`, under that name.
struct PasskeyPageValues: Encodable {
    let none: String?
    let passkeys: [Passkey]
    let nameLabel: String
    let rename: String
    let renameLabel: String
    let remove: String
    let removeLabel: String
    /// Instead of `creation`.
    let full: String?
    let creation: Creation?
    let others: [ButtonValues]

    struct Passkey: Encodable {
        let id: String
        let name: String
        let label: String
        let added: String
        let used: String
        let synced: String?
        let unusable: String?
    }

    struct Creation: Encodable {
        let heading: String
        let lead: String
        let unsupported: String
        let options: String
        let failed: String
        let known: String
        let nameHint: String
        let add: String
        let addLabel: String
    }
}
