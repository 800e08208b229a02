import Web

extension PageTemplate {
    /// The page before a person gives a third-party app access. New scopes come first, since "Allow" is about them.
    static let clientConsent = PageTemplate(
        "clientConsent",
        """
        {{#clientConsent}}
        <div class="access">
        <h2>{{newHeading}}</h2>
        {{> scopes}}
        {{#granted}}
        <h2>{{grantedHeading}}</h2>
        {{> scopes}}
        {{/granted}}
        {{> destination}}
        <p class="hint">{{warning}}</p>
        </div>
        {{/clientConsent}}

        """)

    /// The page before a person continues with the account that is signed in in this browser.
    static let confirmation = PageTemplate(
        "confirmation",
        """
        {{#confirmation}}
        {{#asked}}
        <h2>{{askedHeading}}</h2>
        {{> scopes}}
        {{/asked}}
        {{> destination}}
        {{/confirmation}}

        """)

    /// What scopes let an app do.
    static let scopes = PageTemplate(
        "scopes",
        """
        <ul class="scopes">
        {{#scopes}}
        <li>{{.}}</li>
        {{/scopes}}
        </ul>

        """)

    /// The destination of the answer.
    static let destination = PageTemplate(
        "destination",
        """
        <dl class="facts">
        <div><dt>{{destinationLabel}}</dt><dd>{{#destination}}{{> line}}{{/destination}}</dd></div>
        </dl>

        """)

    /// Third-party apps on the account overview.
    static let clientAccess = PageTemplate(
        "clientAccess",
        """
        {{#clientAccess}}
        <section>
        <h2>{{heading}}</h2>
        <p>{{lead}}</p>
        {{#entries}}
        <h3>{{name}} <span class="tag">{{since}}</span></h3>
        {{> scopes}}
        {{/entries}}
        {{#manage}}
        {{> buttons}}
        {{/manage}}
        </section>
        {{/clientAccess}}

        """)

    /// The page that removes their access.
    static let clientAccessPage = PageTemplate(
        "clientAccessPage",
        """
        {{#clientAccessPage}}
        {{#entries}}
        <section>
        <h2>{{name}} <span class="tag">{{since}}</span></h2>
        {{> scopes}}
        {{#remove}}
        {{> buttons}}
        {{/remove}}
        </section>
        {{/entries}}
        {{> otherButtons}}
        {{/clientAccessPage}}

        """)
}

/// The values of the piece `clientConsent`, under that name.
struct ClientConsentValues: Encodable {
    let newHeading: String
    let scopes: [String]
    let granted: Granted?
    let destinationLabel: String
    let destination: LineValues
    let warning: String

    struct Granted: Encodable {
        let grantedHeading: String
        let scopes: [String]
    }
}

/// The values of the piece `confirmation`, under that name.
struct ConfirmationValues: Encodable {
    let asked: Asked?
    let destinationLabel: String
    let destination: LineValues

    struct Asked: Encodable {
        let askedHeading: String
        let scopes: [String]
    }
}

/// The values of the piece `clientAccess`, under that name.
struct ClientAccessValues: Encodable {
    let heading: String
    let lead: String
    let entries: [Entry]
    let manage: ButtonsValues

    struct Entry: Encodable {
        let name: String
        let since: String
        let scopes: [String]
    }
}

/// The values of the piece `clientAccessPage`, under that name.
struct ClientAccessPageValues: Encodable {
    let entries: [Entry]
    let others: [ButtonValues]

    struct Entry: Encodable {
        let name: String
        let since: String
        let scopes: [String]
        let remove: ButtonsValues
    }
}
