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

@Suite("What the operators' console finds", .covers("operators' console"))
struct ConsoleSearchHTTPTests {
    private static let text = Language.english.consoleText

    @Test("A brand is found by its name or its id, and offered by its name")
    func brands() async throws {
        try await ConsoleOverHTTP.use("owner", "--all-brands") { console in
            var console = console
            try await console.server.execute(["brand", "create", "aurora", "--name", "Aurora Bank"])
            try await console.server.execute(["account", "create", "eve", "--brand", "aurora"])
            let eve = try await console.id(of: "eve", brand: "aurora")
            _ = try await console.signIn()
            for brand in ["aurora", "Aurora%20Bank", "aurora%20BANK%20"] {
                let found = try await console.browser.open("/admin?q=eve&brand=\(brand)")
                #expect(found.headers[.location] == TestServer.issuer + "/admin/account?id=\(eve)", "\(brand)")
            }
            let page = try await console.browser.open("/admin")
            #expect(page.text.contains("<option value=\"Aurora Bank\">"), "\(page.text)")
            let none = try await console.browser.open("/admin?q=eve&brand=Boreal")
            #expect(none.status == .notFound && none.has(Self.text[.faultNoBrand, ["brand": "Boreal"]]), "\(none.text)")
            #expect(none.text.contains("value=\"eve\""))
            // Of two brands with one name, each is offered by its id.
            try await console.server.execute(["brand", "create", "second", "--name", "Aurora Bank"])
            let both = try await console.browser.open("/admin")
            #expect(both.text.contains("<option value=\"aurora\">") && both.text.contains("<option value=\"second\">"))
            let unclear = try await console.browser.open("/admin?q=eve&brand=Aurora%20Bank")
            #expect(unclear.status == .notFound && unclear.has(Self.text[.faultNoBrand, ["brand": "Aurora Bank"]]))
        }
    }

    @Test("The beginning of a user name leads to the list of those who have it, which another beginning narrows")
    func prefix() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var console = console
            for name in ["marek", "zoe"] { try await console.server.execute(["account", "create", "--", name]) }
            _ = try await console.signIn()
            let found = try await console.browser.open("/admin?q=MAR")
            #expect(found.status == .seeOther, "\(found.text)")
            let list = try await console.follow(found)
            for name in ["maria", "marek"] { #expect(list.text.contains(">\(name)</a>"), "\(list.text)") }
            #expect(!list.text.contains(">zoe</a>") && list.text.contains("name=\"prefix\" type=\"search\""))
            let other = try await console.browser.open("/admin/list?of=account&brand=default&prefix=z")
            #expect(other.text.contains(">zoe</a>") && !other.text.contains(">maria</a>"))
            // Of a whole name, its account.
            #expect(
                try await console.browser.open("/admin?q=maria").headers[.location]?.contains("/admin/account") == true)
        }
    }

    @Test(
        "attack: beginnings do not tell support, letter by letter, what is masked of addresses",
        .threat("A support agent who abuses the console"), arguments: ["support", "auditor"])
    func masked(role: String) async throws {
        try await ConsoleOverHTTP.use(role) { console in
            var console = console
            var registration = AccountRegistration(username: "eve@example.com", password: ConsoleOverHTTP.password)
            (registration.email, registration.emailVerified) = ("eve@example.com", true)
            let created = registration
            try await console.server.execute { try await AccountAdministration($0).create(created) }
            _ = try await console.signIn()
            for typed in ["eve", "eve@", "eve@example.co"] {
                let found = try await console.browser.open("/admin?q=\(typed)")
                #expect((found.status == .seeOther) == (role == "auditor"), "\(typed): \(found.text)")
                let list = try await console.browser.open("/admin/list?of=account&prefix=\(typed)")
                #expect(list.status == .ok && list.has(Self.text[.emptyList]) == (role == "support"), "\(list.text)")
            }
        }
    }

    @Test("The audit log is narrowed to days, and its next page keeps them")
    func days() async throws {
        try await ConsoleOverHTTP.use("owner", "--all-brands") { console in
            var console = console
            let server = console.server
            for number in 0..<30 { try await server.execute(["account", "create", "old\(number)"]) }
            let old = Timestamp(seconds: 1_767_268_800)  // 2026-01-01T12:00:00Z
            try await server.server.context.database.write { connection in
                _ = try connection.execute("UPDATE security_events SET occurred_at = $1", [.time(old)])
            }
            try await server.execute(["brand", "create", "aurora", "--name", "Aurora"])
            _ = try await console.signIn()
            let created = Language.english.activityText[.accountCreated]
            let brand = Language.english.consoleEventText[.brandCreated]
            let early = try await console.browser.open("/admin/audit?since=2026-01-01&until=2026-01-01")
            #expect(early.has(created) && !early.has(brand), "\(early.text)")
            #expect(early.text.contains("name=\"since\" type=\"date\"") && early.text.contains("value=\"2026-01-01\""))
            let next = try #require(early.text.firstMatch(of: /href="(\/admin\/audit\?[^"]*cursor=[^"]+)"/))
            let second = try await console.browser.open(String(next.1).replacing("&amp;", with: "&"))
            #expect(second.has(created) && !second.has(brand), "\(second.text)")
            let late = try await console.browser.open("/admin/audit?since=2026-01-02&until=")
            #expect(late.has(brand) && !late.has(created), "\(late.text)")
            let before = try await console.browser.open("/admin/audit?until=2025-12-31")
            #expect(before.has(Self.text[.emptyList]))
            #expect(try await console.browser.open("/admin/audit?since=2026-02-30").status == .badRequest)
        }
    }
}
