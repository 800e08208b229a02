extension PageTemplate {
    /// An error page, for when there is no page or app to return the person to.
    static let faultText = """
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

        """
}
