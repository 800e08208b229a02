import Web

extension PageTemplate {
    /// The buttons of identity providers. They have their own form, so that empty required fields do not block them.
    static let providers = PageTemplate(
        "providers",
        """
        {{#providers}}
        <p class="divider">{{divider}}</p>
        <form method="post" action="{{form.action}}" class="providers">
        {{> csrfFields}}
        <input type="hidden" name="action" value="{{press}}">
        {{#buttons}}
        <button type="submit" class="second" name="provider" value="{{id}}">{{label}}</button>
        {{/buttons}}
        </form>
        {{/providers}}

        """)

    /// The offer of a new account: a user name, its email address, and the terms.
    static let newAccount = PageTemplate(
        "newAccount",
        """
        {{#newAccount}}
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="username">{{usernameLabel}}</label>
        {{> fieldNotice}}
        <input id="username" name="username" type="text" value="{{username}}" required maxlength="256" \
        autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" enterkeyhint="go"\
        {{#invalid}} aria-invalid="true" aria-describedby="notice"{{/invalid}} autofocus>
        </div>
        {{#email}}
        <p class="hint">{{email}}</p>
        {{/email}}
        {{#terms}}
        <p class="hint">{{line}} <a href="{{url}}" target="_blank" rel="noopener noreferrer">{{label}}</a></p>
        {{/terms}}
        {{/newAccount}}

        """)
}

/// The values of the piece `providers`, under that name.
struct ProviderValues: Encodable {
    let press: String
    let divider: String
    let buttons: [ChoiceValues]
}

/// The values of the piece `newAccount`, under that name.
struct NewAccountValues: Encodable {
    let usernameLabel: String
    let username: String?
    let email: String?
    let terms: Terms?

    struct Terms: Encodable {
        let line: String
        let url: String
        let label: String
    }
}
