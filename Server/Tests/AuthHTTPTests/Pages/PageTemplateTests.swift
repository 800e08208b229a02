import Core
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("Page templates", .article("22 confidentiality and integrity"), .threat("framing, script"))
struct PageTemplateTests {
    private static let sources =
        (PageTemplate.shared + Features.pieces + (SharedPages.all + Features.pages).map { $0.template })
        .map { ($0.name, $0.text) }

    @Test("No template has an unescaped tag", arguments: sources)
    func noUnescapedTags(name: String, text: String) {
        #expect(!text.contains("{{{"))
        #expect(text.firstMatch(of: /\{\{\s*&/) == nil)
        #expect(!text.contains("CONTENT_TYPE"))
    }

    @Test("No template has a script, a style or a handler of its own", arguments: sources)
    func nothingInline(name: String, text: String) {
        #expect(text.firstMatch(of: /<style|\sstyle=|\son[a-z]+=|javascript:/) == nil)
        #expect(text.firstMatch(of: /<script(?! src="\{\{scriptSource\}\}"><\/script>)/) == nil)
    }

    @Test("Every attribute that holds a value is quoted", arguments: sources)
    func quotedAttributes(name: String, text: String) {
        #expect(text.firstMatch(of: /=\{\{/) == nil)
        #expect(text.firstMatch(of: /='/) == nil)
    }

    @Test("A password or a PIN is masked as it is typed (RTS article 22)")
    func masked() {
        let fields = Self.sources.flatMap { source in
            source.1.matches(of: /<input [^>]*name="(?:(?:[a-z]+_)?(?:password|pin)|\{\{secretName\}\})"[^>]*>/)
                .map { String($0.output) }
        }
        #expect(fields.count >= 5)
        for field in fields { #expect(field.contains(#"type="password""#), "\(field)") }
    }

    @Test("A field has the keyboard and the suggestions for what is typed, digits for codes and PINs")
    func keyboards() {
        let fields = Self.sources.flatMap { source in
            source.1.matches(of: /<input [^>]*>/).map { String($0.output) }
                .filter { $0.firstMatch(of: /type="(?:hidden|checkbox)"| readonly hidden/) == nil }
        }
        #expect(fields.count >= 14)
        for field in fields {
            #expect(field.contains(" autocomplete=\""), "\(field)")
            if field.contains("class=\"code\"") {
                #expect(field.contains("inputmode=\"numeric\" autocomplete=\"one-time-code\""), "\(field)")
            } else if field.firstMatch(of: /name="(?:[a-z]+_)?pin"/) != nil {
                #expect(field.contains("inputmode=\"numeric\" autocomplete=\"off\""), "\(field)")
            } else if field.firstMatch(of: /name="(?:[a-z]+_)?(?:username|password|account|client_id)"/) != nil {
                #expect(field.contains("autocapitalize=\"none\""), "\(field)")
                #expect(field.contains("spellcheck=\"false\""), "\(field)")
            }
        }
    }

    @Test("A broken template stops the start and is named")
    func brokenTemplate() throws {
        let fault = #expect(throws: PageTemplates.Fault.self) {
            try PageTemplates(pages: [], pieces: [PageTemplate("signIn", "{{#open}} never closed")])
        }
        #expect(fault?.description.contains("signIn") == true)
    }

    @Test("XSS by a quotation mark under a combining accent: it is escaped all the same")
    func combiningMarks() throws {
        struct Field: PageValues {
            let message: String

            static let template = PageTemplate("field", "<input value=\"{{message}}\">")
        }
        let attack = "\"\u{301} autofocus onfocus=alert(1) <\u{338}script>'\u{20d2}"
        let page = try Self.render(Field(message: attack))
        #expect(page.utf8.filter { $0 == UInt8(ascii: "\"") }.count == 2)
        #expect(page.utf8.filter { $0 == UInt8(ascii: "<") }.count == 1)
        #expect(!page.utf8.contains(UInt8(ascii: "'")))
    }

    @Test("XSS: markup in a value is text, and a tag in a value is not a tag")
    func markup() throws {
        struct Sentence: PageValues {
            let message: String
            let secret: String

            static let template = PageTemplate("sentence", "<p>{{message}}</p>")
        }
        let page = try Self.render(Sentence(message: "</p><script>{{secret}}{{{secret}}}", secret: "leaked"))
        #expect(page == "<p>&lt;/p&gt;&lt;script&gt;{{secret}}{{{secret}}}</p>")
    }

    private static func render<Page: PageValues>(_ page: Page) throws -> String {
        let pages = Pages(issuer: try Issuer(TestServer.issuer), templates: try PageTemplates(pages: [Page.self]))
        return pages.templates.render(page, in: pages.frame(.english, heading: "", lead: "", brandName: ""))
    }
}
