import Web

/// The stand-in's sign-in page.
struct AppleSignInValues: PageValues {
    let action: String
    let fields: [HiddenField]

    static let template = PageTemplate(
        "appleSignIn",
        """
        {{<layout}}
        {{$content}}
        <form method="post" action="{{action}}">
        {{#fields}}
        <input type="hidden" name="{{name}}" value="{{value}}">
        {{/fields}}
        <div class="field">
        <label for="account">Account</label>
        <input id="account" name="account" value="ada" required maxlength="32" autocapitalize="none" spellcheck="false">
        </div>
        <div class="field">
        <label class="check"><input type="checkbox" name="hides_email" value="yes"> Hide my email address</label>
        </div>
        <button type="submit" name="action" value="continue">Continue</button>
        <button type="submit" class="quiet" name="action" value="cancel" formnovalidate>Cancel</button>
        </form>
        {{/content}}
        {{/layout}}

        """)
}

/// The stand-in's console.
struct AppleConsoleValues: PageValues {
    let action: String
    let notice: NoticeValues?
    let setUp: [String]
    let service: [ButtonValues]
    let refusals: [ButtonValues]
    let events: [ButtonValues]

    static let template = PageTemplate(
        "appleConsole",
        """
        {{<layout}}
        {{$width}}wide{{/width}}
        {{$content}}
        {{#notice}}
        {{> notice}}
        {{/notice}}
        <h2>Register the stand-in</h2>
        {{#setUp}}
        <p class="command"><code>{{.}}</code></p>
        {{/setUp}}
        <form method="post" action="{{action}}">
        <h2>The service</h2>
        {{#service}}
        <button type="submit" class="quiet" name="action" value="{{value}}">{{label}}</button>
        {{/service}}
        <h3>Refuse codes and tokens with</h3>
        {{#refusals}}
        <button type="submit" class="quiet" name="action" value="{{value}}">{{label}}</button>
        {{/refusals}}
        </form>
        <form method="post" action="{{action}}">
        <h2>A person's Apple Account</h2>
        <div class="field">
        <label for="account">Account</label>
        <input id="account" name="account" value="ada" required maxlength="32" autocapitalize="none" spellcheck="false">
        </div>
        <div class="field">
        <label for="client_id">App (bundle or Services ID)</label>
        <input id="client_id" name="client_id" value="com.example.wallet" required spellcheck="false">
        </div>
        <div class="field">
        <label class="check"><input type="checkbox" name="hides_email" value="yes"> The account hides its email address</label>
        </div>
        {{#events}}
        <button type="submit" class="quiet" name="action" value="{{value}}">{{label}}</button>
        {{/events}}
        </form>
        {{/content}}
        {{/layout}}

        """)
}
