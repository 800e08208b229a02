import Web

/// A name with its value.
struct SandboxFact: Encodable {
    let name: String
    let value: String
}

/// The sandbox's first page.
struct SandboxHomeValues: PageValues {
    let created: Created?
    let tasks: [Task]
    let signIn: String
    let outbox: String
    let account: String

    /// What a button has just created.
    struct Created: Encodable {
        let heading: String
        let lead: String
        let facts: [SandboxFact]
        let code: String?
    }

    struct Task: Encodable {
        let heading: String
        let lead: String
        let action: String
        let button: String
    }

    static let template = PageTemplate(
        "sandboxHome",
        """
        {{<layout}}
        {{$width}}wide{{/width}}
        {{$content}}
        {{#created}}
        <div class="notice good" role="status">
        <h2>{{heading}}</h2>
        <p>{{lead}}</p>
        </div>
        <ul class="rows">
        {{#facts}}
        <li><div class="about"><h3>{{name}}</h3><p><code>{{value}}</code></p></div></li>
        {{/facts}}
        </ul>
        {{#code}}
        <pre class="lines"><code>{{code}}</code></pre>
        {{/code}}
        {{/created}}
        {{#tasks}}
        <section>
        <h2>{{heading}}</h2>
        <p>{{lead}}</p>
        <form method="post" action="{{action}}">
        <button type="submit" class="second">{{button}}</button>
        </form>
        </section>
        {{/tasks}}
        <section>
        <h2>A test sign-in</h2>
        <p>Authorization code with PKCE, as an app does it. It ends with the claims of the ID token and of userinfo.</p>
        <p><a href="{{signIn}}">Sign in</a></p>
        </section>
        <section>
        <h2>Pages</h2>
        <p><a href="{{outbox}}">Outbox</a>: every message to your users, with its code</p>
        <p><a href="{{account}}">Account security</a>: what the holder of an account sees</p>
        </section>
        {{/content}}
        {{/layout}}

        """)
}

/// The end of a test sign-in.
struct SandboxSignInValues: PageValues {
    let lists: [Claims]
    let signIn: String
    let home: String

    struct Claims: Encodable {
        let heading: String
        let facts: [SandboxFact]
    }

    static let template = PageTemplate(
        "sandboxSignIn",
        """
        {{<layout}}
        {{$width}}wide{{/width}}
        {{$content}}
        {{#lists}}
        <section>
        <h2>{{heading}}</h2>
        <ul class="rows">
        {{#facts}}
        <li><div class="about"><h3>{{name}}</h3><p><code>{{value}}</code></p></div></li>
        {{/facts}}
        </ul>
        </section>
        {{/lists}}
        <section>
        <p><a href="{{signIn}}">Sign in again</a></p>
        <p><a href="{{home}}">Back to the sandbox</a></p>
        </section>
        {{/content}}
        {{/layout}}

        """)
}
