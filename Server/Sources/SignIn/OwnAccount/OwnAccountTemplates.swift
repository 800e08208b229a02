import Web

extension PageTemplate {
    /// A form with one field: a new address or number, or a code.
    static let ownAccountForm = PageTemplate(
        "ownAccountForm",
        """
        {{#ownAccountForm}}
        <form method="post" action="{{form.action}}" accept-charset="utf-8">
        {{> csrfFields}}
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="{{name}}">{{label}}</label>
        {{#hint}}
        <p class="hint" id="hint">{{hint}}</p>
        {{/hint}}
        {{> fieldNotice}}
        {{#isSentCode}}
        <input id="{{name}}" class="code" name="{{name}}" type="text" required maxlength="16" inputmode="numeric" \
        autocomplete="one-time-code" enterkeyhint="go" autofocus\
        {{#invalid}} aria-invalid="true"{{/invalid}}{{#described}} aria-describedby="{{described}}"{{/described}}>
        {{/isSentCode}}
        {{^isSentCode}}
        <input id="{{name}}" name="{{name}}" type="{{type}}" value="{{typed}}" required maxlength="256" \
        autocomplete="{{autocomplete}}" autocapitalize="none" autocorrect="off" spellcheck="false" \
        enterkeyhint="go" autofocus\
        {{#invalid}} aria-invalid="true"{{/invalid}}{{#described}} aria-describedby="{{described}}"{{/described}}>
        {{/isSentCode}}
        </div>
        {{#hasMessage}}
        {{> messageLink}}
        {{/hasMessage}}
        <button type="submit" name="action" value="{{press}}">{{pressLabel}}</button>
        </form>
        {{> otherButtons}}
        {{/ownAccountForm}}

        """)

    /// A form with several fields, none of which is required.
    static let ownAccountFields = PageTemplate(
        "ownAccountFields",
        """
        {{#ownAccountFields}}
        <form method="post" action="{{form.action}}" accept-charset="utf-8">
        {{> csrfFields}}
        {{#entries}}
        <div class="field">
        <label for="{{entryName}}">{{entryLabel}}</label>
        {{#entryHint}}
        <p class="hint" id="{{entryName}}-hint">{{entryHint}}</p>
        {{/entryHint}}
        <input id="{{entryName}}" name="{{entryName}}" type="text" value="{{entryText}}" maxlength="256" \
        autocomplete="{{entryPurpose}}" autocorrect="off" spellcheck="false"\
        {{#entryHint}} aria-describedby="{{entryName}}-hint"{{/entryHint}}>
        </div>
        {{/entries}}
        <button type="submit" name="action" value="{{press}}">{{pressLabel}}</button>
        </form>
        {{> otherButtons}}
        {{/ownAccountFields}}

        """)

    /// The button of the download. The page stays.
    static let ownAccountExport = PageTemplate(
        "ownAccountExport",
        """
        {{#ownAccountExport}}
        <form method="post" action="{{exportAddress}}">
        {{> csrfFields}}
        <button type="submit" name="action" value="{{press}}">{{pressLabel}}</button>
        </form>
        {{> otherButtons}}
        {{/ownAccountExport}}

        """)

    /// The code that takes the closing back, and where.
    static let ownAccountClosed = PageTemplate(
        "ownAccountClosed",
        """
        {{#ownAccountClosed}}
        <p class="secret"><code>{{keepCode}}</code></p>
        <button type="button" class="second" data-copied="{{copied}}" hidden>{{copyLabel}}</button>
        {{#way}}
        {{> linkButton}}
        {{/way}}
        {{/ownAccountClosed}}

        """)
}

/// The values of the piece `ownAccountForm`, under that name.
struct OwnAccountFormValues: Encodable {
    let name: String
    let label: String
    let hint: String?
    /// Whether the field takes the code of a message, in digits.
    var isSentCode = false
    /// Whether the sandbox's outbox has what is to be typed.
    var hasMessage = false
    var type = "text"
    var typed = ""
    var autocomplete = "off"
    /// The elements that describe the field; `nil` for none.
    var described: String?
    let press: String
    let pressLabel: String
    let others: [ButtonValues]
}

/// The values of the piece `ownAccountFields`, under that name.
struct OwnAccountFieldsValues: Encodable {
    let entries: [Entry]
    let press: String
    let pressLabel: String
    let others: [ButtonValues]

    struct Entry: Encodable {
        let entryName: String
        let entryLabel: String
        var entryHint: String?
        var entryText = ""
        /// The value of `autocomplete`.
        var entryPurpose = "off"
    }
}

/// The values of the piece `ownAccountExport`, under that name.
struct OwnAccountExportValues: Encodable {
    let exportAddress: String
    let press: String
    let pressLabel: String
    let others: [ButtonValues]
}

/// The values of the piece `ownAccountClosed`, under that name.
struct OwnAccountClosedValues: Encodable {
    let keepCode: String
    /// Of the button that the script of pages with something to copy shows.
    let copyLabel: String
    let copied: String
    let way: LinkValues
}
