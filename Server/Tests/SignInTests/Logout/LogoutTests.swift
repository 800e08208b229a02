import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Sign-out by a client", .covers("/oauth2/logout"))
struct LogoutTests {
    @Test(
        "With its ID token, the browser and the client are signed out at once, and the browser returns with the state",
        .conformance("oidcc-rp-initiated-logout"))
    func rightHint() async throws {
        let person = try await LeavingPerson()
        let outcome = try await person.signOut()
        #expect(outcome.destination == LeavingPerson.away + "?state=s-1")
        #expect(person.browser.cookies.session == nil)
        #expect(try await person.server.rows(of: "browser_sessions") == 0)
        #expect(try await person.session().ended?.why == .signedOut)
        #expect(try await person.app.refresh(#require(person.tokens.refreshToken)).refusal == .invalidGrant)
        let id = try #require(UniqueID(bytes: person.account.bytes))
        let events = try await person.server.context.database.read {
            try SecurityEvents.list(of: id, limit: 100, on: $0)
        }
        #expect(events.filter { $0.kind == "session.signed_out" }.count == 1)
    }

    @Test(
        "Without a URI, the browser stays at a page that says that it is signed out, with nothing of the request",
        .conformance("oidcc-rp-initiated-logout-no-post-logout-redirect-uri"))
    func noURI() async throws {
        let person = try await LeavingPerson()
        let plain = try #require(
            try await person.signOut(["post_logout_redirect_uri": nil, "ui_locales": "de fr"]).plain)
        #expect(plain == "https://auth.example.com/oauth2/logout?client_id=app&ui_locales=de%20fr")
        let query = try #require(plain.split(separator: "?").last)
        #expect(try await person.browser.signOut(FormParameters(parsing: query)).isSignedOut)
    }

    @Test("An expired ID token is as good as any")
    func expired() async throws {
        let person = try await LeavingPerson()
        person.server.clock.advance(by: .hours(2))
        #expect(try await person.signOut().destination != nil)
        #expect(try await person.session().ended?.why == .signedOut)
    }

    @Test("Other clients' sessions continue, and so do other browsers")
    func others() async throws {
        let person = try await LeavingPerson()
        let other = try await person.server.bearerClient("other")
        let own = try await other.redeem(person.browser.open(other.request()).code()).tokens()
        let elsewhere = TestBrowser(person.server)
        _ = try await elsewhere.signIn(other.request()).code()
        #expect(try await person.signOut().destination != nil)
        _ = try await other.refresh(#require(own.refreshToken)).tokens()
        _ = try await elsewhere.open(other.request { $0["prompt"] = "none" }).code()
    }

    @Test("In a browser that no one is signed in with, the client's session ends all the same")
    func noSession() async throws {
        let person = try await LeavingPerson()
        let outcome = try await TestBrowser(person.server).signOut(person.request())
        #expect(outcome.destination == LeavingPerson.away + "?state=s-1")
        #expect(try await person.session().ended?.why == .signedOut)
    }

    @Test("Without a hint, the page asks; its button signs the browser out and returns to the client")
    func asked() async throws {
        let person = try await LeavingPerson()
        let changes: [String: String?] = ["id_token_hint": nil, "client_id": "app"]
        #expect(try await person.signOut(changes).page().username == "ada")
        try await person.expectUnchanged()
        let page = try await person.signOut(changes).page()
        // It may be pressed twice.
        for _ in 0..<2 {
            #expect(try await person.browser.confirm(page).destination == LeavingPerson.away + "?state=s-1")
            #expect(person.browser.cookies.session == nil)
        }
        #expect(try await person.session().ended == nil)
    }

    @Test(
        "Without a hint and without a client, the page asks, and its button leads nowhere else",
        .conformance("oidcc-rp-initiated-logout-no-id-token-hint"))
    func nameless() async throws {
        let person = try await LeavingPerson()
        let page = try await person.signOut(["id_token_hint": nil]).page()
        #expect(try await person.browser.confirm(page).plain == "https://auth.example.com/oauth2/logout")
        #expect(try await !person.isInBrowser())
    }

    @Test("Without a state, the browser returns to the bare URI", .conformance("oidcc-rp-initiated-logout-no-state"))
    func noState() async throws {
        let person = try await LeavingPerson()
        #expect(try await person.signOut(["state": nil]).destination == LeavingPerson.away)
    }

    @Test(
        "With a state alone, or with nothing, the page asks, and its button leads nowhere else",
        .conformance("oidcc-rp-initiated-logout-no-params", "oidcc-rp-initiated-logout-only-state"),
        arguments: [nil, "s-1"] as [String?])
    func bare(state: String?) async throws {
        let person = try await LeavingPerson()
        let changes: [String: String?] = ["id_token_hint": nil, "post_logout_redirect_uri": nil, "state": state]
        let page = try await person.signOut(changes).page()
        #expect(try await person.browser.confirm(page).plain == "https://auth.example.com/oauth2/logout")
        #expect(try await !person.isInBrowser())
    }

    @Test("A sign-out that comes twice ends one session once, and leads back both times")
    func twice() async throws {
        let person = try await LeavingPerson()
        for _ in 0..<2 { #expect(try await person.signOut().destination != nil) }
        #expect(try await person.session().ended?.why == .signedOut)
    }

    @Test("A port of a loopback address is free, as in redirect URIs; any other URI is compared exactly")
    func loopback() async throws {
        let person = try await LeavingPerson { $0.postLogoutRedirectURIs = ["http://127.0.0.1/out"] }
        let outcome = try await person.signOut(["post_logout_redirect_uri": "http://127.0.0.1:4711/out"])
        #expect(outcome.destination == "http://127.0.0.1:4711/out?state=s-1")
    }
}
