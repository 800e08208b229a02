extension PageTemplate {
    /// Pieces that stand in other templates.
    static let pieces = [
        ("csrfFields", csrfFieldsText), ("notice", noticeText), ("otherButtons", otherButtonsText),
        ("clientConsent", clientConsentText), ("confirmation", confirmationText), ("destination", destinationText),
        ("clientAccess", clientAccessText), ("clientAccessPage", clientAccessPageText),
        ("providers", providersText), ("newAccount", newAccountText),
        ("pinField", pinFieldText), ("pinPage", pinPageText),
        ("passkeyUse", passkeyUseText), ("passkeyPage", passkeyPageText), ("passkeyScript", passkeyScriptText),
    ]

    /// What every form brings back: the request that it continues, and the token without which another site's page could
    /// send the same form.
    static let csrfFieldsText = """
        <input type="hidden" name="request" value="{{request}}">
        <input type="hidden" name="csrf" value="{{csrf}}">

        """

    /// What has just happened, or is wrong. An error has a heading, and leads to the field that it concerns.
    static let noticeText = """
        <div class="notice {{noticeKind}}" role="{{noticeRole}}" id="notice">
        {{#noticeHeading}}
        <h2>{{noticeHeading}}</h2>
        {{/noticeHeading}}
        {{#noticeTarget}}
        <p><a href="#{{noticeTarget}}">{{notice}}</a></p>
        {{/noticeTarget}}
        {{^noticeTarget}}
        <p>{{notice}}</p>
        {{/noticeTarget}}
        {{#noticeHint}}
        <p>{{noticeHint}}</p>
        {{/noticeHint}}
        </div>

        """

    /// The ways out of a step, in a form of their own: the step's fields must not hold them up by being empty.
    static let otherButtonsText = """
        <form method="post" action="{{action}}" class="others">
        {{> csrfFields}}
        {{#others}}
        <button type="submit" class="quiet" name="action" value="{{value}}">{{label}}</button>
        {{/others}}
        </form>

        """
}
