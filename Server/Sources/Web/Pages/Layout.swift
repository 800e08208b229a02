extension PageTemplate {
    /// The frame of every page. It defines the places where a page inserts its blocks.
    package static let layout = PageTemplate(
        "layout",
        """
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

        """)
}

extension PageTemplate {
    /// What the pages of every feature use.
    package static let shared = [layout, csrfFields, notice, secretField, otherButtons, fault, continuation, formPost]

    /// The hidden fields of every form: the sealed request it continues, and the token that prevents forgery by another
    /// site.
    package static let csrfFields = PageTemplate(
        "csrfFields",
        """
        <input type="hidden" name="request" value="{{request}}">
        <input type="hidden" name="csrf" value="{{csrf}}">

        """)

    /// The result of the last action, or an error. An error has a heading and links to the field at fault.
    package static let notice = PageTemplate(
        "notice",
        """
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

        """)

    /// The field of a secret that opens the account or approves an operation.
    package static let secretField = PageTemplate(
        "secretField",
        """
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="{{secretName}}">{{secretLabel}}</label>
        <input id="{{secretName}}" name="{{secretName}}" type="password" required maxlength="{{maxLength}}"\
        {{#isNumeric}} inputmode="numeric"{{/isNumeric}} autocomplete="{{autocomplete}}" enterkeyhint="go"\
        {{#invalid}} aria-invalid="true" aria-describedby="notice"{{/invalid}}{{#isFocused}} autofocus{{/isFocused}}>
        </div>

        """)

    /// The secondary buttons of a step. They have their own form, so that empty required fields do not block them.
    package static let otherButtons = PageTemplate(
        "otherButtons",
        """
        <form method="post" action="{{action}}" class="others">
        {{> csrfFields}}
        {{#others}}
        <button type="submit" class="quiet" name="action" value="{{value}}">{{label}}</button>
        {{/others}}
        </form>

        """)
}
