import FlowSupport
import Kernel
import Testing
import WalletAuthWire

@testable import Operations
@testable import SignIn

@Suite(
    "The choice of a merchant, where the request names none", .threat("Relying apps"),
    .covers("the app learns the merchant from the sign-in"))
struct MerchantChoiceTests {
    private struct Scene {
        let server: TestServer
        let client: TestClient
        let browser: TestBrowser

        /// Installs the client on these merchants, and employs Ada there.
        func open(_ merchants: String...) async throws {
            for id in merchants {
                try await server.administer(["merchant", "create", id, "--name", id.uppercased()])
                try await server.administer([
                    "merchant", "install-client", id, "--client", client.id.rawValue,
                ])
                try await server.administer(
                    ["merchant", "add-employee", id, "ada"])
            }
        }
    }

    private func scene(_ adjust: (inout ClientRegistration) -> Void = { _ in }) async throws -> Scene {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.bearerClient {
            $0.requiresMerchant = true
            adjust(&$0)
        }
        return Scene(server: server, client: client, browser: TestBrowser(server))
    }

    private func merchants(on page: SignInPage) -> [String]? {
        if case .merchant(_, let merchants) = page.step { merchants.map(\.id.rawValue) } else { nil }
    }

    @Test("The page asks an employee of several merchants which one it is for, and the tokens carry the one chosen")
    func page() async throws {
        let scene = try await scene()
        try await scene.open("shop", "kiosk")
        try await scene.server.administer(["merchant", "create", "other", "--name", "Other"])
        let page = try await scene.browser.signIn(scene.client.request()).page()
        let listed = [
            Merchant(id: try MerchantID("kiosk"), name: "KIOSK"), Merchant(id: try MerchantID("shop"), name: "SHOP"),
        ]
        #expect(page.step == .merchant(username: "ada", listed))
        let code = try await scene.browser.submit(page, .chooseMerchant(MerchantID("shop"))).code()
        let tokens = try await scene.client.redeem(code).tokens()
        #expect(tokens.merchantID?.rawValue == "shop")
        let renewed = try await scene.client.refresh(try #require(tokens.refreshToken)).tokens()
        #expect(renewed.merchantID?.rawValue == "shop")
    }

    @Test(
        "A browser that is signed in chooses without another password, and prompt=none is refused because it takes a page"
    )
    func signedInBrowser() async throws {
        let scene = try await scene()
        let other = try await scene.server.publicClient("other")
        try await scene.open("shop", "kiosk")
        _ = try await scene.browser.signIn(other.request()).code()
        let none = try await scene.browser.open(scene.client.request { $0["prompt"] = "none" }).redirect()
        #expect(none["error"] == "interaction_required")
        let page = try await scene.browser.open(scene.client.request()).page()
        #expect(merchants(on: page) == ["kiosk", "shop"])
        let code = try await scene.browser.submit(page, .chooseMerchant(MerchantID("kiosk"))).code()
        #expect(try await scene.client.redeem(code).tokens().merchantID?.rawValue == "kiosk")
    }

    @Test("An employee of one merchant with the client is not asked: the tokens name the merchant")
    func onlyOne() async throws {
        let scene = try await scene()
        try await scene.open("shop")
        // Another employer, which does not have the client.
        try await scene.server.administer(["merchant", "create", "kiosk", "--name", "Kiosk"])
        try await scene.server.administer(
            ["merchant", "add-employee", "kiosk", "ada"])
        let code = try await scene.browser.signIn(scene.client.request()).code()
        #expect(try await scene.client.redeem(code).tokens().merchantID?.rawValue == "shop")
        let app = TestApp(client: scene.client)
        let tokens = try await app.redeem(app.signIn().code()).tokens()
        #expect(tokens.merchantID?.rawValue == "shop")
    }

    @Test("An employee of no merchant with the client learns why, by page and natively")
    func noneToChoose() async throws {
        let scene = try await scene()
        let app = TestApp(client: scene.client)
        func codes() async throws -> [String?] {
            let redirect = try await scene.browser.signIn(scene.client.request { $0["prompt"] = "login" }).redirect()
            #expect(redirect["error"] == "access_denied")
            return [redirect["error_code"], try await app.signIn().errorCode]
        }
        #expect(try await codes() == ["not_an_employee", "not_an_employee"])
        try await scene.server.administer(["merchant", "create", "shop", "--name", "Shop"])
        try await scene.server.administer(
            ["merchant", "add-employee", "shop", "ada"])
        #expect(try await codes() == ["app_not_installed", "app_not_installed"])
    }

    @Test("attack: a merchant that the page did not offer is refused, with its own code")
    func forgedChoice() async throws {
        let scene = try await scene()
        try await scene.open("shop", "kiosk")
        try await scene.server.administer(["merchant", "create", "bank", "--name", "Bank"])
        try await scene.server.administer(["merchant", "install-client", "bank", "--client", "app"])
        let page = try await scene.browser.signIn(scene.client.request()).page()
        let refused = try await scene.browser.submit(page, .chooseMerchant(MerchantID("bank"))).redirect()
        #expect(refused["error"] == "access_denied")
        #expect(refused["error_code"] == "not_an_employee")
        #expect(refused["code"] == nil)
    }

    @Test("attack: the choice skips nothing: a page that waits for a new password takes no merchant")
    func skippedStep() async throws {
        let scene = try await scene()
        try await scene.open("shop", "kiosk")
        try await scene.server.administer(["account", "expire-password", "ada"])
        let page = try await scene.browser.signIn(scene.client.request()).page()
        #expect(page.step == .newPassword)
        let answer = try await scene.browser.submit(page, .chooseMerchant(MerchantID("shop")))
        #expect(answer.fault == .stalePage)
    }

    @Test("A merchant is chosen before the consent to a third-party client, which keeps it")
    func beforeConsent() async throws {
        let scene = try await scene { $0.firstParty = false }
        try await scene.open("shop", "kiosk")
        let page = try await scene.browser.signIn(scene.client.request()).page()
        let asked = try await scene.browser.submit(page, .chooseMerchant(MerchantID("shop"))).page()
        try #require(asked.consent != nil)
        let code = try await scene.browser.submit(asked, .allow).code()
        #expect(try await scene.client.redeem(code).tokens().merchantID?.rawValue == "shop")
    }

    @Test("A native sign-in gets the merchants, and goes on with the one that its next step names")
    func native() async throws {
        let scene = try await scene()
        try await scene.open("shop", "kiosk")
        var app = TestApp(client: scene.client)
        let refusal = try #require(try await app.signIn().refusal)
        #expect(refusal.error == "insufficient_authorization")
        #expect(refusal.errorCode == "merchant_required")
        #expect(refusal.status == 403)
        #expect(refusal.merchants.map(\.id.rawValue) == ["kiosk", "shop"])
        let session = try #require(refusal.session)
        let shop = try MerchantID("shop")
        let key = app.key
        app.key = TestKey()
        #expect(try await app.proceed(session, .chooseMerchant(shop)).refusal?.error == "invalid_session")
        app.key = key
        app.merchant = "shop"
        let tokens = try await app.redeem(app.proceed(session, .chooseMerchant(shop)).code()).tokens()
        #expect(tokens.merchantID?.rawValue == "shop")
    }

    @Test("attack: a native sign-in that chooses one merchant after the other opens one session")
    func nativeTwice() async throws {
        let scene = try await scene()
        try await scene.open("shop", "kiosk")
        var app = TestApp(client: scene.client)
        let session = try #require(try await app.signIn().refusal?.session)
        var refusals: [OAuthRefusal?] = []
        for merchant in ["shop", "kiosk", "shop"] {
            app.merchant = merchant
            let code = try await app.proceed(session, .chooseMerchant(MerchantID(merchant))).code()
            refusals.append(try await app.redeem(code).refusal)
        }
        #expect(refusals == [nil, .invalidGrant, .invalidGrant])
    }

    @Test("attack: a native step that chooses another person's merchant is refused")
    func nativeForged() async throws {
        let scene = try await scene()
        try await scene.open("shop", "kiosk")
        try await scene.server.administer(["merchant", "create", "bank", "--name", "Bank"])
        try await scene.server.administer(["merchant", "install-client", "bank", "--client", "app"])
        var app = TestApp(client: scene.client)
        let session = try #require(try await app.signIn().refusal?.session)
        app.merchant = "bank"
        let answer = try await app.proceed(session, .chooseMerchant(MerchantID("bank")))
        #expect(answer.errorCode == "not_an_employee")
    }
}
