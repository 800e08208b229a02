import Core
import Web

/// A name with its value.
struct SandboxFact: Encodable {
    let name: String
    let value: String
    /// A button that copies the value; `nil` for none.
    var copy: CopyButton?
}

/// A button that copies what is before it.
struct CopyButton: Encodable {
    let label: String
    let copied: String

    init(in language: Language) {
        label = language.sandbox[.copyLabel]
        copied = language.sandbox[.copied]
    }
}

/// The sandbox's first page.
struct SandboxHomeValues: PageValues {
    let created: Created?
    let tasks: [Task]
    let signIn: SignIn
    let pagesHeading: String
    let links: [Link]
    let scriptSource: String?

    /// What a button has just created.
    struct Created: Encodable {
        let heading: String
        let lead: String
        let facts: [SandboxFact]
        let code: String?
        /// A button that copies the code.
        let copyCode: CopyButton?
        let next: LinkValues?
    }

    struct Task: Encodable {
        let heading: String
        let lead: String
        let action: String
        let button: String
    }

    struct SignIn: Encodable {
        let heading: String
        let lead: String
        let address: String
        let label: String
    }

    struct Link: Encodable {
        let address: String
        let label: String
        let note: String
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
        <li><div class="about"><h3>{{name}}</h3><p><code>{{value}}</code></p></div>
        {{#copy}}
        <button type="button" class="second" data-copied="{{copied}}" hidden>{{label}}</button>
        {{/copy}}
        </li>
        {{/facts}}
        </ul>
        {{#code}}
        <pre class="lines"><code>{{code}}</code></pre>
        {{/code}}
        {{#copyCode}}
        <button type="button" class="second" data-copied="{{copied}}" hidden>{{label}}</button>
        {{/copyCode}}
        {{#next}}
        {{> linkButton}}
        {{/next}}
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
        {{#signIn}}
        <section>
        <h2>{{heading}}</h2>
        <p>{{lead}}</p>
        <p class="next"><a class="button second" href="{{address}}">{{label}}</a></p>
        </section>
        {{/signIn}}
        <section>
        <h2>{{pagesHeading}}</h2>
        <ul class="rows">
        {{#links}}
        <li><div class="about"><h3><a href="{{address}}">{{label}}</a></h3><p>{{note}}</p></div></li>
        {{/links}}
        </ul>
        </section>
        {{/content}}
        {{$script}}
        {{> passkeyScript}}
        {{/script}}
        {{/layout}}

        """)
}

/// The end of a test sign-in.
struct SandboxSignInValues: PageValues {
    /// What the app's developer would read about a refusal, in English.
    let detail: String?
    let lists: [Claims]
    let signIn: LinkValues
    let home: LinkValues

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
        {{#detail}}
        <p>{{detail}}</p>
        {{/detail}}
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
        <p><a class="button second" href="{{signIn.address}}">{{signIn.label}}</a></p>
        <p><a href="{{home.address}}">{{home.label}}</a></p>
        </section>
        {{/content}}
        {{/layout}}

        """)
}
