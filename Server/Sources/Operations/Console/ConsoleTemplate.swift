internal import Web

/// A page of the console: the same pieces on each, of which it has some. It has no script, and a form for each row.
struct ConsoleValues: PageValues {
    var form: PageFormValues?
    var notice: NoticeValues?
    /// The server's own words about a refusal, which are English.
    var detail: String?
    /// The account that the forms are about.
    var account: String?
    /// Below the sentence of an account: what mends it.
    var remedy: RowForm?
    var search: Search?
    var question: Question?
    var groups: [Group] = []
    var nothing: String?
    /// The way to other pages.
    var links: [LinkValues] = []
    /// A link as prominent as a button.
    var wayOn: LinkValues?
    /// Whose browser it is; `nil` on a page instead of one of the console.
    var signedIn: SignedIn?

    struct SignedIn: Encodable {
        let line: String
        let signOut: ButtonValues
    }

    struct Search: Encodable {
        let address: String
        let typed: String
        let searchLabel: String
        /// `nil` for operators of one brand.
        let brandField: BrandField?
        let searchButton: String
    }

    struct BrandField: Encodable {
        let brandLabel: String
        let brandTyped: String
    }

    struct Question: Encodable {
        let questionForm: RowForm
        let back: LinkValues
    }

    struct Group: Encodable {
        /// `nil` for the only group of a page, whose heading says it.
        let groupHeading: String?
        var rows: [Row]
        /// Concerns all rows.
        var whole: RowForm?
    }

    /// A thing with its state and its buttons.
    struct Row: Encodable {
        /// Unique on the page.
        let row: String
        let label: String
        /// The label is a link to this address; `nil` for none.
        var address: String?
        var state: String?
        var facts: [Fact] = []
        /// Facts that few look for.
        var folded: Folded?
        var rowForm: RowForm?
        /// The questions before what nothing undoes.
        var questions: [LinkValues] = []
    }

    struct Folded: Encodable {
        let foldedLabel: String
        let rest: [Fact]
    }

    /// A member of a command's answer, by its name there.
    struct Fact: Encodable {
        let name: String
        let value: String
        let link: String?
    }

    struct RowForm: Encodable {
        /// The row that it is in, if it is in one.
        var row: String?
        /// Names the thing, if there can be several.
        var item: String?
        /// The class of the buttons; `nil` for the page's main one.
        let style: String?
        let buttons: [ButtonValues]
    }

    /// The values of ``RowForm``. A button of a row is read out with the row's heading.
    static let rowForm = PageTemplate(
        "consoleRowForm",
        """
        <form method="post" action="{{form.action}}">
        {{> csrfFields}}
        <input type="hidden" name="id" value="{{account}}">
        {{#item}}
        <input type="hidden" name="item" value="{{item}}">
        {{/item}}
        {{#buttons}}
        <button type="submit"{{#style}} class="{{style}}"{{/style}} name="action" value="{{value}}"\
        {{#row}} id="{{row}}-{{value}}" aria-labelledby="{{row}}-{{value}} {{row}}"{{/row}}>{{label}}</button>
        {{/buttons}}
        </form>

        """)

    static let template = PageTemplate(
        "console",
        """
        {{<layout}}
        {{$width}}wide console{{/width}}
        {{$content}}
        {{#notice}}
        {{> notice}}
        {{/notice}}
        {{#detail}}
        <p class="hint" lang="en">{{detail}}</p>
        {{/detail}}
        {{#remedy}}
        {{> consoleRowForm}}
        {{/remedy}}
        {{#search}}
        <form method="get" action="{{address}}" accept-charset="utf-8" role="search">
        <div class="field">
        <label for="q">{{searchLabel}}</label>
        <input id="q" name="q" type="search" required maxlength="320" value="{{typed}}" autocomplete="off" \
        autocapitalize="none" spellcheck="false">
        </div>
        {{#brandField}}
        <div class="field">
        <label for="brand">{{brandLabel}}</label>
        <input id="brand" name="brand" type="text" maxlength="64" value="{{brandTyped}}" autocomplete="off" \
        autocapitalize="none" spellcheck="false">
        </div>
        {{/brandField}}
        <button type="submit">{{searchButton}}</button>
        </form>
        {{/search}}
        {{#question}}
        {{#questionForm}}
        {{> consoleRowForm}}
        {{/questionForm}}
        {{#back}}
        <p class="next"><a href="{{address}}">{{label}}</a></p>
        {{/back}}
        {{/question}}
        {{#groups}}
        <section>
        {{#groupHeading}}
        <h2>{{groupHeading}}</h2>
        {{/groupHeading}}
        <ul class="rows">
        {{#rows}}
        <li>
        <div class="about">
        {{#groupHeading}}<h3 id="{{row}}">{{/groupHeading}}{{^groupHeading}}<h2 id="{{row}}">{{/groupHeading}}\
        {{#address}}<a href="{{address}}">{{label}}</a>{{/address}}{{^address}}{{label}}{{/address}}\
        {{#groupHeading}}</h3>{{/groupHeading}}{{^groupHeading}}</h2>{{/groupHeading}}
        {{#state}}
        <p>{{state}}</p>
        {{/state}}
        </div>
        {{#rowForm}}
        {{> consoleRowForm}}
        {{/rowForm}}
        {{#questions}}
        <a class="button second" href="{{address}}" id="{{row}}-ask" aria-labelledby="{{row}}-ask {{row}}">{{label}}</a>
        {{/questions}}
        {{#facts}}
        <p class="hint"><code>{{name}}</code> {{#link}}<a href="{{link}}">{{value}}</a>{{/link}}{{^link}}{{value}}{{/link}}</p>
        {{/facts}}
        {{#folded}}
        <details>
        <summary>{{foldedLabel}}</summary>
        {{#rest}}
        <p><code>{{name}}</code> {{#link}}<a href="{{link}}">{{value}}</a>{{/link}}{{^link}}{{value}}{{/link}}</p>
        {{/rest}}
        </details>
        {{/folded}}
        </li>
        {{/rows}}
        </ul>
        {{#whole}}
        {{> consoleRowForm}}
        {{/whole}}
        </section>
        {{/groups}}
        {{#nothing}}
        <p class="empty">{{nothing}}</p>
        {{/nothing}}
        {{#wayOn}}
        {{> linkButton}}
        {{/wayOn}}
        {{#links}}
        <p class="next"><a href="{{address}}">{{label}}</a></p>
        {{/links}}
        {{#signedIn}}
        <form method="post" action="{{form.action}}">
        {{> csrfFields}}
        <p class="hint">{{line}}</p>
        {{#signOut}}
        <button type="submit" class="second" name="action" value="{{value}}">{{label}}</button>
        {{/signOut}}
        </form>
        {{/signedIn}}
        {{/content}}
        {{/layout}}

        """)
}
