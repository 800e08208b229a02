import Web

extension PageTemplate {
    /// The form for a new account PIN. The person types it twice: the digits are hidden, the page has no script to show
    /// them, and password managers should not store them. Both fields are empty again after a fault, which is at the first.
    static let pinPage = PageTemplate(
        "pinPage",
        """
        {{#pinPage}}
        {{#setting}}
        <form method="post" action="{{form.action}}" accept-charset="utf-8">
        {{> csrfFields}}
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="new-pin">{{newLabel}}</label>
        <p class="hint" id="pin-hint">{{newHint}}</p>
        {{> fieldNotice}}
        <input id="new-pin" name="new_pin" type="password" required maxlength="32" inputmode="numeric" \
        autocomplete="off" enterkeyhint="next" autofocus\
        {{#invalid}} aria-invalid="true" aria-describedby="notice pin-hint"{{/invalid}}\
        {{^invalid}} aria-describedby="pin-hint"{{/invalid}}>
        </div>
        <div class="field{{#isMistyped}} invalid{{/isMistyped}}">
        <label for="repeated-pin">{{repeatLabel}}</label>
        <input id="repeated-pin" name="repeated_pin" type="password" required maxlength="32" inputmode="numeric" \
        autocomplete="off" enterkeyhint="done"\
        {{#isMistyped}} aria-invalid="true" aria-describedby="notice"{{/isMistyped}}>
        </div>
        <button type="submit" name="action" value="{{set}}">{{setLabel}}</button>
        </form>
        {{/setting}}
        {{> otherButtons}}
        {{/pinPage}}

        """)
}

/// The values of the piece `pinPage`, under that name.
struct PINPageValues: Encodable {
    let setting: Setting?
    let others: [ButtonValues]

    struct Setting: Encodable {
        let newLabel: String
        let newHint: String
        let repeatLabel: String
        /// Whether the two entries differed: both fields are marked.
        let isMistyped: Bool
        let set: String
        let setLabel: String
    }
}
