extension PageTemplate {
    /// The frame of every page. It defines the places where a page inserts its blocks.
    static let layoutText = """
        <!doctype html>
        <html lang="{{language}}">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex, nofollow">
        <meta name="color-scheme" content="light dark">
        <title>{{title}}</title>
        <link rel="icon" href="{{icon}}" type="image/svg+xml">
        <link rel="stylesheet" href="{{stylesheet}}">
        {{#brandStylesheet}}
        <link rel="stylesheet" href="{{brandStylesheet}}">
        {{/brandStylesheet}}
        </head>
        <body>
        <main class="{{$width}}narrow{{/width}}">
        <header class="brand">
        {{#logo}}
        <img class="logo" src="{{logo}}" alt="{{brandName}}">
        {{/logo}}
        {{^logo}}
        <span class="monogram" aria-hidden="true">{{monogram}}</span>
        <span class="brand-name">{{brandName}}</span>
        {{/logo}}
        </header>
        <div class="card">
        <h1>{{heading}}</h1>
        <p class="lead">{{lead}}</p>
        {{$content}}{{/content}}
        </div>
        {{#footer}}
        <footer>{{footer}}</footer>
        {{/footer}}
        </main>
        {{$script}}{{/script}}
        </body>
        </html>

        """
}

extension PageTemplate {
    /// Partials of other templates.
    static let pieces = [
        ("csrfFields", csrfFieldsText), ("notice", noticeText), ("otherButtons", otherButtonsText),
        ("clientConsent", clientConsentText), ("confirmation", confirmationText), ("destination", destinationText),
        ("clientAccess", clientAccessText), ("clientAccessPage", clientAccessPageText),
        ("providers", providersText), ("newAccount", newAccountText),
        ("secretField", secretFieldText), ("pinPage", pinPageText),
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

    /// The field of a secret that opens the account or approves an operation.
    static let secretFieldText = """
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="{{secretName}}">{{secretLabel}}</label>
        <input id="{{secretName}}" name="{{secretName}}" type="password" required maxlength="{{maxLength}}"\
        {{#isNumeric}} inputmode="numeric"{{/isNumeric}} autocomplete="{{autocomplete}}" enterkeyhint="go"\
        {{#invalid}} aria-invalid="true" aria-describedby="notice"{{/invalid}}{{#isFocused}} autofocus{{/isFocused}}>
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
