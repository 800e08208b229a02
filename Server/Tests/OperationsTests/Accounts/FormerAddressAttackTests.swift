import FlowSupport
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Attacks with a mailbox or number that an operator replaced")
struct FormerAddressAttackTests {
    private static let ada = AccountReference.username("ada", brand: nil)
    private static let newEmail: AdminRequest = [
        "account", "set-email", "ada", "--email", "new@example.com", "--verified",
    ]
    private static let newPhone: AdminRequest = ["account", "set-phone", "ada", "--phone", "+359888654321"]

    private func setUp() async throws -> (server: TestServer, app: TestApp, account: AccountID) {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount()
        return (server, TestApp(client: try await server.publicClient()), account)
    }

    @Test("attack: a recovery's code in the old mailbox, read or entered before the change, sets no password after it")
    func recovery() async throws {
        let (server, app, account) = try await setUp()
        let other = TestApp(client: app.client)
        let session = try await other.recoverByCode().passwordSession()
        server.clock.advance(by: .seconds(1))
        let asked = try await app.beginRecovery().recovery()
        let code = try await server.recoveryCode()
        let before = try await server.record(of: account)?.password
        try await server.administer(Self.newEmail)
        let left = try await server.rows(of: "recoveries")
        #expect(left == 0)
        let answered = try await app.answerRecovery(code, to: asked)
        #expect(answered.isOver)
        let again = try await app.proceed(asked.session, .resendRecovery)
        #expect(again.isOver)
        let chosen = try await other.choose("another phrase 8", in: session)
        #expect(chosen.isOver)
        let after = try await server.record(of: account)?.password
        #expect(after == before)
    }

    @Test(
        "attack: a recovery that begins while the address is changed sends the old mailbox a code that is void",
        .threat("A changed mailbox or number"))
    func recoveryMeanwhile() async throws {
        let (server, _, _) = try await setUp()
        let recovery = server.flows.signIn.native.engine.checks.recoveries
        server.beforeNextWrite { try await server.administer(Self.newEmail) }
        let begun = try await recovery.begin(
            Username("ada"), brand: BrandID("default"), device: .cookie(nil), origin: TestServer.origin,
            now: server.clock.now())
        guard case .begun(let id, _) = begun else {
            Issue.record("no recovery was begun")
            return
        }
        let sent = try await server.messages().first { $0.kind == "password_recovery_code" }
        #expect(sent?.content["to"]?.string == "ada@example.com")
        let answered = try await recovery.answer(
            OneTimeCode(server.recoveryCode()), for: id, origin: TestServer.origin, now: server.clock.now())
        guard case .over = answered else {
            Issue.record("a code from the old mailbox proved something: \(answered)")
            return
        }
    }

    @Test("attack: a second factor's code sent to the old mailbox or number before the change proves nothing after it")
    func secondFactor() async throws {
        for isEmail in [true, false] {
            let server = try await TestServer.start()
            _ = try await server.account {
                if isEmail {
                    $0.email = "ada@example.com"
                    $0.emailVerified = true
                } else {
                    $0.phone = "+359888123456"
                }
            }
            let app = TestApp(client: try await server.publicClient())
            let asked = try await app.signIn().asked()
            let code = try await server.sentCode()
            try await server.administer(isEmail ? Self.newEmail : Self.newPhone)
            let left = try await server.rows(of: "open_factors")
            #expect(left == 0)
            let answered = try await app.answer(code, to: asked)
            #expect(answered.isOver, "\(isEmail)")
            let next = try await TestApp(client: app.client).signIn().asked()
            #expect(next.prompt.destination != asked.prompt.destination, "\(isEmail)")
        }
    }

    @Test("attack: an authorization code that a code to the old mailbox earned opens no session after the change")
    func authorizationCode() async throws {
        let (server, app, _) = try await setUp()
        let code = try await app.signInWithCode().code()
        try await server.administer(Self.newEmail)
        let redeemed = try await app.redeem(code)
        #expect(redeemed.refusal == .invalidGrant)
    }

    @Test("attack: the code that was to confirm the old address does not confirm the new one")
    func confirmation() async throws {
        let server = try await TestServer.start()
        let account = try await server.account { $0.email = "ada@example.com" }
        let app = TestApp(client: try await server.publicClient())
        let session = try #require(try await app.signIn().refusal?.session)
        let old = try await server.emailedCode()
        try await server.administer(
            AdminRequest(["account", "set-email"] + Self.ada.words + ["--email", "new@example.com"]))
        let answered = try await app.proceed(session, .emailCode(old))
        #expect(answered.isOver)
        server.clock.advance(by: .seconds(31))
        let next = try #require(try await app.signIn().refusal?.session)
        let wrong = try await app.proceed(next, .emailCode(old))
        #expect(wrong.errorCode == "invalid_credentials")
        let unverified = try await server.record(of: account)?.emailState
        #expect(unverified == .unverified)
        _ = try await app.proceed(next, .emailCode(try await server.emailedCode())).code()
        let verified = try await server.record(of: account)?.emailState
        #expect(verified == .verified)
    }

    @Test("attack: the code that was to confirm an app in the old mailbox does not confirm it after the change")
    func installation() async throws {
        let (server, _, account) = try await setUp()
        let client = try await server.publicClient("confirmed") { $0.verifiesAppInstallation = true }
        let device = try await TestDevice.signedIn(account, client)
        let enrolled = try await device.enrolled(account)
        func code() async throws -> OneTimeCode {
            let message = try await server.messages().first { $0.kind == "instance_code" }
            return try OneTimeCode(message?.content.string("code") ?? "")
        }
        func verify(_ verification: DeviceVerification) async throws -> Result<Void, DeviceRefusal> {
            try await server.flows.signIn.devices.verify(
                verification, of: enrolled.id,
                call: device.call(.post, Endpoints.deviceVerification.path(enrolled.id)))
        }
        let old = try await code()
        try await server.administer(Self.newEmail)
        let refused = try await verify(.code(old))
        guard case .failure(.invalidCode) = refused else {
            Issue.record("a code from the old mailbox confirmed the app")
            return
        }
        server.clock.advance(by: .seconds(31))
        try await verify(.resend).get()
        try await verify(.code(code())).get()
    }

    @Test(
        "attack: a consent's code sent to the old mailbox or number approves no payment after the change",
        arguments: [SCAVerification.email, .sms])
    func consent(_ way: SCAVerification) async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(way, of: event).get()
        let old = try await shop.code()
        try await shop.server.administer(way == .email ? Self.newEmail : Self.newPhone)
        let answered = try await shop.attempt(old, way, at: event).get()
        #expect(answered.status == .failed)
        #expect(answered.reason == .notChallenged)
        shop.server.clock.advance(by: .seconds(31))
        _ = try await shop.challenge(way, of: event).get()
        let wrong = try await shop.attempt(old, way, at: event).get()
        let fresh = try await shop.code()
        #expect(wrong.status == .failed || old == fresh)
        let agreed = try await shop.attempt(fresh, way, at: event).get()
        #expect(agreed.status == .verified)
    }

    @Test("A change of the address leaves a consent's code by SMS as it is")
    func otherChannel() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.sms, of: event).get()
        try await shop.server.administer(Self.newEmail)
        let agreed = try await shop.attempt(shop.code(), .sms, at: event).get()
        #expect(agreed.status == .verified)
    }

    @Test(
        "attack: a consent is challenged while the address is changed: no code goes to the old mailbox",
        .threat("A changed mailbox or number"))
    func consentMeanwhile() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        let call = try await shop.call(Endpoints.scaChallenges, about: event, id: "op-1")
        let request = SCAChallengeRequest(
            operationID: try WalletOperationID("op-1"), verification: .email, returnURL: nil)
        shop.server.beforeNextWrite { try await shop.server.administer(Self.newEmail) }
        let refused = try await shop.server.flows.consent.events.challenge(request, by: call)
        guard case .verificationUnavailable? = refused.refusal else {
            Issue.record("a code went to the old mailbox")
            return
        }
        let code = try await shop.code()
        #expect(code.isEmpty)
    }
}
