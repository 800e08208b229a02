import HTTPTypes
import HummingbirdTesting
import Testing

@testable import Core
@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Web

@Suite("Making an account on the page, over HTTP", .threat("Account enumeration"))
struct RegistrationPageTests {
    private static let page = BrowserOverHTTP.signInPage
    private static let password = NewcomerOverHTTP.password

    private func serve(
        _ body: @escaping @Sendable (TestServer, any TestClientProtocol) async throws -> Void
    ) async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.execute(["brand", "update", "default", "--registration", "on"])
            try await body(server, client)
        }
    }

    /// The page that asks for the code, and a browser at it.
    private func begin(
        _ client: any TestClientProtocol, _ address: String, _ parameters: [String: String] = [:]
    ) async throws -> (BrowserOverHTTP, TestResponse) {
        var browser = BrowserOverHTTP(client: client)
        let signIn = try await browser.open("/oauth2/authorize?" + Journey.query(parameters))
        try #require(signIn.text.contains("value=\"register\""), "\(signIn.text)")
        let asked = try await browser.press("register", on: signIn, at: Self.page)
        try #require(asked.text.contains("value=\"send_registration_code\""), "\(asked.text)")
        let sent = try await browser.press("send_registration_code", on: asked, at: Self.page, [("address", address)])
        return (browser, sent)
    }

    private func entries(_ name: String, _ password: String = password, again: String? = nil) -> [(String, String)] {
        [("username", name), ("new_password", password), ("repeated_password", again ?? password)]
    }

    @Test("The page offers an account only where the brand does, and not on the account's own page")
    func offered() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            var browser = BrowserOverHTTP(client: client)
            let without = try await browser.open("/oauth2/authorize?" + Journey.query([:]))
            #expect(!without.text.contains("value=\"register\""))
            // A button that the page does not have begins nothing.
            let pressed = try await browser.press("register", on: without, at: Self.page)
            #expect(pressed.status == .forbidden, "\(pressed.text)")
            #expect(!pressed.text.contains("send_registration_code"))
            try await server.execute(["brand", "update", "default", "--registration", "on"])
            let offered = try await browser.open("/oauth2/authorize?" + Journey.query([:]))
            #expect(offered.text.contains("value=\"register\""))
            let own = try await browser.open(BrowserOverHTTP.accountPage)
            #expect(!own.text.contains("value=\"register\""))
        }
    }

    @Test("A newcomer gives an address, a code, a name and a password, and returns to the app signed in")
    func whole() async throws {
        try await serve { server, client in
            try await server.execute(["brand", "update", "default", "--terms-url", "https://example.com/terms"])
            var (browser, asked) = try await begin(client, "ada.l@example.com")
            #expect(asked.status == .ok, "\(asked.text)")
            #expect(asked.text.contains("name=\"registration_code\""))
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            let wrong = try await browser.press(
                "check_registration_code", on: asked, at: Self.page, [("registration_code", "00000000")])
            #expect(wrong.status == .badRequest)
            let code = try await newcomer.code(for: "ada.l@example.com")
            let form = try await browser.press(
                "check_registration_code", on: wrong, at: Self.page, [("registration_code", code)])
            #expect(form.status == .ok, "\(form.text)")
            #expect(form.text.contains("value=\"ada.l\""), "the name is suggested")
            #expect(form.text.contains("https://example.com/terms"))
            let differing = try await browser.press(
                "finish_registration", on: form, at: Self.page, entries("ada", again: "another"))
            #expect(differing.status == .badRequest)
            #expect(differing.text.contains("value=\"ada\""))
            let done = try await browser.press(
                "finish_registration", on: differing, at: Self.page, entries("ada"))
            #expect(done.headers[.location]?.contains("code=") == true || done.text.contains("code="), "\(done.text)")
        }
    }

    @Test("Every step of a registration leads back to the sign-in, which knows the address, and ends no sign-in")
    func leaving() async throws {
        try await serve { server, client in
            var (browser, asked) = try await begin(client, "ada@example.com")
            #expect(!asked.text.contains("value=\"cancel\""))
            let signIn = try await browser.press("leave_registration", on: asked, at: Self.page)
            #expect(signIn.status == .ok)
            #expect(signIn.text.contains("value=\"sign_in\"") && signIn.text.contains("value=\"ada@example.com\""))
            let address = try await browser.press("register", on: signIn, at: Self.page)
            let again = try await browser.press("leave_registration", on: address, at: Self.page)
            #expect(again.text.contains("value=\"sign_in\""))
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            let form = try await browser.press(
                "check_registration_code", on: asked, at: Self.page,
                [("registration_code", try await newcomer.code(for: "ada@example.com"))])
            let left = try await browser.press("leave_registration", on: form, at: Self.page)
            #expect(left.text.contains("value=\"sign_in\""))
            // The next person at this browser cannot make the account.
            let late = try await browser.press("finish_registration", on: form, at: Self.page, entries("ada"))
            #expect(late.headers[.location]?.contains("/oauth2/authorize?") == true)
        }
    }

    @Test("The rules of the name and the password are there before the first try, and a wrong name says what to repeat")
    func rules() async throws {
        try await serve { server, client in
            try await NewcomerOverHTTP.makeHolder(server)
            var (browser, asked) = try await begin(client, "ada@example.com")
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            let form = try await browser.press(
                "check_registration_code", on: asked, at: Self.page,
                [("registration_code", try await newcomer.code(for: "ada@example.com"))])
            for (field, hint) in [("username", "username-hint"), ("new-password", "password-hint")] {
                #expect(form.text.contains("<p class=\"hint\" id=\"\(hint)\">"))
                let described = try Regex("<input id=\"\(field)\"[^>]* aria-describedby=\"\(hint)\"")
                #expect(form.text.contains(described), "\(form.text)")
            }
            let taken = try await browser.press("finish_registration", on: form, at: Self.page, entries("Maria"))
            #expect(taken.text.contains("aria-describedby=\"notice username-hint\""))
            #expect(taken.text.contains(Language.english.registrationText[.passwordAgain]))
            let short = try await browser.press(
                "finish_registration", on: taken, at: Self.page, entries("ada", "short"))
            #expect(!short.text.contains(Language.english.registrationText[.passwordAgain]))
            #expect(short.text.contains("value=\"ada\""))
        }
    }

    @Test("attack: the pages of an address that has an account are those of a free one")
    func enumeration() async throws {
        try await serve { server, client in
            try await NewcomerOverHTTP.makeHolder(server)
            var shown: [String] = []
            for address in ["maria@example.com", "clara@example.com"] {
                let (_, page) = try await begin(client, address)
                #expect(page.status == .ok)
                shown.append(
                    page.text.replacing(/value="[^"]*"/, with: "").replacing(address, with: "")
                        .replacing(address.prefix { $0 != "@" }, with: ""))
            }
            #expect(shown[0] == shown[1])
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            #expect(try await newcomer.messages.count == 2)
        }
    }

    @Test("A registration begun again in another browser says that the code works only where it was asked for")
    func begunAgain() async throws {
        try await serve { server, client in
            let (_, first) = try await begin(client, "ada@example.com")
            let elsewhere = "but it works only on the page that asked for it"
            #expect(!first.text.contains(elsewhere), "\(first.text)")
            var (browser, again) = try await begin(client, "ada@example.com")
            #expect(again.status == .ok && again.text.contains(elsewhere), "\(again.text)")
            let pressed = try await browser.press("resend_registration_code", on: again, at: Self.page)
            #expect(pressed.text.contains(elsewhere), "\(pressed.text)")
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            #expect(try await newcomer.messages.count == 1)
        }
    }

    @Test("A form that arrives twice sends one message")
    func twice() async throws {
        try await serve { server, client in
            var browser = BrowserOverHTTP(client: client)
            let signIn = try await browser.open("/oauth2/authorize?" + Journey.query([:]))
            let asked = try await browser.press("register", on: signIn, at: Self.page)
            var pages: [TestResponse] = []
            for _ in 0..<2 {
                pages.append(
                    try await browser.press(
                        "send_registration_code", on: asked, at: Self.page, [("address", "ada@example.com")]))
            }
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            #expect(try await newcomer.messages.count == 1)
            // Both pages take the code.
            let code = try await newcomer.code(for: "ada@example.com")
            for page in pages {
                let form = try await browser.press(
                    "check_registration_code", on: page, at: Self.page, [("registration_code", code)])
                #expect(form.status == .ok, "\(form.text)")
            }
        }
    }

    @Test("A taken name is said at its field, and the page says that an address is none")
    func faults() async throws {
        try await serve { server, client in
            try await NewcomerOverHTTP.makeHolder(server)
            let (_, unusable) = try await begin(client, "no address")
            #expect(unusable.status == .badRequest)
            var (browser, asked) = try await begin(client, "ada@example.com")
            let newcomer = NewcomerOverHTTP(server: server, client: client)
            let form = try await browser.press(
                "check_registration_code", on: asked, at: Self.page,
                [("registration_code", try await newcomer.code(for: "ada@example.com"))])
            let taken = try await browser.press("finish_registration", on: form, at: Self.page, entries("Maria"))
            #expect(taken.status == .conflict, "\(taken.text)")
            #expect(taken.text.contains("value=\"Maria\""))
            #expect(taken.text.ranges(of: "id=\"notice\"").count == 1)
            let foreign = try await browser.press(
                "finish_registration", on: taken, at: Self.page, entries("maria@example.com"))
            #expect(foreign.status == .badRequest)
        }
    }

    @Test("Each page and message is in each language", arguments: Language.allCases)
    func languages(language: Language) async throws {
        try await serve { server, client in
            let words = BrandLanguage(language, nil).registrationText
            let (_, asked) = try await begin(client, "ada@example.com", ["ui_locales": language.rawValue])
            #expect(asked.text.contains("<h1>\(HTMLEscaping().escapeText(words[.codeHeading]))</h1>"), "\(asked.text)")
            let message = try #require(
                try await NewcomerOverHTTP(server: server, client: client).messages.first)
            let text = MessageText(of: "registration_code", in: BrandLanguage(language, nil))
            #expect(message.subject == text[.subject, [:]])
        }
    }
}
