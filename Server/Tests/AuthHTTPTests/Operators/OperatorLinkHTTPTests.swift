import Core
import HTTPTypes
import HummingbirdTesting
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Web

@Suite(
    "An operator's one-time link", .covers("an operator's one-time link"),
    .threat("An operator's rights over HTTP"))
struct OperatorLinkHTTPTests {
    private static let password = "correct horse battery"
    private static let chosen = [("new_password", password), ("repeated_password", password)]
    private static let over = "This link no longer works"

    private let invitation: AdminRequest = ["account", "create", "maria", "--operator", "owner", "--all-brands"]

    /// The path of the link that a command prints.
    private func link(_ command: AdminRequest, at server: TestServer) async throws -> String {
        let link = try #require(try await server.execute(command).document()["link"]?.string)
        #expect(link.hasPrefix(TestServer.issuer + "/admin/welcome?token="))
        return String(link.dropFirst(TestServer.issuer.count))
    }

    private func role(_ server: TestServer) async throws -> OperatorGrant? {
        try await server.server.context.database.read { connection in
            guard let account = try Accounts.find(named: "maria", brand: "default", on: connection) else { return nil }
            return try Operators.active(account.id, on: connection)
        }
    }

    private func hasPassword(_ server: TestServer) async throws -> Bool {
        try await server.server.context.database.read {
            try Accounts.find(named: "maria", brand: "default", on: $0)?.password != nil
        }
    }

    private func write(_ server: TestServer, _ statement: String) async throws {
        try await server.server.context.database.write { _ = try $0.execute(statement, []) }
    }

    private func accept(_ link: String, in browser: inout BrowserOverHTTP) async throws -> TestResponse {
        try await browser.press("accept_invitation", on: browser.open(link), Self.chosen)
    }

    @Test("The person sets a password and an authenticator app, and has the role after the second and not before")
    func wholeWay() async throws {
        try await TestServer.serve { server, client in
            let link = try await link(invitation, at: server)
            var browser = BrowserOverHTTP(client: client)
            let welcome = try await browser.open(link)
            #expect(welcome.status == .ok, "\(welcome.text)")
            let explained = try await server.execute(AdminRequest(["account", "explain", "maria"]))
            #expect(
                explained.lines.contains { $0.contains("to be an owner of all brands: until ") }, "\(explained.lines)")
            #expect(welcome.headers[.referrerPolicy] == "no-referrer")
            #expect(welcome.headers[.cacheControl] == "no-store")
            #expect(welcome.text.contains("Welcome, maria. You’ve been asked to help run this server."))
            let token = try #require(link.split(separator: "=").last)
            #expect(!welcome.text.contains(token))
            let wrong = [("new_password", Self.password), ("repeated_password", "correct horse")]
            let again = try await browser.press("accept_invitation", on: welcome, wrong)
            #expect(again.status == .badRequest)
            #expect(try await !hasPassword(server))
            let common = [("new_password", "password1"), ("repeated_password", "password1")]
            let weak = try await browser.press("accept_invitation", on: again, common)
            #expect(weak.status == .badRequest)
            let setUp = try await browser.press("accept_invitation", on: weak, Self.chosen)
            #expect(setUp.status == .ok, "\(setUp.text)")
            #expect(try await role(server) == nil)
            let mistyped = try await browser.press("confirm_authenticator", on: setUp, [("code", "no code")])
            #expect(mistyped.status == .badRequest)
            #expect(try await role(server) == nil)
            let done = try await browser.press(
                "confirm_authenticator", on: mistyped, [("code", try mistyped.authenticatorCode())])
            #expect(done.text.contains("your account can administer the server"), "\(done.text)")
            #expect(try await role(server) == OperatorGrant(.owner, brand: nil))
            let kinds = try await server.server.context.database.read {
                try $0.query("SELECT kind FROM security_events WHERE kind LIKE 'operator.%' ORDER BY id", []).map {
                    try $0.text("kind")
                }
            }
            #expect(kinds == ["operator.invited", "operator.granted"])
            for hidden in [String(token), Self.password] {
                #expect(!server.log.lines.contains { $0.contains(hidden) })
            }
        }
    }

    @Test("The last page leads to the operators' console where the server has it", arguments: [true, false])
    func leadsOn(hasConsole: Bool) async throws {
        try await TestServer.use(settings: { $0.adminConsole = hasConsole }) { server in
            try await server.serve { client in
                let link = try await link(invitation, at: server)
                var browser = BrowserOverHTTP(client: client)
                let setUp = try await accept(link, in: &browser)
                let done = try await browser.press(
                    "confirm_authenticator", on: setUp, [("code", try setUp.authenticatorCode())])
                #expect(done.text.contains("your account can administer the server"), "\(done.text)")
                #expect(done.text.contains("href=\"\(TestServer.issuer)/admin\"") == hasConsole, "\(done.text)")
                guard hasConsole else { return }
                // The password and the first code count: no second code has to be waited for.
                let console = try await browser.open("/admin")
                #expect(console.text.contains("name=\"q\""), "\(console.text)")
            }
        }
    }

    @Test("attack: a copy of the cookie from before the second factor opens nothing after it; a second press goes on")
    func copiedCookie() async throws {
        try await TestServer.use(settings: { $0.adminConsole = true }) { server in
            try await server.serve { client in
                let link = try await link(invitation, at: server)
                var browser = BrowserOverHTTP(client: client)
                let setUp = try await accept(link, in: &browser)
                var (thief, second) = (browser, browser)
                let code = [("code", try setUp.authenticatorCode())]
                _ = try await browser.press("confirm_authenticator", on: setUp, code)
                #expect(try await browser.open("/admin").text.contains("name=\"q\""))
                for path in ["/admin", BrowserOverHTTP.accountPage] {
                    let refused = try await thief.open(path)
                    #expect(!refused.text.contains("name=\"q\"") && !refused.text.contains("sign_out"), "\(path)")
                }
                // With the cookie from before, as when it is pressed before the first answer is there.
                let done = try await second.press("confirm_authenticator", on: setUp, code)
                #expect(done.text.contains("The authenticator app is on."), "\(done.text)")
                #expect(second.cookies == browser.cookies)
            }
        }
    }

    @Test("attack: an authenticator app that a person without a role sets up makes the session no stronger")
    func withoutRole() async throws {
        try await TestServer.use(settings: { $0.adminConsole = true }) { server in
            try await server.serve { client in
                let create: AdminRequest = ["account", "create", "maria", "--password-stdin"]
                try await server.execute(AdminRequest(create.words, input: Self.password))
                var browser = BrowserOverHTTP(client: client)
                let page = try await browser.open(BrowserOverHTTP.accountPage)
                let typed = [("username", "maria"), ("password", Self.password)]
                let overview = try await browser.press("sign_in", on: page, typed)
                let setUp = try await browser.press("set_up_authenticator", on: overview)
                _ = try await browser.press(
                    "confirm_authenticator", on: setUp, [("code", try setUp.authenticatorCode())])
                let methods = try await server.server.context.database.read {
                    try $0.query("SELECT amr FROM browser_sessions", []).map { try $0.text("amr") }
                }
                #expect(methods == ["pwd"])
            }
        }
    }

    @Test("attack: a used, expired, replaced or unknown link, and a wrong secret, get the same answer and set nothing")
    func noLink() async throws {
        try await TestServer.serve { server, client in
            let unused = try await link(invitation, at: server)
            let grant: AdminRequest = ["operator", "grant", "maria", "--role", "support", "--link"]
            let present = try await link(grant, at: server)
            let stranger = BrowserOverHTTP(client: client)
            let open: @Sendable (String) async throws -> TestResponse = { path in
                var browser = stranger
                return try await browser.open(path)
            }
            let other = "/admin/welcome?token="
            let unknown = OperatorLinkSecret(
                account: try #require(UniqueID(bytes: [UInt8](repeating: 1, count: 16))), random: SystemRandomBytes())
            for path in [unused, other, other + "x", other + unknown.reveal(), "/admin/welcome"] {
                let refused = try await open(path)
                #expect(refused.status == .gone, "\(path)")
                #expect(refused.text.contains(Self.over), "\(path)")
            }
            var browser = BrowserOverHTTP(client: client)
            let form = try await browser.open(present)
            try await write(server, "UPDATE operator_invitations SET expires_at = 1")
            #expect(try await open(present).status == .gone)
            let late = try await browser.press("accept_invitation", on: form, Self.chosen)
            #expect(late.status == .gone)
            #expect(late.text.contains(Self.over))
            #expect(try await !hasPassword(server))
            let used = try await link(grant, at: server)
            #expect(try await accept(used, in: &browser).status == .ok)
            #expect(try await open(used).status == .gone)
        }
    }

    @Test("attack: of two browsers with the same link, one sets its password, and the other's counts for nothing")
    func race() async throws {
        try await TestServer.serve { server, client in
            let link = try await link(invitation, at: server)
            let press: @Sendable (String) async throws -> TestResponse = { password in
                var browser = BrowserOverHTTP(client: client)
                let page = try await browser.open(link)
                return try await browser.press(
                    "accept_invitation", on: page, [("new_password", password), ("repeated_password", password)])
            }
            async let one = press("a first long phrase")
            async let two = press("a second long phrase")
            let answers = try await [one, two]
            #expect(answers.count { $0.status == .gone && $0.text.contains(Self.over) } == 1)
            #expect(answers.count { $0.text.contains("otpauth:") } == 1)
            let query = "SELECT COUNT(*) AS n FROM security_events WHERE kind = 'account.password_changed'"
            let changes = try await server.server.context.database.read { try $0.row(query, [])?.integer("n") }
            #expect(changes == 1)
        }
    }

    @Test("A form that arrives twice is answered like the first time")
    func twice() async throws {
        try await TestServer.serve { server, client in
            let link = try await link(invitation, at: server)
            var browser = BrowserOverHTTP(client: client)
            let page = try await browser.open(link)
            var second = browser
            #expect(try await browser.press("accept_invitation", on: page, Self.chosen).text.contains("otpauth:"))
            #expect(try await second.press("accept_invitation", on: page, Self.chosen).text.contains("otpauth:"))
        }
    }

    @Test(
        "attack: what happens to the account between the password and the second factor takes the role away",
        arguments: [
            ["operator", "revoke", "maria"], ["account", "deactivate", "maria"], ["account", "erase", "maria"],
        ])
    func revoked(words: [String]) async throws {
        try await TestServer.serve { server, client in
            var browser = BrowserOverHTTP(client: client)
            let setUp = try await accept(link(invitation, at: server), in: &browser)
            try await server.execute(AdminRequest(words))
            _ = try await browser.press("confirm_authenticator", on: setUp, [("code", try setUp.authenticatorCode())])
            #expect(try await role(server) == nil)
            let rows = try await server.server.context.database.read {
                try $0.row("SELECT COUNT(*) AS n FROM operators", [])?.integer("n")
            }
            #expect(rows == 0)
        }
    }

    @Test("After the password, the role waits for a quarter of an hour; the authenticator app alone brings none later")
    func tooLate() async throws {
        try await TestServer.serve { server, client in
            var browser = BrowserOverHTTP(client: client)
            let setUp = try await accept(link(invitation, at: server), in: &browser)
            try await write(server, "UPDATE operator_invitations SET expires_at = 1")
            let done = try await browser.press(
                "confirm_authenticator", on: setUp, [("code", try setUp.authenticatorCode())])
            #expect(done.text.contains("The authenticator app is on."), "\(done.text)")
            #expect(try await role(server) == nil)
        }
    }

    @Test("The pages of a link are in each language", arguments: Language.allCases)
    func languages(language: Language) async throws {
        try await TestServer.serve { server, client in
            let link = try await link(invitation, at: server)
            let text = language.accountText
            var browser = BrowserOverHTTP(client: client)
            let page = try await browser.open(link + "&ui_locales=\(language.rawValue)")
            #expect(page.text.contains("<h1>\(text[.welcomeHeading])</h1>"), "\(page.text)")
            #expect(page.text.contains("lang=\"\(language.rawValue)\""))
            let gone = try await browser.open("/admin/welcome?token=x&ui_locales=\(language.rawValue)")
            #expect(gone.text.contains("<h1>\(text[.welcomeOverHeading])</h1>"), "\(gone.text)")
        }
    }
}
