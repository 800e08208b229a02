/// The pages of every feature.
package enum SharedPages {
    package static let all: [any PageValues.Type] = [FaultValues.self, ContinuationValues.self, FormPostValues.self]
}

/// An error page, for when there is no page or app to return the person to.
struct FaultValues: PageValues {
    let wayOn: LinkValues?
    let nextStep: String?
    /// The account's page, where a person who came from an app did not want to go.
    let account: LinkValues?
    let developersHeading: String?
    let developerHints: [String]
    let code: String?
    let codeLabel: String
    let referenceLabel: String
    let reference: String

    static let template = PageTemplate(
        "fault",
        """
        {{<layout}}
        {{$content}}
        {{#nextStep}}
        <p class="next">{{nextStep}}</p>
        {{/nextStep}}
        {{#wayOn}}
        {{> linkButton}}
        {{/wayOn}}
        {{#account}}
        <p class="next"><a href="{{address}}" rel="noreferrer">{{label}}</a></p>
        {{/account}}
        {{#developersHeading}}
        <details>
        <summary>{{developersHeading}}</summary>
        {{#developerHints}}
        <p>{{.}}</p>
        {{/developerHints}}
        </details>
        {{/developersHeading}}
        <dl class="reference">
        {{#code}}
        <div><dt>{{codeLabel}}</dt><dd><code>{{code}}</code></dd></div>
        {{/code}}
        <div><dt>{{referenceLabel}}</dt><dd><code>{{reference}}</code></dd></div>
        </dl>
        {{/content}}
        {{/layout}}

        """)
}

/// The intermediate page to an address that a form's redirect may not reach: an app, or a provider. The browser continues by
/// itself; if it does not, the person follows the link.
struct ContinuationValues: PageValues {
    /// What was approved, on the way back from a consent page.
    let about: SummaryValues?
    let link: LinkValues

    static let template = PageTemplate(
        "continuation",
        """
        {{<layout}}
        {{$content}}
        {{#about}}
        <p class="summary{{#summarySize}} {{summarySize}}{{/summarySize}}">{{summary}}</p>
        {{/about}}
        {{#link}}
        {{> linkButton}}
        {{/link}}
        {{/content}}
        {{/layout}}

        """)
}

/// The answer by `response_mode=form_post` (OAuth 2.0 Form Post Response Mode). The page's only script submits the
/// form at once. Without scripts, the person presses the button.
package struct FormPostValues: PageValues {
    let action: String
    let fields: [HiddenField]
    let submitLabel: String
    let scriptSource: String

    package init(action: String, fields: [HiddenField], submitLabel: String, scriptSource: String) {
        self.action = action
        self.fields = fields
        self.submitLabel = submitLabel
        self.scriptSource = scriptSource
    }

    package static let template = PageTemplate(
        "formPost",
        """
        {{<layout}}
        {{$content}}
        <form method="post" action="{{action}}" id="answer">
        {{#fields}}
        <input type="hidden" name="{{name}}" value="{{value}}">
        {{/fields}}
        <button type="submit">{{submitLabel}}</button>
        </form>
        {{/content}}
        {{$script}}
        <script src="{{scriptSource}}"></script>
        {{/script}}
        {{/layout}}

        """)
}
