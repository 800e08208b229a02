import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "Recovery by the person", .threat("A forgotten password and a stolen mailbox"),
    .covers(
        "password reset, reactivation by the holder", "login_method=recovery",
        "a stronger sign-in for what a recovery's cooling period forbids anyway"))
struct RecoveryTests {
    private static let new = "another phrase 8"

    private func setUp(phone: String? = nil) async throws -> (server: TestServer, app: TestApp, account: AccountID) {
        let server = try await TestServer.start()
        let account = try await server.reachableAccount(phone: phone)
        return (server, TestApp(client: try await server.publicClient()), account)
    }

    @Test(
        "A forgotten password: a code by e-mail, a new password, a session of one factor, and every other session ended"
    )
    func forgotten() async throws {
        let (server, app, account) = try await setUp()
        let other = TestApp(client: app.client)
        let tokens = try await other.redeem(other.signInWithCode().code()).tokens()
        let asked = try await app.beginRecovery().recovery()
        #expect(asked.prompt == RecoveryPrompt(digits: 8, resendAfter: 30, expiresIn: 600, sent: true))
        let code = try await server.recoveryCode()
        #expect(code.utf8.count == 8)
        let session = try await app.answerRecovery(code, to: asked).passwordSession()
        let weak = try await app.choose("password", in: session)
        guard case .refused(.passwordUnacceptable(let again, .tooCommon)) = weak else {
            throw NativeSignInOutcome.Unexpected(what: "a common password was taken: \(weak)")
        }
        let authorization = try await app.choose(Self.new, in: again).code()
        let claims = try await server.claims(of: app.redeem(authorization).tokens())
        #expect(claims.acr == AuthenticationStrength.singleFactor)
        #expect(claims.amr == ["otp"])
        let refreshed = try await other.client.refresh(try #require(tokens.refreshToken), proof: other.key)
        #expect(throws: (any Error).self) { _ = try refreshed.tokens() }
        let messages = try await server.messages().map(\.kind)
        #expect(messages.contains("password_recovered"))
        let record = try await server.record(of: account)
        #expect(record?.coolingUntil == server.clock.now() + .hours(24))
        let left = try await server.rows(of: "recoveries")
        #expect(left == 0)
    }

    @Test(
        "If the mailbox alone was proved, no device is enrolled and neither a factor nor the password is changed for a day"
    )
    func cools() async throws {
        let (server, app, account) = try await setUp()
        let recovered = try await app.redeem(
            app.choose(Self.new, in: app.recoverByCode().passwordSession()).code()
        ).tokens()
        // By one factor: the answer is that nothing can be changed yet, and not to sign in more strongly in vain.
        let weak = TestDevice(app: app, tokens: recovered)
        guard case .failure(.cooling) = try await weak.enroll(weak.enrollment(account, over: weak.challenge())) else {
            throw NativeSignInOutcome.Unexpected(what: "a stronger sign-in was asked for")
        }
        // With the mailbox one signs in with two factors from now on, and still changes nothing.
        server.clock.advance(by: .seconds(31))
        let next = TestApp(client: app.client)
        let asked = try await next.signIn(password: Self.new).asked()
        let code = try await next.answer(try await server.sentCode(), to: asked).code()
        let phone = TestDevice(app: next, tokens: try await next.redeem(code).tokens())
        let refused = try await phone.enroll(phone.enrollment(account, over: phone.challenge()))
        guard case .failure(.cooling) = refused else {
            throw NativeSignInOutcome.Unexpected(what: "a device was enrolled: \(refused)")
        }
        let told = try await phone.list(factors: ())
        let until = try await server.record(of: account)?.coolingUntil
        #expect(told.coolingUntil?.secondsSince1970 == until?.seconds)
        let factor = try await phone.beginAuthenticator()
        guard case .failure(.cooling) = factor else {
            throw NativeSignInOutcome.Unexpected(what: "a factor was added: \(factor)")
        }
        for current in [Self.new, nil] {
            let changed = try await phone.changePassword(from: current, to: "a third phrase 9")
            guard case .failure(.cooling) = changed else {
                throw NativeSignInOutcome.Unexpected(what: "the password was changed: \(changed)")
            }
        }
        server.clock.advance(by: .hours(24))
        let later = TestApp(client: app.client)
        let again = try await later.signIn(password: Self.new).asked()
        let laterCode = try await later.answer(try await server.sentCode(), to: again).code()
        let settled = TestDevice(app: later, tokens: try await later.redeem(laterCode).tokens())
        let over = try await settled.list(factors: ())
        #expect(over.coolingUntil == nil)
        _ = try await settled.enrolled(account)
    }

    @Test("A wallet that failures closed is opened again by a recovery, and one that an operator closed is not")
    func reopens() async throws {
        let (server, app, account) = try await setUp()
        let known = TestApp(client: app.client)
        _ = try await known.redeem(known.signInWithCode().code()).tokens()
        try await server.closeByFailures(known)
        let closed = try await server.record(of: account)
        #expect(closed?.state == .deactivated)
        #expect(closed?.deactivatedBy == .failures)
        let shown = try await server.administer(["account", "show", "ada"])
        #expect(shown["hindrances"]?.strings?.first?.contains("or until the person recovers it by e-mail") == true)
        let session = try await app.recoverByCode().passwordSession()
        // Not before the new password is set.
        let between = try await server.record(of: account)
        #expect(between?.state == .deactivated)
        _ = try await app.choose(Self.new, in: session).code()
        let opened = try await server.record(of: account)
        #expect(opened?.state == .active)
        #expect(opened?.deactivatedBy == nil)
        let fresh = try await known.signIn(password: Self.new)
        #expect(fresh.errorCode == "mfa_required")

        server.clock.advance(by: .hours(2))
        try await server.administer(["account", "deactivate", "ada"])
        let refused = try await app.recoverByCode()
        #expect(refused.errorCode == "wallet_deactivated")
        let still = try await server.record(of: account)
        #expect(still?.state == .deactivated)
    }

    @Test(
        "An operator's deactivation overrides one by failures, before a recovery and while it is under way"
    )
    func operatorWins() async throws {
        let (server, app, account) = try await setUp()
        let known = TestApp(client: app.client)
        _ = try await known.redeem(known.signInWithCode().code()).tokens()
        try await server.closeByFailures(known)
        let session = try await app.recoverByCode().passwordSession()
        try await server.administer(["account", "deactivate", "ada"])
        #expect(try await app.choose(Self.new, in: session).errorCode == "bad_request")
        // Of two codes of one moment none is the newer.
        server.clock.advance(by: .seconds(1))
        #expect(try await app.recoverByCode().errorCode == "wallet_deactivated")
        let record = try await server.record(of: account)
        #expect(record?.deactivatedBy == .operator)
        #expect(record?.state == .deactivated)
    }

    @Test("attack: a stolen mailbox does not recover an account that has an authenticator app")
    func stolenMailbox() async throws {
        let (server, app, account) = try await setUp()
        let phone = try await TestDevice.signedIn(account, app.client)
        let setup = try await phone.authenticator()
        let asked = try await app.recoverByCode().asked()
        #expect(asked.prompt.method == "totp")
        // The mailbox is what was shown already: no second code to it, and no way around the app.
        #expect(asked.prompt.alternatives.isEmpty)
        let byMail = try await app.proceed(asked.session, .chooseFactor(.email))
        #expect(throws: (any Error).self) { _ = try byMail.asked() }
        let before = try await server.record(of: account)
        let early = try await app.choose(Self.new, in: asked.session)
        guard case .invalid(.invalidRequest) = early else {
            throw NativeSignInOutcome.Unexpected(what: "a password was taken before the second factor: \(early)")
        }
        #expect(try await app.answer("000000", to: asked).errorCode == "invalid_credentials")
        #expect(try await server.record(of: account)?.password == before?.password)
        server.clock.advance(by: .minutes(3))
        let session = try await app.answer(phone.code(of: setup), to: asked).passwordSession()
        _ = try await app.choose(Self.new, in: session).code()
        let after = try await server.record(of: account)
        #expect(before?.password != after?.password)
        // Two things were shown: nothing has to cool.
        #expect(after?.coolingUntil == nil)
    }

    @Test("attack: a secret question is never asked for in a recovery, and an SMS is, with its notice by both ways")
    func telephone() async throws {
        let (server, app, account) = try await setUp(phone: "+359888123456")
        let asked = try await app.recoverByCode().asked()
        #expect(asked.prompt.channel == "SMS")
        #expect(asked.prompt.alternatives.isEmpty)
        let session = try await app.answer(try await server.sentCode(), to: asked).passwordSession()
        _ = try await app.choose(Self.new, in: session).code()
        let notices = try await server.messages().filter { $0.kind == "password_recovered" }
        let recipients = try notices.map { try $0.content.string("to") }
        #expect(Set(recipients) == ["ada@example.com", "+359888123456"])
        // Mailbox and number may lie in one unlocked phone.
        let record = try await server.record(of: account)
        #expect(record?.coolingUntil == server.clock.now() + .hours(24))
    }

    @Test("attack: an account with an enrolled device is recovered on that device and not from elsewhere")
    func enrolledDevice() async throws {
        let (server, app, account) = try await setUp()
        let phone = try await TestDevice.signedIn(account, app.client)
        let device = try await phone.enrolled(account)
        let elsewhere = try await app.recoverByCode()
        #expect(elsewhere.errorCode == "recovery_unavailable")
        #expect(elsewhere.refusal?.session == nil)
        // A device that was tricked in a moment ago is none that recovers.
        server.clock.advance(by: .seconds(1))
        let young = try await phone.recover(as: device.id).recovery()
        let refused = try await phone.app.answerRecovery(try await server.recoveryCode(), to: young)
        #expect(refused.errorCode == "recovery_unavailable")
        server.clock.advance(by: server.context.settings.devices.coolingPeriod)
        let asked = try await phone.recover(as: device.id).recovery()
        let session = try await phone.app.answerRecovery(try await server.recoveryCode(), to: asked).passwordSession()
        let code = try await phone.app.choose(Self.new, in: session).code()
        let claims = try await server.claims(of: phone.app.redeem(code).tokens())
        #expect(claims.acr == AuthenticationStrength.singleFactor)
    }

    @Test("attack: during the cooling of a recovery no other device is removed, renamed, or loses its PIN or key")
    func coolingProtectsDevices() async throws {
        let (server, app, account) = try await setUp()
        let tablet = try await TestDevice.signedIn(account, app.client)
        let held = try await tablet.enrolled(account)
        let phone = try await TestDevice.signedIn(account, app.client)
        let device = try await phone.enrolled(account)
        server.clock.advance(by: server.context.settings.devices.coolingPeriod)
        let asked = try await phone.recover(as: device.id).recovery()
        let session = try await phone.app.answerRecovery(try await server.recoveryCode(), to: asked).passwordSession()
        _ = try await phone.app.choose(Self.new, in: session).code()
        let code = try await phone.signIn(as: device.id, password: Self.new).code()
        let thief = TestDevice(
            app: phone.app, tokens: try await phone.app.redeem(code).tokens(), deviceKey: phone.deviceKey)
        let (flows, path) = (server.flows, Endpoints.device.path(held.id))
        let removed = try await flows.signIn.devices.remove(held.id, call: thief.call(.delete, path))
        let renamed = try await flows.signIn.devices.rename(
            held.id, to: DeviceName("mine"), call: thief.call(.patch, path))
        let forgotten = try await flows.signIn.pins.forget(
            on: held.id, call: thief.call(.delete, Endpoints.devicePIN.path(held.id)))
        let keyless = try await flows.signIn.biometrics.remove(
            from: held.id, call: thief.call(.delete, Endpoints.deviceBiometricKey.path(held.id)))
        for refusal in [removed.refusal, renamed.refusal, forgotten.refusal, keyless.refusal] {
            guard case .cooling? = refusal else {
                Issue.record("\(String(describing: refusal)) is no cooling")
                continue
            }
        }
        // One's own goes at any time.
        #expect(try await thief.remove(device.id) == nil)
    }

    @Test("attack: an account that comes by a provider's word alone gets no password by its mailbox")
    func withoutPassword() async throws {
        let server = try await TestServer.start()
        _ = try await server.account(password: nil) {
            $0.email = "ada@example.com"
            $0.emailVerified = true
        }
        let app = TestApp(client: try await server.publicClient())
        _ = try await app.beginRecovery().recovery()
        let sent = try await server.recoveryCodesSent()
        #expect(sent == 0)
    }

    @Test("An account whose provider says that its person is gone there is recovered by its mailbox")
    func lostWayIn() async throws {
        let server = try await TestServer.start()
        let id = try await server.account(password: nil) {
            $0.email = "ada@example.com"
            $0.emailVerified = true
        }
        let account = try #require(UniqueID(uuid: id.rawValue))
        let now = server.clock.now()
        _ = try await server.context.database.write { try UnreachableAccounts.record(account, at: now, on: $0) }
        let app = TestApp(client: try await server.publicClient())
        _ = try await app.beginRecovery().recovery()
        #expect(try await server.recoveryCodesSent() == 1)
    }
}
