extension PageTemplate {
    /// The page on which a person agrees to an operation. What is agreed to stands before the field, which takes the focus only
    /// once something wrong was typed: on a phone the keyboard would push amount and payee out of sight. The field's part is
    /// the factor's: a further factor brings a block of its own beside `password`, and everything else stays.
    static let consentText = """
        {{<layout}}
        {{$content}}
        {{#notice}}
        {{> notice}}
        {{/notice}}
        {{#asking}}
        <dl class="facts">
        {{#rows}}
        <div><dt>{{label}}</dt><dd>{{value}}</dd></div>
        {{/rows}}
        </dl>
        {{#consequence}}
        <p>{{consequence}}</p>
        {{/consequence}}
        <p class="hint" id="warning">{{warning}}</p>
        {{#password}}
        <form method="post" action="{{action}}" accept-charset="utf-8">
        {{> csrfFields}}
        <input type="text" name="username" value="{{username}}" autocomplete="username" readonly hidden>
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="password">{{passwordLabel}}</label>
        <input id="password" name="password" type="password" required maxlength="256" autocomplete="current-password" \
        enterkeyhint="go"\
        {{#invalid}} autofocus aria-invalid="true" aria-describedby="notice warning"{{/invalid}}\
        {{^invalid}} aria-describedby="warning"{{/invalid}}>
        </div>
        <button type="submit" name="action" value="{{agree}}">{{agreeLabel}}</button>
        </form>
        {{/password}}
        {{#passkeyScriptNeeded}}
        <p id="passkey-unsupported">{{passkeyScriptNeeded}}</p>
        {{/passkeyScriptNeeded}}
        {{> passkeyUse}}
        {{> otherButtons}}
        {{/asking}}
        {{#back}}
        <p><a href="{{back}}" rel="noreferrer">{{backLabel}}</a></p>
        {{/back}}
        {{/content}}
        {{$script}}
        {{> passkeyScript}}
        {{/script}}
        {{/layout}}

        """
}
