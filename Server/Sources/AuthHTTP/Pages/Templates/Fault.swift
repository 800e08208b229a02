extension PageTemplate {
    /// A page that says what went wrong, for when there is nowhere to send the person back to.
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
