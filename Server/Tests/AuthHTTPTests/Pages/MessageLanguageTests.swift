import HTTPTypes
import HummingbirdTesting
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations

@Suite("The language of messages that a page causes")
struct MessageLanguageTests {
    private static let subjects = [
        "en": "Your code to recover your account", "de": "Ihr Code zur Wiederherstellung Ihres Kontos",
    ]

    /// Maria's account, with a confirmed mailbox, and the browser of someone who has not signed in.
    private func use(
        locale: String? = nil, _ body: @Sendable (TestServer, BrowserOverHTTP) async throws -> Void
    ) async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            var registration = AccountRegistration(username: "maria", password: "correct horse battery")
            registration.email = "maria@example.com"
            registration.emailVerified = true
            registration.profile.locale = locale
            try await server.execute { [registration] in try await AccountAdministration($0).create(registration) }
            try await body(server, BrowserOverHTTP(client: client))
        }
    }

    /// Asks for a code to recover Maria's account.
    private func recover(
        in browser: inout BrowserOverHTTP, _ changes: [String: String?] = [:]
    ) async throws -> TestResponse {
        let page = try await browser.open("/oauth2/authorize?" + Journey.query(changes))
        let asked = try await browser.press("forgot_password", on: page, at: BrowserOverHTTP.signInPage)
        return try await browser.press(
            "recover", on: asked, at: BrowserOverHTTP.signInPage, [("username", "maria")])
    }

    private func newest(_ server: TestServer) async throws -> MessageReader.Message {
        try #require(try await server.server.messages?.recent(limit: 1).first)
    }

    @Test("A code for an account without a language is in the language of the page that asked for it")
    func recovery() async throws {
        try await use { server, browser in
            var german = browser
            german.headers = [.acceptLanguage: "de-AT, en;q=0.5"]
            _ = try await recover(in: &german)
            #expect(try await newest(server).subject == Self.subjects["de"])
            let account = try await server.server.context.database.read {
                try Accounts.find(named: "maria", brand: "default", on: $0)
            }
            #expect(account?.locale == nil, "a message changes no account")
        }
    }

    @Test("A message that was written stays in its language, whichever the account has later", arguments: ["de", nil])
    func later(locale: String?) async throws {
        try await use(locale: locale) { server, browser in
            var english = browser
            _ = try await recover(in: &english)
            let before = try await newest(server)
            #expect(before.subject == Self.subjects[locale ?? "en"])
            let database = server.server.context.database
            _ = try await database.write { try $0.execute("UPDATE accounts SET locale = 'bg'", []) }
            #expect(try await newest(server) == before)
        }
    }

    @Test("It is in the language that the app asked for, although the form's address does not name it")
    func askedFor() async throws {
        try await use { server, browser in
            var browser = browser
            _ = try await recover(in: &browser, ["ui_locales": "de"])
            #expect(try await newest(server).subject == Self.subjects["de"])
        }
    }

    @Test("A code that the account's own page sends is in the language of that page")
    func accountPage() async throws {
        try await use { server, browser in
            var browser = browser
            browser.headers = [.acceptLanguage: "fr"]
            let page = try await browser.open(BrowserOverHTTP.accountPage + "?ui_locales=de")
            let login = [("username", "maria"), ("password", "correct horse battery")]
            _ = try await browser.press("sign_in", on: page, login)
            let told = try await newest(server)
            #expect(told.kind == "second_factor_code")
            #expect(told.subject == "Ihr Anmeldecode")
        }
    }

    @Test("Messages about what a person does on the account's page are in its language, and the page says so")
    func changes() async throws {
        try await use { server, browser in
            var browser = browser
            browser.headers = [.acceptLanguage: "de"]
            let asked = try await browser.signIn()
            let code = try #require(try await newest(server).code)
            let overview = try await browser.press("answer_factor", on: asked, [("answer", code)])
            #expect(overview.text.contains("Alles andere: auf Englisch."), "\(overview.text)")
            let form = try await browser.press("change_password", on: overview)
            let typed = [("new_password", "another phrase 8"), ("repeated_password", "another phrase 8")]
            _ = try await browser.press("save_password", on: form, typed)
            let told = try await newest(server)
            #expect(told.kind == "password_changed")
            #expect(told.subject == "Ihr Passwort wurde geändert")
        }
    }

    @Test("The account's own language comes before the page's, unless no text is in it", arguments: ["en-GB", "ja"])
    func ownLanguage(locale: String) async throws {
        try await use(locale: locale) { server, browser in
            var browser = browser
            browser.headers = [.acceptLanguage: "de"]
            _ = try await recover(in: &browser)
            #expect(try await newest(server).subject == Self.subjects[locale == "ja" ? "de" : "en"])
        }
    }

    @Test("attack: who recovers an account does not choose the language of the message that warns its holder")
    func warning() async throws {
        try await use { server, browser in
            var browser = browser
            browser.headers = [.acceptLanguage: "bg"]
            let asked = try await recover(in: &browser)
            let code = try #require(try await newest(server).code)
            let choosing = try await browser.press(
                "check_recovery_code", on: asked, at: BrowserOverHTTP.signInPage, [("recovery_answer", code)])
            let typed = [("new_password", "another phrase 8"), ("repeated_password", "another phrase 8")]
            _ = try await browser.press("set_password", on: choosing, at: BrowserOverHTTP.signInPage, typed)
            let told = try await server.server.messages?.recent(limit: 20) ?? []
            let warning = try #require(told.first { $0.kind == "password_recovered" })
            #expect(warning.subject == "Your account was recovered")
        }
    }

    @Test(
        "A new account has the language of the page that made it: the one that the app asked for, or else the browser's",
        arguments: [
            (nil, "bg, en;q=0.5", "bg"), ("de-AT", "bg", "de-AT"), ("ja de-AT", "bg", "de-AT"), ("ja", "bg", "ja"),
            (nil, nil, "en"),
        ] as [(String?, String?, String)])
    func newAccount(asked: String?, preferred: String?, expected: String) async throws {
        let provider = StubProvider()
        try await TestServer.use(providers: provider.http) { server in
            try await server.makePublicClient()
            try await server.add(provider)
            try await server.serve { client in
                var browser = BrowserOverHTTP(client: client)
                browser.headers[.acceptLanguage] = preferred
                let departure = try await browser.leave(asked.map { ["ui_locales": $0] } ?? [:])
                try provider.vouch(try #require(departure.headers[.location]), email: "ada@example.com")
                var answer = FormParameters()
                answer.append("state", try departure.redirectParameters["state"])
                answer.append("code", "c")
                let offer = try await browser.open(BrowserOverHTTP.providerPage + "?" + answer.encoded)
                _ = try await browser.press(
                    "create_account", on: offer, at: BrowserOverHTTP.signInPage, [("username", "ada")])
                let account = try await server.server.context.database.read {
                    try Accounts.find(named: "ada", brand: "default", on: $0)
                }
                #expect(account?.locale == expected)
            }
        }
    }
}
