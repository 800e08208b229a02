import Web

extension PageTemplate {
    /// The form for a new account PIN. The person types it twice: the digits are hidden, the page has no script to show
    /// them, and password managers should not store them.
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
        {{^mistyped}}
        {{> fieldNotice}}
        {{/mistyped}}
        <input id="new-pin" name="new_pin" type="password" required maxlength="32" inputmode="numeric" \
        autocomplete="off" enterkeyhint="next" autofocus\
        {{#invalid}} aria-invalid="true" aria-describedby="{{^mistyped}}notice {{/mistyped}}pin-hint"{{/invalid}}\
        {{^invalid}} aria-describedby="pin-hint"{{/invalid}}>
        </div>
        <div class="field{{#mistyped}} invalid{{/mistyped}}">
        <label for="repeated-pin">{{repeatLabel}}</label>
        {{#mistyped}}
        <p class="wrong" id="repeated-pin-wrong" role="alert">{{mistyped}}</p>
        {{/mistyped}}
        <input id="repeated-pin" name="repeated_pin" type="password" required maxlength="32" inputmode="numeric" \
        autocomplete="off" enterkeyhint="done"\
        {{#mistyped}} aria-invalid="true" aria-describedby="repeated-pin-wrong"{{/mistyped}}>
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
        let mistyped: String?
        let set: String
        let setLabel: String
    }
}
