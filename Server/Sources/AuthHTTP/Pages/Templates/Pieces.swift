extension PageTemplate {
    /// Partials of other templates.
    static let pieces = [
        ("csrfFields", csrfFieldsText), ("notice", noticeText), ("otherButtons", otherButtonsText),
        ("clientConsent", clientConsentText), ("confirmation", confirmationText), ("destination", destinationText),
        ("clientAccess", clientAccessText), ("clientAccessPage", clientAccessPageText),
        ("providers", providersText), ("newAccount", newAccountText),
        ("pinField", pinFieldText), ("pinPage", pinPageText),
        ("passkeyUse", passkeyUseText), ("passkeyPage", passkeyPageText), ("passkeyScript", passkeyScriptText),
    ]

    /// The hidden fields of every form: the sealed request it continues, and the token that prevents forgery by another
    /// site.
    static let csrfFieldsText = """
        <input type="hidden" name="request" value="{{request}}">
        <input type="hidden" name="csrf" value="{{csrf}}">

        """

    /// The result of the last action, or an error. An error has a heading and links to the field at fault.
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

    /// The secondary buttons of a step. They have their own form, so that empty required fields do not block them.
    static let otherButtonsText = """
        <form method="post" action="{{action}}" class="others">
        {{> csrfFields}}
        {{#others}}
        <button type="submit" class="quiet" name="action" value="{{value}}">{{label}}</button>
        {{/others}}
        </form>

        """
}
