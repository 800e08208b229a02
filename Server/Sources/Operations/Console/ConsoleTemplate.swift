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
    /// Narrows the list of the page.
    var filter: Filter?
    var groups: [Group] = []
    var tables: [Table] = [] {
        didSet { isBroad = !tables.isEmpty }
    }
    /// Whether the page is as wide as a table needs.
    private(set) var isBroad = false
    /// All of one thing.
    var facts: [FactValues] = [] {
        didSet { hasFacts = !facts.isEmpty }
    }
    private(set) var hasFacts = false
    var nothing: String?
    /// The way to other pages.
    var links: [LinkValues] = []
    /// A link as prominent as a button.
    var wayOn: LinkValues?
    /// Whose browser it is; `nil` on the page of a fault.
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

    struct Filter: Encodable {
        let address: String
        /// What the list is of.
        let hidden: [Parameter]
        let fields: [Field]
        let filterButton: String

        struct Parameter: Encodable {
            let parameter: String
            let value: String
        }

        struct Field: Encodable {
            let parameter: String
            let label: String
            /// The type of the input.
            let type: String
            /// In characters; `nil` for a type that has no longest text.
            var longest: String?
            let value: String
        }
    }

    struct BrandField: Encodable {
        let brandLabel: String
        let brandTyped: String
        let choices: [Choice]

        struct Choice: Encodable {
            /// What is typed.
            let choice: String
            let name: String
        }
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
        var rowForm: RowForm?
        /// The questions before what nothing undoes.
        var questions: [LinkValues] = []
    }

    /// Columns with headings. On a phone each row is a block, and each cell has its heading.
    struct Table: Encodable {
        /// `nil` for the only table of a page, whose heading says it.
        let tableHeading: String?
        let heads: [Head]
        let records: [Record]
        /// The number of columns.
        let span: String
    }

    struct Head: Encodable {
        let head: String
    }

    struct Record: Encodable {
        /// Where links to the thing lead; `nil` if they lead to a page of its own.
        let anchor: String?
        let cells: [Cell]
        /// Facts that few look for.
        let folded: Folded?
    }

    struct Cell: Encodable {
        let head: String
        let value: String
        let link: String?
        /// Whether it is an id.
        let isCode: Bool
        /// The class.
        let style: String?
    }

    struct Folded: Encodable {
        let foldedLabel: String
        let rest: [FactValues]
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

    /// The values of ``Table``.
    static let table = PageTemplate(
        "consoleTable",
        """
        {{#tableHeading}}
        <h2>{{tableHeading}}</h2>
        {{/tableHeading}}
        <table class="list">
        <thead>
        <tr>{{#heads}}<th scope="col">{{head}}</th>{{/heads}}</tr>
        </thead>
        {{#records}}
        <tbody{{#anchor}} id="{{anchor}}"{{/anchor}}>
        <tr>
        {{#cells}}
        <td data-head="{{head}}"{{#style}} class="{{style}}"{{/style}}>{{> factValue}}</td>
        {{/cells}}
        </tr>
        {{#folded}}
        <tr class="more"><td colspan="{{span}}">
        <details>
        <summary>{{foldedLabel}}</summary>
        <dl>
        {{#rest}}
        <div><dt>{{label}}</dt> <dd>{{> factValue}}</dd></div>
        {{/rest}}
        </dl>
        </details>
        </td></tr>
        {{/folded}}
        </tbody>
        {{/records}}
        </table>

        """)

    /// The pieces of a page besides those that all pages have.
    static let pieces = [rowForm, table]

    static let template = PageTemplate(
        "console",
        """
        {{<layout}}
        {{$width}}wide console{{#isBroad}} broad{{/isBroad}}{{/width}}
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
        <input id="brand" name="brand" type="text" maxlength="200" value="{{brandTyped}}" list="brands" \
        autocomplete="off" autocapitalize="none" spellcheck="false">
        <datalist id="brands">
        {{#choices}}
        <option value="{{choice}}">{{name}}</option>
        {{/choices}}
        </datalist>
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
        {{#filter}}
        <form method="get" action="{{address}}" accept-charset="utf-8">
        {{#hidden}}
        <input type="hidden" name="{{parameter}}" value="{{value}}">
        {{/hidden}}
        {{#fields}}
        <div class="field">
        <label for="{{parameter}}">{{label}}</label>
        <input id="{{parameter}}" name="{{parameter}}" type="{{type}}"{{#longest}} maxlength="{{longest}}"{{/longest}} value="{{value}}" \
        autocomplete="off" autocapitalize="none" spellcheck="false">
        </div>
        {{/fields}}
        <button type="submit" class="second">{{filterButton}}</button>
        </form>
        {{/filter}}
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
        </li>
        {{/rows}}
        </ul>
        {{#whole}}
        {{> consoleRowForm}}
        {{/whole}}
        </section>
        {{/groups}}
        {{#tables}}
        {{> consoleTable}}
        {{/tables}}
        {{#nothing}}
        <p class="empty">{{nothing}}</p>
        {{/nothing}}
        {{#hasFacts}}
        {{> facts}}
        {{/hasFacts}}
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
