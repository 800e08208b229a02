import Core
import HTTPTypes
import HummingbirdTesting
import Store
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Web

@Suite("What the pages of the operators' console say", .covers("operators' console"))
struct ConsoleWordsHTTPTests {
    private static let text = Language.english.consoleText

    @Test("Entries of the server's own pages and of deleted clients have no link that leads nowhere")
    func links() async throws {
        try await ConsoleOverHTTP.use("owner", "--all-brands") { console in
            var console = console
            let maria = try await console.id(of: "maria")
            try await console.server.execute([
                "client", "create", "com.example.shop", "--name", "Shop", "--public", "--redirect-uri",
                "com.example.shop:/callback", "--scope", "openid",
            ])
            try await console.server.execute(["client", "delete", "com.example.shop"])
            _ = try await console.signIn()
            _ = try await console.press("account_deactivate", maria, on: console.open(maria))
            let page = try await console.browser.open("/admin/audit")
            #expect(page.has(Self.text[.ownConsole]) && page.has(Self.text[.ownAccountPage]), "\(page.text)")
            let links = Set(page.text.matches(of: /href="(\/admin[^"#]*)"/).map { String($0.output.1) })
            #expect(links.count > 2)
            for link in links {
                let answer = try await console.browser.open(link.replacing("&amp;", with: "&"))
                #expect(answer.status == .ok, "\(link)")
            }
        }
    }

    @Test(
        "A refusal is in the reader's language alone, without words of the command line", arguments: Language.allCases)
    func refusals(language: Language) async throws {
        try await ConsoleOverHTTP.use("support", "--all-brands") { console in
            var console = console
            console.browser.headers[.acceptLanguage] = language.rawValue
            _ = try await console.signIn()
            let page = try await console.browser.open("/admin/audit")
            #expect(page.status == .forbidden && page.has(language.consoleText[.faultForbidden]), "\(page.text)")
            #expect(!page.text.contains("audit tail") && !page.text.contains("<p class=\"hint\" lang=\"en\">"))
        }
    }

    @Test("Support sees on the page of an operator, and on its own, why it has no button there")
    func operatorsAccount() async throws {
        try await ConsoleOverHTTP.use("support", "--all-brands") { console in
            var console = console
            try await console.server.execute(["account", "create", "opal"])
            try await console.server.execute(["operator", "grant", "opal", "--role", "support"])
            let (ada, opal, maria) = (
                try await console.id(of: "ada"), try await console.id(of: "opal"), try await console.id(of: "maria")
            )
            let own = try await console.signIn("/admin/account?id=\(ada)")
            #expect(own.has(Self.text[.ownRow]), "\(own.text)")
            let operatorPage = try await console.open(opal)
            #expect(operatorPage.has(Self.text[.operatorRow, ["user": "opal"]]), "\(operatorPage.text)")
            for page in [own, operatorPage] {
                for action in ConsoleAction.allCases {
                    #expect(!page.hasButton(action.rawValue) && !page.asks(action.rawValue), "\(action)")
                }
            }
            let person = try await console.open(maria)
            #expect(person.asks("account_deactivate") && !person.text.contains("id=\"row-restriction\""))
            // An owner of all brands has the buttons.
            try await console.server.execute(["operator", "grant", "ada", "--role", "owner", "--all-brands"])
            let owners = try await console.open(opal)
            #expect(owners.asks("account_deactivate") && !owners.text.contains("id=\"row-restriction\""))
        }
    }

    @Test("The sign-in before an erasure says that the erasure asks for it", arguments: Language.allCases)
    func ownSignIn(language: Language) async throws {
        try await ConsoleOverHTTP.use("owner", "--all-brands") { console in
            var console = console
            console.browser.headers[.acceptLanguage] = language.rawValue
            let maria = try await console.id(of: "maria")
            _ = try await console.signIn()
            let page = "/admin/account?id=\(maria)&ask="
            for (action, sentence) in [
                ("account_erase", AccountText.eraseAgainLead), ("account_deactivate", nil),
            ] {
                let asked = try await console.browser.open(page + action)
                #expect(asked.text.contains("name=\"password\"") == (sentence != nil), "\(action)")
                if let sentence { #expect(asked.has(language.accountText[sentence]), "\(asked.text)") }
                #expect(!asked.has(language.accountText[.administrationLead]))
            }
        }
    }
}
