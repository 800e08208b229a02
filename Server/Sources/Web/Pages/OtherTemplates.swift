extension PageTemplate {
    /// An error page, for when there is no page or app to return the person to.
    package static let fault = PageTemplate(
        "fault",
        """
        {{<layout}}
        {{$content}}
        {{#nextStep}}
        <p class="next">{{nextStep}}</p>
        {{/nextStep}}
        {{#developersHeading}}
        <details>
        <summary>{{developersHeading}}</summary>
        {{#developerHints}}
        <p>{{hint}}</p>
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

extension PageTemplate {
    /// The intermediate page to an address that a form's redirect may not reach: an app, or a provider. The browser continues by
    /// itself; if it does not, the person follows the link.
    package static let continuation = PageTemplate(
        "continuation",
        """
        {{<layout}}
        {{$content}}
        <p class="next"><a href="{{target}}" rel="noreferrer">{{linkLabel}}</a></p>
        {{/content}}
        {{/layout}}

        """)
}

extension PageTemplate {
    /// The answer by `response_mode=form_post` (OAuth 2.0 Form Post Response Mode). The page's only script submits the
    /// form at once. Without scripts, the person presses the button.
    package static let formPost = PageTemplate(
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
