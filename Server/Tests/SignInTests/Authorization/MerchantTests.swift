import FlowSupport
import Kernel
import Testing
import WalletAuthWire

@testable import Operations
@testable import SignIn

@Suite("Who may sign in where", .covers("person, merchant and app"))
struct MerchantTests {
    private func scene() async throws -> (server: TestServer, client: TestClient) {
        let server = try await TestServer.start()
        _ = try await server.account()
        let client = try await server.bearerClient()
        try await server.administer(["merchant", "create", "shop", "--name", "Shop"])
        return (server, client)
    }

    private func signIn(_ scene: (server: TestServer, client: TestClient)) async throws -> AuthorizationRedirect {
        try await TestBrowser(scene.server).signIn(scene.client.request { $0["merchant_id"] = "shop" }).redirect()
    }

    @Test("Without the app installed, or without the employment, access is denied, each told by its own code")
    func refused() async throws {
        let scene = try await scene()
        let first = try await signIn(scene)
        #expect(first["error"] == "access_denied")
        #expect(first["error_code"] == "app_not_installed")
        try await scene.server.administer(["merchant", "install-client", "shop", "--client", "app"])
        let second = try await signIn(scene)
        #expect(second["error"] == "access_denied")
        #expect(second["error_code"] == "not_an_employee")
    }

    @Test("An employee signs in, the tokens carry the merchant, and renewal ends with the employment")
    func employee() async throws {
        let scene = try await scene()
        try await scene.server.administer(["merchant", "install-client", "shop", "--client", "app"])
        try await scene.server.administer(
            ["merchant", "add-employee", "shop", "ada"])
        let redirect = try await signIn(scene)
        let tokens = try await scene.client.redeem(AuthorizationCode(redirect["code"] ?? "")).tokens()
        #expect(tokens.merchantID?.rawValue == "shop")
        let renewed = try await scene.client.refresh(try #require(tokens.refreshToken)).tokens()
        #expect(renewed.merchantID?.rawValue == "shop")
        try await scene.server.administer(
            ["merchant", "remove-employee", "shop", "ada"])
        #expect(try await scene.client.refresh(try #require(renewed.refreshToken)).refusal == .invalidGrant)
    }

    @Test("Native sign-in acts for the merchant that it names, by the same rules as the page")
    func native() async throws {
        let scene = try await scene()
        let app = TestApp(client: scene.client, merchant: "shop")
        #expect(try await app.signIn().errorCode == "app_not_installed")
        try await scene.server.administer(["merchant", "install-client", "shop", "--client", "app"])
        #expect(try await app.signIn().errorCode == "not_an_employee")
        try await scene.server.administer(
            ["merchant", "add-employee", "shop", "ada"])
        let tokens = try await app.redeem(app.signIn().code()).tokens()
        #expect(tokens.merchantID?.rawValue == "shop")
    }

    @Test("A native sign-in keeps its merchant: a later step that names another, or none, is refused")
    func nativeMerchantChanged() async throws {
        let scene = try await scene()
        for merchant in ["shop", "kiosk"] {
            if merchant != "shop" {
                try await scene.server.administer(["merchant", "create", merchant, "--name", "K"])
            }
            try await scene.server.administer(["merchant", "install-client", merchant, "--client", "app"])
            try await scene.server.administer(
                ["merchant", "add-employee", merchant, "ada"])
        }
        try await scene.server.administer(["account", "expire-password", "ada"])
        var app = TestApp(client: scene.client, merchant: "shop")
        let session = try #require(try await app.signIn().refusal?.session)
        let change = Continuation.newPassword(try Password("a better horse battery"))
        for other in ["kiosk", nil] {
            app.merchant = other
            #expect(try await app.proceed(session, change).refusal?.error == "invalid_session")
        }
        app.merchant = "shop"
        let tokens = try await app.redeem(app.proceed(session, change).code()).tokens()
        #expect(tokens.merchantID?.rawValue == "shop")
    }
}
