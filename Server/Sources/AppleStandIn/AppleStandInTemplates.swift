import Web

/// The stand-in's sign-in page.
struct AppleSignInValues: PageValues {
    let action: String
    let fields: [HiddenField]
    let accountLabel: String
    let hideLabel: String
    let continueLabel: String
    let cancelLabel: String

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
        <label for="account">{{accountLabel}}</label>
        <input id="account" name="account" value="ada" required maxlength="32" autocomplete="off" autocapitalize="none" \
        spellcheck="false">
        </div>
        <div class="field">
        <label class="check"><input type="checkbox" name="hides_email" value="yes"> {{hideLabel}}</label>
        </div>
        <button type="submit" name="action" value="continue">{{continueLabel}}</button>
        <button type="submit" class="quiet" name="action" value="cancel" formnovalidate>{{cancelLabel}}</button>
        </form>
        {{/content}}
        {{/layout}}

        """)
}

/// The stand-in's console.
struct AppleConsoleValues: PageValues {
    let action: String
    let notice: NoticeValues?
    /// What to do first, until the stand-in is registered.
    let toRegister: Registration?
    /// The same once it is registered, after everything else.
    let registered: Registration?
    let serviceHeading: String
    let service: [ButtonValues]
    let refusalsHeading: String
    let refusals: [ButtonValues]
    let personHeading: String
    let accountLabel: String
    let appLabel: String
    let hidesLabel: String
    let events: [ButtonValues]
    let home: LinkValues

    struct Registration: Encodable {
        let heading: String
        let advice: String
        let commands: String
        let signIn: LinkValues
    }

    static let template = PageTemplate(
        "appleConsole",
        """
        {{<layout}}
        {{$width}}wide{{/width}}
        {{$content}}
        {{#notice}}
        {{> notice}}
        {{/notice}}
        {{#toRegister}}
        <section>
        <h2>{{heading}}</h2>
        <p>{{advice}}</p>
        <pre class="lines"><code>{{commands}}</code></pre>
        <p>{{#signIn}}<a href="{{address}}">{{label}}</a>{{/signIn}}</p>
        </section>
        {{/toRegister}}
        <section>
        <h2>{{serviceHeading}}</h2>
        <form method="post" action="{{action}}">
        <div class="pair">
        {{#service}}
        <button type="submit" class="second" name="action" value="{{value}}">{{label}}</button>
        {{/service}}
        </div>
        </form>
        </section>
        <section>
        <h2>{{refusalsHeading}}</h2>
        <form method="post" action="{{action}}">
        <div class="pair">
        {{#refusals}}
        <button type="submit" class="second" name="action" value="{{value}}">{{label}}</button>
        {{/refusals}}
        </div>
        </form>
        </section>
        <section>
        <h2>{{personHeading}}</h2>
        <form method="post" action="{{action}}">
        <div class="field">
        <label for="account">{{accountLabel}}</label>
        <input id="account" name="account" value="ada" required maxlength="32" autocomplete="off" autocapitalize="none" \
        spellcheck="false">
        </div>
        <div class="field">
        <label for="client_id">{{appLabel}}</label>
        <input id="client_id" name="client_id" value="com.example.wallet" required autocomplete="off" autocapitalize="none" \
        spellcheck="false">
        </div>
        <div class="field">
        <label class="check"><input type="checkbox" name="hides_email" value="yes"> {{hidesLabel}}</label>
        </div>
        <div class="pair">
        {{#events}}
        <button type="submit" class="second" name="action" value="{{value}}">{{label}}</button>
        {{/events}}
        </div>
        </form>
        </section>
        {{#registered}}
        <section>
        <h2>{{heading}}</h2>
        <p>{{advice}}</p>
        <pre class="lines"><code>{{commands}}</code></pre>
        <p>{{#signIn}}<a href="{{address}}">{{label}}</a>{{/signIn}}</p>
        </section>
        {{/registered}}
        <p><a href="{{home.address}}">{{home.label}}</a></p>
        {{/content}}
        {{/layout}}

        """)
}
