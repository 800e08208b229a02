import Core
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Web

@Suite("Passkeys over HTTP", .threat("Passkey attacks"), .covers("GET|POST /account (the account's own page)"))
struct PasskeyHTTPTests {
    private static let issuer = "http://localhost:8700"
    private static let site = SoftwarePasskey.Page(relyingParty: "localhost", origin: issuer)

    private func text(_ json: JSONObject) -> String { JSONValue.object(json).text }

    /// A server with an account whose holder is signed in by two factors, at the page of their passkeys.
    private func atPasskeys(
        _ body: @Sendable (TestServer, any TestClientProtocol, inout BrowserOverHTTP, TestResponse) async throws -> Void
    ) async throws {
        try await TestServer.serve(issuer: Self.issuer) { server, client in
            var registration = AccountRegistration(username: "maria", password: "correct horse battery")
            registration.email = "maria@example.com"
            registration.emailVerified = true
            try await server.execute { try await AccountAdministration($0).create(registration) }
            try await server.makeBearerClient()
            var browser = BrowserOverHTTP(client: client)
            let asked = try await browser.signIn()
            let message = try await server.server.messages?.recent(limit: 10).first
            let overview = try await browser.press(
                "answer_factor", on: asked, [("answer", try #require(message?.code))])
            let page = try await browser.press("manage_passkeys", on: overview)
            try await body(server, client, &browser, page)
        }
    }

    @Test(
        "A passkey is added on the account's page, named, used on the sign-in page and removed; no log contains what it sent"
    )
    func walk() async throws {
        try await atPasskeys { server, client, browser, page in
            let creation = try page.passkeyOptions
            #expect(creation["rp"]?.object?["id"]?.string == "localhost")
            #expect(creation["authenticatorSelection"]?.object?["userVerification"]?.string == "required")
            #expect(creation["user"]?.object?["name"]?.string == "maria")
            var passkey = try SoftwarePasskey()
            passkey.userHandle = creation["user"]?.object?["id"]?.string.flatMap { Base64URL.decode($0) }
            let made = try passkey.register(page.passkeyChallenge, on: Self.site)
            let added = try await browser.press(
                "add_passkey", on: page,
                [("passkey", text(made.json)), ("name", "\"><script>x")])
            #expect(added.status == .ok, "\(added.text)")
            #expect(added.text.contains("The passkey was added."))
            #expect(added.text.contains("value=\"&quot;&gt;&lt;script&gt;x\""))
            let id = try added.field("id")
            let renamed = try await browser.press(
                "rename_passkey", on: added, [("id", id), ("name", "Laptop")])
            #expect(renamed.text.contains("<h2>Laptop</h2>"))

            // The browser is linked: nothing but the passkey is asked for, though it is new.
            browser.cookies["wa_session"] = nil
            let asked = try await browser.open("/oauth2/authorize?" + Journey.query())
            let used = try passkey.use(asked.passkeyChallenge, on: Self.site)
            let back = try await browser.press(
                "use_passkey", on: asked, at: "/sign-in", [("passkey", text(used.json))])
            #expect(back.status == .seeOther, "\(back.text)")
            let code = try #require(try back.redirectParameters["code"])
            #expect(try await Journey.redeem(client, code).status == .ok)

            let replayed = try await browser.press(
                "use_passkey", on: asked, at: "/sign-in", [("passkey", text(used.json))])
            // The browser has signed in since, so its request begins again: no code is given for the old assertion.
            #expect(replayed.status == .seeOther)
            #expect(replayed.headers[.location]?.hasPrefix(Self.issuer + "/oauth2/authorize?") == true)
            for hidden in [made.attestationObject, used.signature, used.clientData] {
                #expect(!server.log.lines.contains { $0.contains(Base64URL.encode(hidden)) })
            }
        }
    }

    @Test(
        "The pages with passkeys load only scripts of their own, run no inline one, and hide the form without scripts"
    )
    func policy() async throws {
        try await atPasskeys { _, client, browser, page in
            browser.cookies = [:]
            let signIn = try await browser.open("/oauth2/authorize?" + Journey.query())
            for page in [page, signIn] {
                let policy = try #require(page.headers[.contentSecurityPolicy])
                #expect(policy.contains("default-src 'none'; "))
                #expect(policy.contains("; script-src 'self'; "))
                #expect(!policy.contains("unsafe") && !policy.contains("connect-src"))
                let scripts = page.text.matches(of: /<script([^>]*)>([^<]*)</)
                // The sign-in's page has those of the password's button and of the time zone, too.
                #expect(scripts.count == (page.text.contains("class=\"reveal\"") ? 3 : 1))
                for tag in scripts {
                    #expect(tag.output.2.isEmpty)
                    let source = try #require(String(tag.output.1).firstMatch(of: /src="([^"]*)"/))
                    let script = try await client.get(String(source.output.1))
                    #expect(script.status == .ok)
                    #expect(script.headers[.contentType] == "text/javascript; charset=utf-8")
                    #expect(!script.text.contains("innerHTML") && !script.text.contains("eval("))
                }
                #expect(page.text.firstMatch(of: /<form[^>]* id="passkey"[^>]* hidden>/) != nil)
                #expect(page.text.firstMatch(of: /[ ]on[a-z]+="/) == nil)
            }
            #expect(signIn.text.contains("autocomplete=\"username webauthn\""))
            #expect(signIn.text.contains("data-autofill=\"username\""))
            #expect(
                try signIn.passkeyOptions["allowCredentials"] == nil,
                "no key is named, so that the answer does not say who has one")
            #expect(try signIn.passkeyOptions["userVerification"]?.string == "required")
        }
    }

    @Test("Every language says it, and where the issuer's host is an address nothing is said of passkeys")
    func languages() async throws {
        try await TestServer.serve(issuer: Self.issuer) { server, client in
            try await server.makeBearerClient()
            for language in Language.allCases {
                let page = try await client.get(
                    "/oauth2/authorize?" + Journey.query(["ui_locales": language.rawValue]))
                #expect(page.text.contains(HTMLEscaping().escapeText(language.passkeyText[.signInLabel])))
            }
        }
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            let page = try await Journey.open(client)
            #expect(!page.text.contains("passkey"))
            #expect(page.text.contains("autocomplete=\"username\""))
        }
    }

    @Test("attack: a passkey's field that is missing, no JSON, doubled, or beyond every size changes nothing")
    func hostileFields() async throws {
        try await atPasskeys { _, _, browser, page in
            #expect(try await browser.press("add_passkey", on: page, [("name", "x")]).status == .badRequest)
            let passkey = try SoftwarePasskey()
            var large = try passkey.register(page.passkeyChallenge, on: Self.site)
            large.attestationObject = [UInt8](repeating: 0x40, count: 40_000)
            let fields = [
                "", "{}", "[]", String(repeating: "[", count: 15_000), text(large.json),
                "{\"id\":\"AA\",\"rawId\":\"AB\",\"type\":\"public-key\",\"response\":{}}",
            ]
            var page = page
            for field in fields {
                page = try await browser.press("add_passkey", on: page, [("passkey", field), ("name", "x")])
                #expect(page.status == .badRequest)
                #expect(page.text.contains("That passkey was not accepted"), "\(page.text)")
            }
            let made = try passkey.register(page.passkeyChallenge, on: Self.site)
            let added = try await browser.press(
                "add_passkey", on: page, [("passkey", text(made.json)), ("name", "x")])
            #expect(added.status == .ok)
            let beyond = try await browser.press(
                "add_passkey", on: added,
                [("passkey", String(repeating: "A", count: 2 << 20)), ("name", "x")])
            #expect(beyond.status == .contentTooLarge)
        }
    }
}
