import Web

extension PageTemplate {
    /// The identity providers below the form of the password.
    static let providers = PageTemplate(
        "providers",
        """
        {{#providers}}
        {{#divider}}
        <p class="divider">{{divider}}</p>
        {{/divider}}
        {{> providerButtons}}
        {{/providers}}

        """)

    /// The same above it, for a person without a password.
    static let providersFirst = PageTemplate(
        "providersFirst",
        """
        {{#providersFirst}}
        {{> providerButtons}}
        {{#divider}}
        <p class="divider">{{divider}}</p>
        {{/divider}}
        {{/providersFirst}}

        """)

    /// The buttons of identity providers. They have their own form, so that empty required fields do not block them.
    static let providerButtons = PageTemplate(
        "providerButtons",
        """
        <form method="post" action="{{form.action}}" class="providers">
        {{> csrfFields}}
        <input type="hidden" name="action" value="{{press}}">
        {{#buttons}}
        {{#isApple}}
        <button type="submit" class="apple" name="provider" value="{{id}}">\
        <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M15.8.7c.1 1.3-.4 2.6-1.2 3.5-.8.9-2 1.6-3.2 1.5-.1-1.3.5-2.5 \
        1.2-3.3.8-.9 2.1-1.6 3.2-1.7zM12.1 7.9c1 0 2.3-1 4.1-1 1.9 0 3.4 1 4.3 2.4-1.9 1.1-2.8 2.6-2.8 4.4 0 2.1 1.2 3.7 3 \
        4.5-.9 2.6-2.9 5.3-4.9 5.3-1.4 0-2-.8-3.7-.8s-2.4.8-3.8.8c-2.6 0-5.5-4.6-5.5-9.1 0-4.6 2.7-7.4 5.6-7.4 1.7 0 2.8.9 \
        3.7.9z"/></svg>{{label}}</button>
        {{/isApple}}
        {{^isApple}}
        <button type="submit" class="second" name="provider" value="{{id}}">{{label}}</button>
        {{/isApple}}
        {{/buttons}}
        </form>

        """)

    /// The offer of a new account: a user name, its email address, and the terms.
    static let newAccount = PageTemplate(
        "newAccount",
        """
        {{#newAccount}}
        <p class="hint">{{existingAccountHint}}</p>
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="username">{{usernameLabel}}</label>
        <p class="hint" id="username-hint">{{usernameHint}}</p>
        {{> fieldNotice}}
        <input id="username" name="username" type="text" value="{{username}}" required maxlength="256" \
        autocomplete="username" autocapitalize="none" autocorrect="off" spellcheck="false" enterkeyhint="go"\
        {{#invalid}} autofocus aria-invalid="true" aria-describedby="notice username-hint"{{/invalid}}\
        {{^invalid}} aria-describedby="username-hint"{{/invalid}}>
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

/// The values of the pieces `providers` and `providersFirst`, of which a page has one, under that name.
struct ProviderValues: Encodable {
    let press: String
    /// `nil` if the buttons are alone on the page.
    let divider: String?
    let buttons: [Button]

    struct Button: Encodable {
        let id: String
        let label: String
        /// Whether Apple's logo is next to the label.
        let isApple: Bool
    }
}

/// The values of the piece `newAccount`, under that name.
struct NewAccountValues: Encodable {
    let existingAccountHint: String
    let usernameLabel: String
    let usernameHint: String
    let username: String?
    let email: String?
    let terms: Terms?

    struct Terms: Encodable {
        let line: String
        let url: String
        let label: String
    }
}
