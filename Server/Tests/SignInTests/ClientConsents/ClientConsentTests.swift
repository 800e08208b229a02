import ArgumentParser
import FlowSupport
import Kernel
import Testing
import WalletAuthWire

@testable import Operations
@testable import SignIn

@Suite("Consent to relying apps", .threat("Relying apps"))
struct ClientConsentTests {
    private struct Setting {
        let server: TestServer
        let account: AccountID
        let app: TestClient
        let browser: TestBrowser
    }

    private func setUp(_ adjust: (inout ClientRegistration) -> Void = { _ in }) async throws -> Setting {
        let server = try await TestServer.start()
        let account = try await server.account()
        return Setting(
            server: server, account: account, app: try await server.relyingApp("aurora", adjust),
            browser: TestBrowser(server))
    }

    private func scope(_ scope: String, _ prompt: String? = nil) -> (inout [String: String?]) -> Void {
        return {
            $0["scope"] = scope
            $0["prompt"] = prompt
        }
    }

    @Test("attack: a registered app gets no code from a browser that is signed in, neither silently nor by prompt=none")
    func silentCode() async throws {
        let setting = try await setUp()
        let own = try await setting.server.publicClient()
        _ = try await setting.browser.signIn(own.request()).code()
        let none = try await setting.browser.open(setting.app.request(scope("openid email", "none"))).redirect()
        #expect(none["error"] == "consent_required")
        #expect(none["state"] == "s-1")
        #expect(none["iss"] == "https://auth.example.com")
        #expect(none["code"] == nil)
        let page = try await setting.browser.open(setting.app.request(scope("openid email"))).page()
        #expect(page.consent == ClientConsentRequest(username: "ada", new: ["openid", "email"], granted: []))
        #expect(page.clientName == "Aurora")
        #expect(try await setting.server.consents() == [])
    }

    @Test(
        "attack: an app that the person has allowed nothing guesses by login_hint who is signed in at the browser",
        .threat("Silent sign-in to a local listener"))
    func guessedPerson() async throws {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        try await server.administer(["brand", "update", "default", "--new-device", "allow"])
        let own = try await server.publicClient()
        let app = try await server.relyingApp("aurora")
        let browser = TestBrowser(server)
        _ = try await browser.signIn(own.request()).code()
        for hint in ["ada", "ada@example.com", "grace", "grace@example.com"] {
            let none = try app.request {
                $0["prompt"] = "none"
                $0["login_hint"] = hint
            }
            #expect(try await browser.open(none).redirect()["error"] == "login_required", "\(hint)")
        }
    }

    @Test("What a person allowed is remembered: the next sign-in at the app goes through, by prompt=none as well")
    func remembered() async throws {
        let setting = try await setUp()
        let code = try await setting.browser.signInAndAllow(setting.app.request())
        let tokens = try await setting.app.redeem(code).tokens()
        #expect(tokens.refreshToken != nil)
        _ = try await setting.browser.open(setting.app.request()).code()
        _ = try await setting.browser.open(setting.app.request { $0["prompt"] = "none" }).code()
        // Less than was allowed is allowed.
        _ = try await setting.browser.open(setting.app.request(scope("openid", "none"))).code()
        // On another device as well: it is the account's word, not the browser's.
        _ = try await TestBrowser(setting.server).signIn(setting.app.request()).code()
        #expect(try await setting.server.consentEvents() == ["client_consent.granted"])
    }

    @Test("A consent is one account's to one app")
    func one() async throws {
        let setting = try await setUp()
        _ = try await setting.server.account("grace")
        let other = try await setting.server.relyingApp("borealis")
        _ = try await setting.browser.signInAndAllow(setting.app.request())
        #expect(try await setting.browser.open(other.request()).page().consent != nil)
        let grace = TestBrowser(setting.server)
        #expect(try await grace.signIn(setting.app.request(), "grace").page().consent?.username == "grace")
    }

    @Test("First-party apps ask for nothing; their prompt=consent asks for a sign-in, as it did")
    func firstParty() async throws {
        let setting = try await setUp()
        let own = try await setting.server.publicClient()
        _ = try await setting.browser.signIn(own.request()).code()
        _ = try await setting.browser.open(own.request { $0["prompt"] = "none" }).code()
        let asked = try await setting.browser.open(own.request { $0["prompt"] = "consent" }).page()
        #expect(asked.step == .credentials(username: nil))
        let typed = SignInPage.Action.signIn(username: "ada", password: try Password("correct horse battery"))
        _ = try await setting.browser.submit(asked, typed).code()
        #expect(try await setting.server.consents() == [])
    }

    @Test("An app that asks for more gets a page with what is new, and with what it has")
    func difference() async throws {
        let setting = try await setUp()
        _ = try await setting.browser.signInAndAllow(setting.app.request(scope("openid profile")))
        let more = try setting.app.request(scope("openid email phone"))
        let none = try await setting.browser.open(setting.app.request(scope("openid email phone", "none"))).redirect()
        #expect(none["error"] == "consent_required")
        let page = try await setting.browser.open(more).page()
        #expect(
            page.consent
                == ClientConsentRequest(username: "ada", new: ["email", "phone"], granted: ["openid", "profile"]))
        let tokens = try await setting.app.redeem(setting.browser.submit(page, .allow).code()).tokens()
        #expect(tokens.scope == nil || tokens.scope?.contains("phone") == true)
        // All of it together now.
        _ = try await setting.browser.open(
            setting.app.request(scope("openid profile email phone", "none"))
        ).code()
    }

    @Test("prompt=consent asks for everything again, without another sign-in")
    func asksAgain() async throws {
        let setting = try await setUp()
        _ = try await setting.browser.signInAndAllow(setting.app.request())
        let page = try await setting.browser.open(setting.app.request(scope("openid wallet", "consent"))).page()
        let again = ClientConsentRequest(username: "ada", new: ["openid", "wallet"], granted: [], isRepeated: true)
        #expect(page.consent == again)
        _ = try await setting.browser.submit(page, .allow).code()
        // A fresh sign-in as well, where both are asked for.
        let both = try setting.app.request(scope("openid wallet", "login consent"))
        _ = try await setting.browser.signInAndAllow(both)
    }

    @Test("Cancel tells the app access_denied, and neither allows nor opens anything")
    func cancel() async throws {
        let setting = try await setUp()
        let page = try await setting.browser.signIn(setting.app.request()).page()
        let redirect = try await setting.browser.submit(page, .cancel).redirect()
        #expect(redirect["error"] == "access_denied")
        #expect(redirect["state"] == "s-1")
        #expect(redirect["iss"] == "https://auth.example.com")
        #expect(try await setting.server.consents() == [])
        #expect(try await setting.server.rows(of: "browser_sessions") == 0)
        #expect(try await setting.server.rows(of: "sessions") == 0)
    }

    @Test("The person may use another account instead")
    func anotherAccount() async throws {
        let setting = try await setUp()
        _ = try await setting.server.account("grace")
        let own = try await setting.server.publicClient()
        _ = try await setting.browser.signIn(own.request()).code()
        let page = try await setting.browser.open(setting.app.request()).page()
        let asked = try await setting.browser.submit(page, .useAnotherAccount).page()
        let typed = SignInPage.Action.signIn(username: "grace", password: try Password("correct horse battery"))
        let again = try await setting.browser.submit(asked, typed).page()
        #expect(again.consent?.username == "grace")
    }

    @Test(
        "A browser that is signed in is asked once for an app on the device: by the consent page, and later whether to go on"
    )
    func loopback() async throws {
        let setting = try await setUp { $0.redirectURIs = ["http://127.0.0.1/callback"] }
        func request(_ prompt: String? = nil) throws -> FormParameters {
            try setting.app.request {
                $0["redirect_uri"] = "http://127.0.0.1:5000/callback"
                $0["prompt"] = prompt
            }
        }
        _ = try await setting.browser.signIn(setting.server.publicClient().request()).code()
        let page = try await setting.browser.open(request()).page()
        _ = try await setting.browser.submit(page, .allow).code()
        let scopes = try #require(page.consent?.new)
        #expect(try await setting.browser.open(request()).page().step == .confirmation(username: "ada", scopes: scopes))
        let none = try await setting.browser.open(request("none")).redirect()
        #expect(none["error"] == "interaction_required")
    }

    @Test("A code carries no more than the page showed, whatever the operator added to the app meanwhile")
    func widened() async throws {
        let setting = try await setUp { $0.scopes = ["openid", "profile"] }
        let page = try await setting.browser.signIn(setting.app.request { $0["scope"] = .some(nil) }).page()
        #expect(page.consent?.new == ["openid", "profile"])
        var change = try ClientChange.parse([])
        change.addedScopes = ["email"]
        try await setting.server.administer { try await ClientAdministration($0).update("aurora", change) }
        let tokens = try await setting.app.redeem(setting.browser.submit(page, .allow).code()).tokens()
        let claims = try await setting.app.refresh(try #require(tokens.refreshToken)).tokens()
        #expect(claims.scope?.contains("email") != true)
        let next = try await setting.browser.open(setting.app.request { $0["scope"] = .some(nil) }).page()
        #expect(next.consent == ClientConsentRequest(username: "ada", new: ["email"], granted: ["openid", "profile"]))
    }
}
