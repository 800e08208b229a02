import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "Apps with access: listed and taken back", .threat("The account's own page"),
    .covers("consent to relying apps on the page"))
struct ClientAccessTests {
    private static let ada = AccountReference.username("ada", brand: nil)

    private func setUp() async throws -> (server: TestServer, app: TestClient, refresh: RefreshToken, TestBrowser) {
        let server = try await TestServer.start()
        _ = try await server.reachableAccount()
        let (app, browser) = (try await server.relyingApp(), TestBrowser(server))
        let asked = try await browser.signIn(app.request()).page()
        let consent = try await browser.submit(asked, .answerFactor(Password(server.sentCode()))).page()
        let tokens = try await app.redeem(browser.submit(consent, .allow).code()).tokens()
        return (server, app, try #require(tokens.refreshToken), browser)
    }

    @Test(
        "The account page lists each app with its scopes; access is removed behind a fresh sign-in, and the app is signed out"
    )
    func removed() async throws {
        let (server, app, refresh, browser) = try await setUp()
        let since = server.clock.now()
        server.clock.advance(by: .minutes(6))
        let overview = try await browser.openAccount().accountPage()
        let listed = ClientAccess(client: "aurora", name: "Aurora", scopes: ["openid", "wallet"], since: since)
        #expect(overview.overview?.apps == [listed])
        // A cookie shows, a sign-in changes.
        let asked = try await browser.press(.withdrawConsent(client: "aurora"), on: overview).page()
        #expect(asked.purpose == .accountChange)
        _ = try await app.refresh(refresh).tokens()
        let apps = try await browser.signIn(on: asked)
        #expect(apps.apps == [listed])
        let done = try await browser.press(.withdrawConsent(client: "aurora"), on: apps).accountPage()
        #expect(done.notice == .accessRemoved)
        #expect(done.apps == [])
        let renewed = try await app.refresh(refresh)
        #expect(renewed.refusal == .invalidGrant)
        #expect(try await browser.open(app.request()).page().consent?.new == ["openid", "wallet"])
        #expect(try await server.consentEvents() == ["client_consent.granted", "client_consent.withdrawn"])
    }

    @Test("Each page removes one app, and none that the account does not let in")
    func onePage() async throws {
        let (server, _, _, browser) = try await setUp()
        let borealis = try await server.relyingApp("borealis")
        let account = try #require(
            try await server.administer(AdminRequest(["account", "show"] + Self.ada.words)).string("accountId"))
        try await borealis.allow("openid", by: AccountID(account))
        server.clock.advance(by: .seconds(31))
        let overview = try await browser.openAccount().accountPage()
        let apps = try await browser.signIn(on: browser.press(.manageClientConsents, on: overview).page())
        let unknown = try await browser.press(.withdrawConsent(client: "nobody"), on: apps).accountPage()
        #expect(unknown.notice == .noSuchAccess)
        let first = try await browser.press(.withdrawConsent(client: "aurora"), on: unknown).accountPage()
        #expect(first.notice == .accessRemoved)
        #expect(try await browser.press(.withdrawConsent(client: "borealis"), on: unknown).fault == .stalePage)
        #expect(try await server.consents() == ["borealis"])
        // A page that was left open for long asks for the sign-in again.
        server.clock.advance(by: .minutes(6))
        _ = try await browser.press(.withdrawConsent(client: "borealis"), on: first).page()
        #expect(try await server.consents() == ["borealis"])
    }

    @Test("attack: a page of one account removes nothing of another")
    func foreign() async throws {
        let (server, _, _, _) = try await setUp()
        _ = try await server.account("grace")
        let browser = TestBrowser(server)
        let asked = try await browser.openAccount().page()
        let overview = try await browser.typePassword(on: asked, "grace").accountPage()
        let apps = try await browser.press(.manageClientConsents, on: overview).accountPage()
        #expect(apps.apps == [])
        let refused = try await browser.press(.withdrawConsent(client: "aurora"), on: apps).accountPage()
        #expect(refused.notice == .noSuchAccess)
        #expect(try await server.consents() == ["aurora"])
    }

    @Test("An operator lists and withdraws consents; the sessions end, and the audit log says who did it")
    func operated() async throws {
        let (server, app, refresh, _) = try await setUp()
        let listed = try await server.administer(AdminRequest(["account", "consents"] + Self.ada.words))
        let entry = try #require(listed["clientConsents"]?.array?.first?.object)
        #expect(entry["clientId"]?.string == "aurora")
        #expect(entry["name"]?.string == "Aurora")
        #expect(entry["scope"]?.string == "openid wallet")
        try await server.administer(
            AdminRequest(["account", "consents"] + Self.ada.words + ["--withdraw", "aurora"]))
        #expect(try await app.refresh(refresh).refusal == .invalidGrant)
        let twice = await server.flows.administration.execute(
            AdminRequest(["account", "consents"] + Self.ada.words + ["--withdraw", "aurora"]))
        #expect(twice.status == .refused)
        #expect(
            twice.lines == [
                "ada has not given aurora access. `walletauth account consents` lists the apps with access."
            ])
        let details = try await server.context.database.read { connection in
            try connection.row(
                "SELECT details FROM security_events WHERE kind = 'client_consent.withdrawn'", [])?.text("details")
        }
        #expect(details?.contains("\"by\":\"operator\"") == true)
    }

    @Test("The operator's answers name the account as it was typed, and say that a first-party app needs no access")
    func wording() async throws {
        let (server, _, _, _) = try await setUp()
        _ = try await server.publicClient("own")
        let needless = await server.flows.administration.execute(
            AdminRequest(["account", "consents"] + Self.ada.words + ["--withdraw", "own"]))
        #expect(
            needless.lines.first?.hasPrefix("ada has not given own access: a first-party app needs none.") == true,
            "\(needless.lines)")
        let done = await server.flows.administration.execute(
            AdminRequest(["account", "consents"] + Self.ada.words + ["--withdraw", "aurora"]))
        #expect(done.lines == ["aurora no longer has access to the account ada; its sessions ended."])
    }

    @Test("Taking one app's access says nothing of the account's own devices")
    func revocationScope() async throws {
        let (server, _, _, _) = try await setUp()
        try await server.administer(
            AdminRequest(["account", "consents"] + Self.ada.words + ["--withdraw", "aurora"]))
        let distrusted = try await server.context.database.read { connection in
            try connection.row(
                "SELECT COUNT(*) AS number FROM accounts WHERE devices_distrusted_at IS NOT NULL",
                [])?.integer("number")
        }
        #expect(distrusted == 0)
    }

    @Test("Consents go with the account and with the client, and are part of the person's export")
    func gone() async throws {
        let (server, _, _, _) = try await setUp()
        let account = try #require(
            try await server.administer(AdminRequest(["account", "show"] + Self.ada.words)).string("accountId"))
        let borealis = try await server.relyingApp("borealis")
        try await borealis.allow("openid", by: AccountID(account))
        let export = try await server.administer(AdminRequest(["account", "export"] + Self.ada.words))
        #expect(
            export["clientConsents"]?.array?.compactMap { $0.object?["clientId"]?.string } == ["aurora", "borealis"])
        try await server.administer(["client", "delete", "borealis"])
        #expect(try await server.consents() == ["aurora"])
        try await server.administer(AdminRequest(["account", "erase"] + Self.ada.words))
        #expect(try await server.consents() == [])
    }
}
