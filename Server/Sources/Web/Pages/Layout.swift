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
        {{$head}}{{/head}}
        </head>
        <body>
        <main class="{{$width}}narrow{{/width}}">
        {{#brand}}
        <header class="brand">
        {{#logo}}
        <img class="logo" src="{{logo}}" alt="{{brandName}}">
        {{/logo}}
        {{^logo}}
        <span class="monogram" aria-hidden="true">{{monogram}}</span>
        <span class="brand-name">{{brandName}}</span>
        {{/logo}}
        </header>
        {{/brand}}
        <div class="card">
        <h1>{{heading}}</h1>
        <p class="lead">{{#lead}}{{> line}}{{/lead}}</p>
        {{$content}}{{/content}}
        </div>
        {{#footer}}
        <footer>{{#footer}}{{> line}}{{/footer}}</footer>
        {{/footer}}
        {{#supportLink}}
        <footer><a href="{{address}}" rel="noreferrer">{{label}}</a></footer>
        {{/supportLink}}
        </main>
        {{$script}}{{/script}}
        </body>
        </html>

        """)
}

/// The values of the layout. A page's own hide those of the same name.
package struct PageFrame: Encodable {
    let language: String
    let title: String
    let icon: String
    let stylesheet: String
    let brandStylesheet: String?
    let brand: Brand?
    let heading: String
    let lead: LineValues
    let footer: LineValues?
    /// To the brand's support.
    let supportLink: LinkValues?

    struct Brand: Encodable {
        let logo: String?
        let brandName: String
        let monogram: String
    }
}

extension PageTemplate {
    /// The pieces that the pages of every feature include.
    package static let shared = [
        layout, line, linkButton, csrfFields, notice, fieldNotice, messageLink, secretField, reveal, buttons,
        otherButtons, facts, factValue,
    ]

    /// A line of text that may contain a domain.
    package static let line = PageTemplate(
        "line",
        """
        {{first}}{{#rest}}<wbr>{{.}}{{/rest}}
        """)

    /// A link as prominent as a button.
    package static let linkButton = PageTemplate(
        "linkButton",
        """
        <p class="next"><a class="button" href="{{address}}" rel="noreferrer">{{label}}</a></p>

        """)

    /// The hidden fields of every form: the sealed request it continues, and the token that prevents forgery by another
    /// site.
    package static let csrfFields = PageTemplate(
        "csrfFields",
        """
        <input type="hidden" name="request" value="{{form.request}}">
        <input type="hidden" name="csrf" value="{{form.csrf}}">

        """)

    /// The result of the last action, or an error. An error has a heading.
    package static let notice = PageTemplate(
        "notice",
        """
        <div class="notice {{noticeKind}}" role="{{noticeRole}}" id="notice">
        {{#noticeHeading}}
        <h2>{{noticeHeading}}</h2>
        {{/noticeHeading}}
        <p>{{noticeText}}</p>
        {{#noticeHint}}
        <p>{{noticeHint}}</p>
        {{/noticeHint}}
        </div>

        """)

    /// A notice that concerns a field, at the field. Where the page has this one, it has no other.
    package static let fieldNotice = PageTemplate(
        "fieldNotice",
        """
        {{#invalid}}
        {{#notice}}
        <div class="wrong" id="notice" role="{{noticeRole}}">
        <p>{{noticeText}}</p>
        {{#noticeHint}}
        <p>{{noticeHint}}</p>
        {{/noticeHint}}
        </div>
        {{/notice}}
        {{/invalid}}

        """)

    /// The way from the field of a sent code to the sandbox's outbox. In another tab: going back to the answer to a form would send it
    /// again.
    package static let messageLink = PageTemplate(
        "messageLink",
        """
        {{#messageLink}}
        <p class="aside"><a href="{{address}}" target="_blank" rel="noreferrer">{{label}}</a></p>
        {{/messageLink}}

        """)

    /// The field of a secret that opens the account or approves an operation.
    package static let secretField = PageTemplate(
        "secretField",
        """
        <div class="field{{#invalid}} invalid{{/invalid}}">
        <label for="{{secretName}}">{{secretLabel}}</label>
        {{> fieldNotice}}
        <div class="entry">
        <input id="{{secretName}}" name="{{secretName}}" type="password" required maxlength="{{maxLength}}"\
        {{#isNumeric}} inputmode="numeric"{{/isNumeric}} autocomplete="{{autocomplete}}" autocapitalize="none" \
        spellcheck="false" enterkeyhint="go"\
        {{#invalid}} aria-invalid="true" aria-describedby="notice"{{/invalid}}{{#isFocused}} autofocus{{/isFocused}}>
        {{> reveal}}
        </div>
        </div>

        """)

    /// The button that shows what was typed into the field before it. Its script shows the button.
    package static let reveal = PageTemplate(
        "reveal",
        """
        {{#reveal}}
        <button type="button" class="reveal" data-show="{{show}}" data-hide="{{hide}}" hidden>{{show}}</button>
        {{/reveal}}

        """)

    /// A form of nothing but buttons.
    package static let buttons = PageTemplate(
        "buttons",
        """
        <form method="post" action="{{form.action}}">
        {{> csrfFields}}
        {{#field}}
        <input type="hidden" name="{{name}}" value="{{value}}">
        {{/field}}
        {{#buttons}}
        <button type="submit"{{#style}} class="{{style}}"{{/style}} name="action" value="{{value}}"\
        {{#row}} id="{{row}}-{{value}}" aria-labelledby="{{row}}-{{value}} {{row}}"{{/row}}>{{label}}</button>
        {{/buttons}}
        </form>

        """)

    /// The secondary buttons of a step. They have their own form, so that empty required fields do not block them.
    package static let otherButtons = PageTemplate(
        "otherButtons",
        """
        <form method="post" action="{{form.action}}" class="others">
        {{> csrfFields}}
        {{#others}}
        <button type="submit" class="quiet" name="action" value="{{value}}"\
        {{#sentForm}} form="{{sentForm}}" formnovalidate{{/sentForm}}>{{label}}</button>
        {{/others}}
        </form>

        """)

    /// A list of facts.
    package static let facts = PageTemplate(
        "facts",
        """
        <dl class="facts">
        {{#facts}}
        <div><dt>{{label}}</dt><dd>{{> factValue}}</dd></div>
        {{/facts}}
        </dl>

        """)

    /// The value of a fact.
    package static let factValue = PageTemplate(
        "factValue",
        """
        {{#link}}<a href="{{link}}">{{value}}</a>{{/link}}{{^link}}{{#isCode}}<code>{{value}}</code>{{/isCode}}\
        {{^isCode}}{{value}}{{/isCode}}{{/link}}
        """)
}

/// One of the values of `facts`, under that name.
package struct FactValues: Encodable {
    package let label: String
    package let value: String
    let link: String?
    let isCode: Bool

    /// - Parameter isCode: whether it is an id.
    package init(label: String, value: String, link: String? = nil, isCode: Bool = false) {
        self.label = label
        self.value = value
        self.link = link
        self.isCode = isCode
    }
}

/// The values of `line`: a text in pieces. A domain that is too long for its line breaks between its labels, not within one. An e-mail
/// address does not break.
package struct LineValues: Encodable {
    let first: String
    let rest: [String]

    package init(_ text: String) {
        var pieces = [""]
        var characters = text[...]
        var isInAddress = false
        while let character = characters.popFirst() {
            isInAddress = character == "@" || isInAddress && !character.isWhitespace
            if character == ".", !isInAddress, let before = pieces.last?.last, let after = characters.first,
                before.isLetter || before.isNumber, after.isLetter
            {
                pieces.append("")
            }
            pieces[pieces.count - 1].append(character)
        }
        first = pieces[0]
        rest = Array(pieces.dropFirst())
    }
}

/// What a page is about in one line, such as an amount and its payee.
package struct SummaryValues: Encodable, Sendable {
    let summary: String
    /// The class for a long line; `nil` for a short one.
    let summarySize: String?

    package init(_ summary: String, size: String?) {
        self.summary = summary
        summarySize = size
    }
}

/// The values of `linkButton`.
package struct LinkValues: Encodable {
    let address: String
    let label: String

    package init(address: String, label: String) {
        self.address = address
        self.label = label
    }
}

/// The address of a page's forms, and the values of `csrfFields`.
package struct PageFormValues: Encodable {
    let action: String
    let request: String?
    let csrf: String?

    package init(action: String, request: String?, csrf: String?) {
        self.action = action
        self.request = request
        self.csrf = csrf
    }
}

/// The values of `notice`, under the name `notice`.
package struct NoticeValues: Encodable {
    let noticeKind: String
    let noticeRole: String
    var noticeHeading: String?
    let noticeText: String
    var noticeHint: String?
}

/// A button: what the form posts, and what it says.
package struct ButtonValues: Encodable {
    package let value: String
    package let label: String
    /// The `id` of another form of the page, which the button sends, complete or not; `nil` for the form around the button.
    package let sentForm: String?

    package init(value: String, label: String, sentForm: String? = nil) {
        self.value = value
        self.label = label
        self.sentForm = sentForm
    }
}

/// The values of `buttons`.
package struct ButtonsValues: Encodable {
    package let buttons: [ButtonValues]
    let style: String?
    let field: HiddenField?
    let row: String?

    /// - Parameters:
    ///   - style: the class of the buttons; `nil` for the page's main one.
    ///   - field: names the thing, if there can be several.
    ///   - row: the `id` of the heading that a screen reader reads after a button.
    package init(_ buttons: [ButtonValues], style: String? = nil, field: HiddenField? = nil, row: String? = nil) {
        self.buttons = buttons
        self.style = style
        self.field = field
        self.row = row
    }
}

/// A hidden field of a form.
package struct HiddenField: Encodable {
    let name: String
    let value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
