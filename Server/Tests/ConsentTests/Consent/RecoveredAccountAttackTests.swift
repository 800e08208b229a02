import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "What the thief of a mailbox can pay after a recovery", .article("9(1) independence"),
    .threat("A forgotten password and a stolen mailbox"))
struct RecoveredAccountAttackTests {
    private static let new = "another phrase 8"

    /// Ada with a mailbox and a password, and a thief who has recovered by the mailbox.
    private func stolen() async throws -> (shop: TestShop, client: TestClient) {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        let client = try await server.publicClient { $0.consentReturnURLs = [TestConsentPage.returnURL] }
        let thief = TestApp(client: client)
        let code = try await thief.choose(Self.new, in: thief.recoverByCode().passwordSession()).code()
        let device = TestDevice(app: thief, tokens: try await thief.redeem(code).tokens())
        let shop = TestShop(
            server: server, client: try await server.confidentialClient("shop"), account: account, device: device)
        return (shop, client)
    }

    /// Signs in by the password and the code that goes to the mailbox.
    private func signIn(_ client: TestClient, acrValues: [String] = []) async throws -> NativeSignInOutcome {
        // Of two codes by e-mail the second waits.
        client.server.clock.advance(by: .seconds(31))
        let app = TestApp(client: client)
        let login = PasswordLogin(username: try Username("ada"), password: try Password(Self.new))
        let asked = try await app.step(.begin(.password(login)), acrValues: acrValues).asked()
        let answer = Continuation.mfa(asked.prompt.token, answer: try Password(try await client.server.sentCode()))
        return try await app.step(.proceed(asked.session, answer), acrValues: acrValues)
    }

    private func expectNothing(_ shop: TestShop, _ id: String) async throws {
        let response = try await shop.ask(TestShop.transfer(), id: id).get()
        #expect(response.status == .scaRequired)
        #expect(response.availableVerifications.isEmpty, "\(response.availableVerifications)")
        let event = try #require(response.eventID)
        for way in [SCAVerification.password, .email, .sms] {
            let refused = try await shop.challenge(
                way, of: event, id: id, returnURL: way == .password ? TestConsentPage.returnURL : nil)
            guard case .verificationUnavailable? = refused.refusal else {
                Issue.record("\(way) was challenged")
                return
            }
        }
    }

    @Test(
        "attack: a stolen mailbox recovers the account, and pays with the password that it set, at once or after a new sign-in"
    )
    func mailboxPays() async throws {
        let (shop, client) = try await stolen()
        try await expectNothing(shop, "op-1")
        let app = TestApp(client: client)
        shop.server.clock.advance(by: .seconds(31))
        let asked = try await app.signIn(password: Self.new).asked()
        let code = try await app.answer(try await shop.server.sentCode(), to: asked).code()
        let again = shop.with(TestDevice(app: app, tokens: try await app.redeem(code).tokens()))
        try await expectNothing(again, "op-2")
    }

    @Test(
        "attack: while the account cools, no password agrees on top of what the sign-in proved by mailbox and telephone",
        arguments: [["otp"], ["pwd", "otp"], ["otp", "sms"], ["pwd", "sms"]])
    func passwordBeside(_ methods: [String]) async throws {
        let shop = try await TestShop.open(methods: methods, consentReturnURLs: [TestConsentPage.returnURL])
        try await shop.cool()
        try await expectNothing(shop, "op-1")
    }

    @Test("A day later the holder pays again, by the password that they set")
    func dayLater() async throws {
        let (shop, client) = try await stolen()
        shop.server.clock.advance(by: .hours(24))
        let app = TestApp(client: client)
        let asked = try await app.signIn(password: Self.new).asked()
        let code = try await app.answer(try await shop.server.sentCode(), to: asked).code()
        let later = shop.with(TestDevice(app: app, tokens: try await app.redeem(code).tokens()))
        let event = try await later.required(TestShop.transfer())
        _ = try await later.challenge(.email, of: event).get()
        let answer = try await later.attempt(later.code(), .email, at: event).get()
        #expect(answer.status == .verified)
    }

    @Test("A PIN of a device that is older than the recovery still agrees")
    func olderDevice() async throws {
        let setting = try await TestPINShop.open()
        try await setting.shop.cool()
        let event = try await setting.shop.required(TestShop.transfer())
        let challenge = try await setting.shop.challenge(.devicePIN, of: event).get()
        let assertion = try await setting.assertion("271828", over: challenge)
        let outcome = try await setting.shop.attempt(assertion, .devicePIN, at: event).get()
        #expect(outcome.status == .verified)
        let authorized = try await setting.shop.consume(TestShop.transfer(), event: event).get()
        let methods = try setting.shop.methods(of: authorized)
        #expect(methods == ["swk", "pin"])
    }

    @Test(
        "attack: a resource that asks for two factors is not answered by the mailbox alone (RFC 9470), until a day later"
    )
    func stepUp() async throws {
        let (shop, client) = try await stolen()
        let two = [AuthenticationStrength.twoFactors]
        let refused = try await signIn(client, acrValues: two)
        #expect(refused.refusal?.error == "redirect_to_web")
        let app = TestApp(client: client)
        shop.server.clock.advance(by: .seconds(31))
        let asked = try await app.signIn(password: Self.new).asked()
        let code = try await app.answer(try await shop.server.sentCode(), to: asked).code()
        let weak = try await shop.server.claims(of: app.redeem(code).tokens())
        #expect(weak.acr == AuthenticationStrength.singleFactor)
        shop.server.clock.advance(by: .hours(24))
        _ = try await signIn(client, acrValues: two).code()
    }

    @Test("attack: a recovery by the mailbox pays five small amounts, or a trusted payee, without being asked")
    func exemptions() async throws {
        let limits = try ExemptionSettings.LowValue(
            single: TestShop.euro(30_00), cumulative: TestShop.euro(100_00), count: 5)
        let shop = try await TestShop.open {
            $0.sca.policy.exemptions.lowValue = limits
            $0.sca.policy.exemptions.ownAccounts = true
        }
        try await shop.cool()
        let response = try await shop.ask(
            TestShop.transfer(1_00), grounds: ExemptionGrounds(isOwnAccount: true)
        ).get()
        #expect(response.status == .scaRequired)
        #expect(response.findings.map(\.exemption) == [.ownAccount, .lowValue])
        #expect(response.findings.allSatisfy { $0.reason.contains("recovered") })
    }
}

extension TestShop {
    /// As after a recovery of Ada's account by her mailbox, but for her sessions, which such a recovery ends.
    func cool() async throws {
        let until = server.clock.now() + .hours(24)
        try await server.context.database.write { connection in
            _ = try connection.execute("UPDATE accounts SET cooling_until = $1", [.time(until)])
        }
    }
}
