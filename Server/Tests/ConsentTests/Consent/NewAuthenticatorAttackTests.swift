import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations

@Suite(
    "What a new authenticator app agrees to", .article("24 association of person"),
    .threat("An authenticator app set up by a thief"))
struct NewAuthenticatorAttackTests {
    /// Ada, whose password a thief has: she has no other factor.
    private func stolenPassword() async throws -> TestShop {
        let server = try await TestServer.start()
        let account = try await server.account()
        let client = try await server.publicClient { $0.consentReturnURLs = [TestConsentPage.returnURL] }
        return TestShop(
            server: server, client: try await server.confidentialClient("shop"), account: account,
            device: try await TestDevice.signedIn(account, client, methods: ["pwd"]))
    }

    /// Signs in by the password and the authenticator app's next code.
    private func signedIn(_ shop: TestShop, _ setup: AuthenticatorSetup) async throws -> TestShop {
        shop.server.clock.advance(by: .seconds(30))
        let app = TestApp(client: shop.device.app.client)
        let asked = try await app.signIn().asked()
        let code = try await app.answer(shop.device.code(of: setup), to: asked).code()
        return shop.with(TestDevice(app: app, tokens: try await app.redeem(code).tokens()))
    }

    private func expectNothing(_ shop: TestShop, _ id: String) async throws {
        let response = try await shop.ask(TestShop.transfer(), id: id).get()
        #expect(response.availableVerifications.isEmpty, "\(response.availableVerifications)")
        let event = try #require(response.eventID)
        for way in [SCAVerification.authenticator, .password] {
            let refused = try await shop.challenge(
                way, of: event, id: id, returnURL: way == .password ? TestConsentPage.returnURL : nil)
            guard case .verificationUnavailable? = refused.refusal else {
                Issue.record("\(way) was challenged")
                return
            }
        }
    }

    @Test(
        "attack: a stolen password sets up an authenticator app, signs in with both, and pays; a day later its holder does"
    )
    func setUp() async throws {
        let shop = try await stolenPassword()
        let setup = try await shop.device.authenticator()
        try await expectNothing(shop, "op-1")
        let again = try await signedIn(shop, setup)
        try await expectNothing(again, "op-2")
        shop.server.clock.advance(by: .hours(24))
        let later = try await signedIn(shop, setup)
        let event = try await later.required(TestShop.transfer(), id: "op-3")
        _ = try await later.challenge(.authenticator, of: event, id: "op-3").get()
        later.server.clock.advance(by: .seconds(30))
        let answer = try await later.attempt(
            later.device.code(of: setup), .authenticator, at: event, id: "op-3"
        ).get()
        #expect(answer.status == .verified)
    }

    @Test("attack: taking the new authenticator app away again does not make the sign-in by it one that counts")
    func takenAway() async throws {
        let shop = try await stolenPassword()
        let again = try await signedIn(shop, shop.device.authenticator())
        try await again.device.removeAuthenticator().get()
        try await expectNothing(again, "op-1")
    }

    @Test("attack: an app that takes another's place while a code is asked for agrees to nothing by its own")
    func replaced() async throws {
        let shop = try await TestShop.open(methods: ["pwd", "otp"]) { $0.devices.coolingPeriod = .hours(1) }
        _ = try await shop.device.authenticator()
        shop.server.clock.advance(by: .hours(1))
        let settled = shop.with(
            try await TestDevice.signedIn(shop.account, shop.device.app.client, methods: ["pwd", "otp"]))
        let event = try await settled.required(TestShop.transfer())
        _ = try await settled.challenge(.authenticator, of: event).get()
        let other = try await settled.device.authenticator()
        shop.server.clock.advance(by: .seconds(30))
        let answer = try await settled.attempt(settled.device.code(of: other), .authenticator, at: event).get()
        #expect(answer.status == .failed)
        #expect(answer.reason == .invalidValue)
    }
}
