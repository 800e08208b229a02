import Core
import HTTPTypes
import HummingbirdTesting
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Making an account with a passkey alone, over HTTP", .threat("Passkey attacks"))
struct RegistrationByPasskeyTests {
    private static let issuer = "http://localhost:8700"
    private static let site = SoftwarePasskey.Page(relyingParty: "localhost", origin: issuer)
    private static let page = BrowserOverHTTP.signInPage
    private static let address = "ada@example.com"

    private func serve(
        _ body: @escaping @Sendable (TestServer, any TestClientProtocol) async throws -> Void
    ) async throws {
        try await TestServer.serve(issuer: Self.issuer) { server, client in
            try await server.makeBearerClient()
            try await server.execute(["brand", "update", "default", "--registration", "passkey"])
            try await body(server, client)
        }
    }

    /// The page that asks for the code that was sent to an address.
    private func askedForCode(
        _ browser: inout BrowserOverHTTP, _ address: String = address
    ) async throws -> TestResponse {
        let signIn = try await browser.open("/oauth2/authorize?" + Journey.query([:]))
        let asked = try await browser.press("register", on: signIn, at: Self.page)
        return try await browser.press("send_registration_code", on: asked, at: Self.page, [("address", address)])
    }

    /// The page that asks for the user name and the password, once the address is proved.
    private func proved(
        _ browser: inout BrowserOverHTTP, _ server: TestServer, _ address: String = address
    ) async throws -> TestResponse {
        let asked = try await askedForCode(&browser, address)
        let code = try await NewcomerOverHTTP(server: server, client: browser.client).code(for: address)
        return try await browser.press(
            "check_registration_code", on: asked, at: Self.page, [("registration_code", code)])
    }

    /// The page that asks the browser for a passkey.
    private func askedForPasskey(
        _ browser: inout BrowserOverHTTP, _ server: TestServer, _ address: String = address, name: String = "ada"
    ) async throws -> TestResponse {
        let form = try await proved(&browser, server, address)
        let asked = try await browser.press("register_by_passkey", on: form, at: Self.page, [("username", name)])
        try #require(asked.text.contains("value=\"finish_registration_by_passkey\""), "\(asked.text)")
        return asked
    }

    private func text(_ response: PasskeyRegistrationResponse) -> [(String, String)] {
        [("passkey", JSONValue.object(response.json).text)]
    }

    private func finish(
        _ browser: inout BrowserOverHTTP, on page: TestResponse, with response: PasskeyRegistrationResponse
    ) async throws -> TestResponse {
        try await browser.press("finish_registration_by_passkey", on: page, at: Self.page, text(response))
    }

    /// Whether a form led back to the app with a code.
    private func isSignedIn(_ answer: TestResponse) -> Bool {
        answer.headers[.location].map { $0.hasPrefix(Journey.redirectURI) && $0.contains("code=") } ?? false
    }

    private func accounts(_ server: TestServer) async throws -> Int {
        try await server.server.context.database.read { try $0.query("SELECT id FROM accounts", []).count }
    }

    private func passkeys(_ server: TestServer) async throws -> Int {
        try await server.server.context.database.read { try $0.query("SELECT id FROM passkeys", []).count }
    }

    @Test(
        "A newcomer creates a passkey, is signed in by two factors without a password, and signs in with it elsewhere")
    func whole() async throws {
        try await serve { server, client in
            try await server.execute(["brand", "update", "default", "--terms-url", "https://example.com/terms"])
            var browser = BrowserOverHTTP(client: client)
            let asked = try await askedForPasskey(&browser, server)
            #expect(asked.text.contains("https://example.com/terms"))
            #expect(!asked.text.contains("type=\"password\""))
            let creation = try asked.passkeyOptions
            #expect(creation["user"]?.object?["name"]?.string == "ada")
            let selection = try #require(creation["authenticatorSelection"]?.object)
            #expect(selection["userVerification"]?.string == "required")
            #expect(selection["residentKey"]?.string == "required")
            #expect(try await accounts(server) == 0)
            var passkey = try SoftwarePasskey()
            passkey.userHandle = creation["user"]?.object?["id"]?.string.flatMap { Base64URL.decode($0) }
            let made = try passkey.register(asked.passkeyChallenge, on: Self.site)
            let back = try await finish(&browser, on: asked, with: made)
            let code = try #require(try back.redirectParameters["code"], "\(back.text)")
            #expect(try await Journey.redeem(client, code).status == .ok)
            let account = try #require(
                try await server.server.context.database.read {
                    try Accounts.find(named: "ada", brand: "default", on: $0)
                })
            #expect(account.password == nil && account.passwordState == .none)
            #expect(account.emailState == .verified)
            #expect(passkey.userHandle == account.id.bytes)

            var other = BrowserOverHTTP(client: client)
            let signIn = try await other.open("/oauth2/authorize?" + Journey.query())
            let used = try passkey.use(signIn.passkeyChallenge, on: Self.site)
            let elsewhere = try await other.press(
                "use_passkey", on: signIn, at: Self.page, [("passkey", JSONValue.object(used.json).text)])
            // It is past every cooling period: an unknown browser is asked for nothing else.
            #expect(isSignedIn(elsewhere), "\(elsewhere.text)")
        }
    }

    @Test("The page offers a passkey only where the brand takes it and the issuer's host is a domain")
    func offered() async throws {
        try await serve { server, client in
            var browser = BrowserOverHTTP(client: client)
            let form = try await proved(&browser, server)
            #expect(form.text.contains("value=\"register_by_passkey\""))
            #expect(form.text.contains("name=\"new_password\""), "without a script, the password is there")
            try await server.execute(["brand", "update", "default", "--registration", "on"])
            // A button that the page no longer has leads to the password.
            let pressed = try await browser.press("register_by_passkey", on: form, at: Self.page, [("username", "ada")])
            #expect(pressed.text.contains("name=\"new_password\""))
            #expect(!pressed.text.contains("value=\"register_by_passkey\""))
        }
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.execute(["brand", "update", "default", "--registration", "passkey"])
            var browser = BrowserOverHTTP(client: client)
            let form = try await proved(&browser, server)
            #expect(form.text.contains("name=\"new_password\""))
            #expect(!form.text.contains("passkey"))
        }
    }

    @Test("The newcomer can go back to the password, and their name is still there")
    func password() async throws {
        try await serve { server, client in
            var browser = BrowserOverHTTP(client: client)
            let asked = try await askedForPasskey(&browser, server, name: "ada.l")
            let form = try await browser.press("register_by_password", on: asked, at: Self.page)
            #expect(form.text.contains("value=\"ada.l\""))
            let done = try await browser.press(
                "finish_registration", on: form, at: Self.page,
                [
                    ("username", "ada.l"), ("new_password", NewcomerOverHTTP.password),
                    ("repeated_password", NewcomerOverHTTP.password),
                ])
            #expect(isSignedIn(done), "\(done.text)")
            #expect(try await passkeys(server) == 0)
        }
    }

    @Test("A passkey without a username asks for the name, and not for a password")
    func noName() async throws {
        try await serve { server, client in
            var browser = BrowserOverHTTP(client: client)
            var page = try await proved(&browser, server)
            for typed in ["", " "] {
                page = try await browser.press(
                    "register_by_passkey", on: page, at: Self.page, [("username", typed)])
                #expect(page.status == .badRequest)
                #expect(page.text.contains(Language.english.registrationText[.nameMissing]), "\(page.text)")
                #expect(!page.text.contains(Language.english.registrationText[.passwordAgain]))
            }
        }
    }

    @Test("A taken name is refused before the browser creates a passkey, and when it was taken meanwhile")
    func taken() async throws {
        try await serve { server, client in
            try await NewcomerOverHTTP.makeHolder(server)
            var browser = BrowserOverHTTP(client: client)
            let form = try await proved(&browser, server)
            let taken = try await browser.press("register_by_passkey", on: form, at: Self.page, [("username", "Maria")])
            #expect(taken.status == .conflict)
            #expect(taken.text.contains("value=\"Maria\""))
            let foreign = try await browser.press(
                "register_by_passkey", on: taken, at: Self.page, [("username", "maria@example.com")])
            #expect(foreign.status == .badRequest)
            let asked = try await browser.press(
                "register_by_passkey", on: foreign, at: Self.page, [("username", "ada")])
            let made = try SoftwarePasskey().register(asked.passkeyChallenge, on: Self.site)
            try await NewcomerOverHTTP.makeHolder(server, "ada")
            // The address has an account now as well, which is said first.
            #expect(try await finish(&browser, on: asked, with: made).status == .conflict)
            #expect(try await accounts(server) == 2)
            #expect(try await passkeys(server) == 0)
        }
    }

    @Test(
        "attack: a passkey for another challenge, site or ceremony, without user verification, or malformed makes no account"
    )
    func refused() async throws {
        try await serve { server, client in
            var browser = BrowserOverHTTP(client: client)
            var asked = try await askedForPasskey(&browser, server)
            let passkey = try SoftwarePasskey()
            var (elsewhere, framed, ceremony, unverified) = (Self.site, Self.site, Self.site, passkey)
            elsewhere.origin = "https://localhost.example.com"
            framed.crossOrigin = true
            ceremony.type = "webauthn.get"
            unverified.flags = [.userPresent]
            let signIn = try await browser.open("/oauth2/authorize?" + Journey.query([:]))
            let own = try asked.passkeyChallenge
            let attempts = [
                try passkey.register(signIn.passkeyChallenge, on: Self.site),
                try passkey.register([UInt8](repeating: 7, count: 32), on: Self.site),
                try passkey.register(own, on: elsewhere), try passkey.register(own, on: framed),
                try passkey.register(own, on: ceremony), try unverified.register(own, on: Self.site),
            ]
            for attempt in attempts {
                let refused = try await finish(&browser, on: asked, with: attempt)
                #expect(refused.status == .badRequest, "\(refused.text)")
                #expect(refused.text.contains("no account was created"), "\(refused.text)")
                asked = refused
            }
            for field in ["", "{}", "[]", String(repeating: "[", count: 15_000)] {
                asked = try await browser.press(
                    "finish_registration_by_passkey", on: asked, at: Self.page, [("passkey", field)])
                #expect(asked.status == .badRequest)
            }
            #expect(try await accounts(server) == 0)
            #expect(try await passkeys(server) == 0)
            // The page still takes a right one.
            let made = try passkey.register(asked.passkeyChallenge, on: Self.site)
            #expect(isSignedIn(try await finish(&browser, on: asked, with: made)))
        }
    }

    @Test("attack: without the code, no passkey is asked for or taken", .threat("Account enumeration"))
    func unproved() async throws {
        try await serve { server, client in
            var browser = BrowserOverHTTP(client: client)
            let asked = try await askedForCode(&browser)
            let early = try await browser.press("register_by_passkey", on: asked, at: Self.page, [("username", "ada")])
            #expect(!early.text.contains("data-options"))
            var other = BrowserOverHTTP(client: client)
            let theirs = try await askedForPasskey(&other, server, "eve@example.com", name: "eve")
            let made = try SoftwarePasskey().register(theirs.passkeyChallenge, on: Self.site)
            let taken = try await finish(&browser, on: asked, with: made)
            #expect(!isSignedIn(taken))
            #expect(try await accounts(server) == 0)
        }
    }

    @Test("attack: neither the page nor the passkey of one browser makes an account in another")
    func twoBrowsers() async throws {
        try await serve { server, client in
            var (browser, other) = (BrowserOverHTTP(client: client), BrowserOverHTTP(client: client))
            let asked = try await askedForPasskey(&browser, server)
            let theirs = try await askedForPasskey(&other, server, "eve@example.com", name: "eve")
            let passkey = try SoftwarePasskey()
            let made = try passkey.register(asked.passkeyChallenge, on: Self.site)
            let stolen = try await finish(&other, on: asked, with: made)
            #expect(!isSignedIn(stolen))
            let swapped = try await finish(&other, on: theirs, with: made)
            #expect(swapped.status == .badRequest)
            #expect(try await accounts(server) == 0)
            #expect(isSignedIn(try await finish(&browser, on: asked, with: made)))
            // A credential has one account: the second one is not made.
            let again = try passkey.register(swapped.passkeyChallenge, on: Self.site)
            let second = try await finish(&other, on: swapped, with: again)
            #expect(second.status == .badRequest)
            #expect(try await accounts(server) == 1)
        }
    }

    @Test("An end whose answer was lost makes one account, and is over once the browser is signed in")
    func repeated() async throws {
        try await serve { server, client in
            var browser = BrowserOverHTTP(client: client)
            let asked = try await askedForPasskey(&browser, server)
            let made = try SoftwarePasskey().register(asked.passkeyChallenge, on: Self.site)
            var before = browser
            #expect(isSignedIn(try await finish(&before, on: asked, with: made)))
            // The same browser, which never got the answer.
            var without = browser
            let other = try SoftwarePasskey().register(asked.passkeyChallenge, on: Self.site)
            let foreign = try await finish(&without, on: asked, with: other)
            #expect(!isSignedIn(foreign), "another passkey does not open the account")
            #expect(isSignedIn(try await finish(&browser, on: asked, with: made)))
            let late = try await finish(&browser, on: asked, with: made)
            #expect(!isSignedIn(late))
            #expect(try await accounts(server) == 1)
            #expect(try await passkeys(server) == 1)
        }
    }

    @Test("The mailbox of an account with a passkey alone learns how it signs in, and gets no code")
    func recovery() async throws {
        try await serve { server, client in
            var browser = BrowserOverHTTP(client: client)
            let asked = try await askedForPasskey(&browser, server)
            let made = try SoftwarePasskey().register(asked.passkeyChallenge, on: Self.site)
            _ = try await finish(&browser, on: asked, with: made)
            var other = BrowserOverHTTP(client: client)
            let signIn = try await other.open("/oauth2/authorize?" + Journey.query([:]))
            let form = try await other.press("forgot_password", on: signIn, at: Self.page)
            let sent = try await other.press("recover", on: form, at: Self.page, [("username", "ada")])
            #expect(sent.text.contains("name=\"recovery_answer\""), "the page is the same for everyone")
            let messages = try await NewcomerOverHTTP(server: server, client: client).messages
            let told = try #require(messages.first { $0.kind == "password_recovery_by_passkey" })
            #expect(told.recipient == Self.address && told.code == nil)
            #expect(told.text.contains("you sign in with your passkey"))
        }
    }

    @Test("The page of the passkey has the script and the policy of the other pages with passkeys")
    func policy() async throws {
        try await serve { server, client in
            var browser = BrowserOverHTTP(client: client)
            let asked = try await askedForPasskey(&browser, server)
            let policy = try #require(asked.headers[.contentSecurityPolicy])
            #expect(policy.contains("default-src 'none'; ") && policy.contains("; script-src 'self'; "))
            #expect(!policy.contains("unsafe") && !policy.contains("connect-src"))
            #expect(asked.text.matches(of: /<script src="[^"]*passkey[^"]*"><\/script>/).count == 1, "\(asked.text)")
            #expect(asked.text.firstMatch(of: /<form[^>]* id="passkey"[^>]* hidden>/) != nil)
            #expect(asked.text.contains("id=\"passkey-unsupported\""))
        }
    }
}
