import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "How long a sign-in counts for a payment", .article("4(3)(d) five minutes without activity"),
    .threat("A sign-in that is too old to pay with"))
struct SignInAgeAttackTests {
    @Test(
        "attack: a phone found unlocked hours after its holder signed in renews its tokens by itself, and what the sign-in proved counts for no payment"
    )
    func foundUnlocked() async throws {
        let shop = try await TestShop.open(consentReturnURLs: [TestConsentPage.returnURL])
        shop.server.clock.advance(by: .hours(6))
        let found = try await shop.renewed()
        let event = try await found.required(TestShop.transfer())
        _ = try await found.challenge(.sms, of: event).get()
        let answer = try await found.attempt(found.code(), .sms, at: event).get()
        #expect(answer.reason == .additionalFactorRequired)
        #expect(answer.availableVerifications.map(\.verification) == [.password])
        let early = try await found.consume(TestShop.transfer(), event: event)
        #expect(early.refusal == .notVerified)
        // Nor does a second renewal, a moment after the first.
        let again = try await found.renewed()
        let response = try await again.ask(TestShop.transfer(), id: "op-2").get()
        #expect(response.availableVerifications.map(\.verification).contains(.password))
    }

    @Test("attack: a session that single sign-on opens from a sign-in hours ago does not make that sign-in a new one")
    func singleSignOn() async throws {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount(phone: "+4915112345678")
        try await server.administer(["brand", "update", "default", "--new-device", "allow"])
        let client = try await server.publicClient { $0.consentReturnURLs = [TestConsentPage.returnURL] }
        let browser = TestBrowser(server)
        let app = TestApp(client: client)
        _ = try await browser.signIn(client.request()).code()
        server.clock.advance(by: .hours(6))
        let code = try await browser.open(client.request { $0["prompt"] = "none" }).code()
        let tokens = try await client.token(
            .authorizationCode(
                code, redirectURI: RedirectURI("https://app.example.com/callback"), verifier: TestClient.verifier),
            proof: app.key
        ).tokens()
        let shop = TestShop(
            server: server, client: try await server.confidentialClient("shop"), account: account,
            device: TestDevice(app: app, tokens: tokens))
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.sms, of: event).get()
        let answer = try await shop.attempt(shop.code(), .sms, at: event).get()
        #expect(answer.reason == .additionalFactorRequired)
    }

    @Test("While the wallet stays in use, its sign-in counts for payments for an hour and no longer")
    func inUse() async throws {
        var shop = try await TestShop.open(consentReturnURLs: [TestConsentPage.returnURL])
        for _ in 0..<5 {
            shop.server.clock.advance(by: .minutes(4))
            shop = try await shop.renewed()
        }
        let event = try await shop.required(TestShop.transfer())
        try await shop.agree(to: event)
        _ = try await shop.consume(TestShop.transfer(), event: event).get()
        for _ in 0..<11 {
            shop.server.clock.advance(by: .minutes(4))
            shop = try await shop.renewed()
        }
        let later = try await shop.required(TestShop.transfer(), id: "op-2")
        _ = try await shop.challenge(.sms, of: later, id: "op-2").get()
        let answer = try await shop.attempt(shop.code(), .sms, at: later, id: "op-2").get()
        #expect(answer.reason == .additionalFactorRequired)
    }

    @Test(
        "A consent that began in time may be completed while its code is valid, also if the tokens are renewed meanwhile"
    )
    func begunInTime() async throws {
        let shop = try await TestShop.open()
        shop.server.clock.advance(by: .seconds(285))
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.sms, of: event).get()
        shop.server.clock.advance(by: .seconds(120))
        let renewed = try await shop.renewed()
        let answer = try await renewed.attempt(renewed.code(), .sms, at: event).get()
        #expect(answer.status == .verified)
    }

    @Test("The authentication code names what counted and nothing else: not the password of an idle session")
    func codeOfIdleSession() async throws {
        let setting = try await TestPINShop.open()
        setting.shop.server.clock.advance(by: .minutes(6))
        let shop = try await setting.shop.renewed()
        let renewed = try TestPINShop(shop: shop, pin: setting.pin.on(shop.device))
        let transfer = try TestShop.transfer()
        let event = try await shop.required(transfer)
        let challenge = try await shop.challenge(.devicePIN, of: event).get()
        let assertion = try await renewed.assertion("271828", over: challenge)
        let outcome = try await shop.attempt(assertion, .devicePIN, at: event).get()
        #expect(outcome.status == .verified)
        let authorized = try await shop.consume(transfer, event: event).get()
        let methods = try shop.methods(of: authorized)
        #expect(methods == ["swk", "pin"])
        let evidence = try await shop.verifiedEvidence()
        #expect(evidence.factors.map(\.method) == ["swk", "pin"])
    }

    @Test("attack: a device whose cooling period ends between agreeing and carrying out is not named as what counted")
    func codeOfCoolingDevice() async throws {
        let setting = try await TestPINShop.open(pastCooling: false)
        let server = setting.shop.server
        server.clock.advance(by: server.context.settings.devices.coolingPeriod - .seconds(60))
        let phone = setting.pin.device
        let tokens = try await phone.app.redeem(phone.signIn(as: setting.pin.id).code()).tokens()
        let shop = setting.shop.with(TestDevice(app: phone.app, tokens: tokens, deviceKey: phone.deviceKey))
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.email, of: event).get()
        _ = try await shop.attempt(shop.code(), .email, at: event).get()
        server.clock.advance(by: .seconds(120))
        let authorized = try await shop.consume(TestShop.transfer(), event: event).get()
        let methods = try shop.methods(of: authorized)
        #expect(methods == ["pwd", "otp"])
        _ = try await shop.verifiedEvidence()
    }
}

extension TestShop {
    /// The same session, its tokens renewed.
    func renewed() async throws -> TestShop {
        let token = try #require(device.tokens.refreshToken)
        let tokens = try await device.app.client.refresh(token, proof: device.app.key).tokens()
        return with(TestDevice(app: device.app, tokens: tokens, deviceKey: device.deviceKey))
    }

    /// By which methods a consent was given, as its authentication code says.
    func methods(of authorized: OperationAuthorization) throws -> [String] {
        let basis = try claims(of: authorized.authenticationCode).basis
        guard case .verified(let consent) = basis else {
            throw NativeSignInOutcome.Unexpected(what: "expected a consent, got \(basis)")
        }
        return consent.methods
    }
}
