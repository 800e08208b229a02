import Core
import FlowSupport
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import WalletAuthPIN

@Suite("Signing in by PIN", .threat("Guessing or stealing a device PIN"), .covers("/v1/pin/evaluate"))
struct PINSignInTests {
    @Test("The right PIN on the enrolled device signs in with two factors, and restores every try")
    func right() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        _ = try await pin.signIn("000001").refusal
        let tokens = try await pin.device.app.redeem(pin.signIn("271828").code()).tokens()
        let claims = try #require(
            try await server.context.accessTokens.claims(
                of: tokens.accessToken, now: server.clock.now()))
        #expect(claims.acr == AuthenticationStrength.twoFactors)
        let state = try await pin.record()?.state
        #expect(state == .active(.first, failed: 0))
    }

    @Test("The fifth wrong PIN locks, and then not even the right one is evaluated")
    func locks() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        for left in [4, 3, 2, 1] {
            let wrong = try await pin.signIn("000001")
            #expect(wrong.errorCode == "invalid_credentials")
            #expect(wrong.remainingAttempts == left)
        }
        let last = try #require(try await pin.signIn("000001").refusal)
        #expect(last.errorCode == "pin_locked")
        #expect(last.status == 423)
        let refused = try await pin.evaluate(pin.use(pin.exchange("271828")))
        #expect(refused.refusal == .locked(.tooManyTries))
        let told = try await server.messages().filter { $0.kind == "pin_locked" }
        #expect(told.count == 1)
    }

    @Test("attack: a PIN whose last try was never finished is locked by the next request, and its holder is notified")
    func abandonedLastTry() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        for _ in 0..<4 { _ = try await pin.signIn("000001") }
        _ = try await pin.evaluate(pin.use(pin.exchange("000001"))).get()
        server.clock.advance(by: PINLimits.challengeLifetime)
        let refused = try await pin.evaluate(pin.use(pin.exchange("271828")))
        #expect(refused.refusal == .locked(.tooManyTries))
        #expect(try await pin.record()?.state == .locked(.first))
        let told = try await server.messages().filter { $0.kind == "pin_locked" }
        #expect(told.count == 1)
    }

    @Test(
        "Only the device's key learns how many tries a wrong PIN leaves, which counts those of thirty days as well")
    func remaining() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let assertion = try await pin.signInAssertion("000001")
        let thief = TestApp(client: pin.device.app.client)
        let stolen = try await thief.step(.begin(.pin(PINLogin(deviceID: pin.id, assertion: assertion))))
        #expect(stolen.errorCode == "invalid_credentials")
        #expect(stolen.remainingAttempts == nil)
        _ = try await pin.signIn("271828").code()
        // Four go unanswered at a time, and a right one gives the tries back, not the charges of thirty days.
        for _ in 0..<7 {
            for _ in 0..<4 { _ = try await pin.evaluate(pin.use(pin.exchange("000001"))).get() }
            _ = try await pin.signIn("271828").code()
        }
        // The thief's copy was charged too: 29 are.
        let last = try await pin.signIn("000001")
        #expect(last.remainingAttempts == 0)
    }

    @Test("Of a thousand evaluations at once, five are granted")
    func thousandAtOnce() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let exchange = try pin.exchange("000001")
        let given = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<1000 {
                group.addTask { try await pin.evaluate(pin.use(exchange)).refusal == nil }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(given == 5)
    }

    @Test("Evaluations that are never answered count as tries; after thirty in thirty days nothing more is given out")
    func abandoned() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        for _ in 0..<7 {
            // Four go unanswered, the fifth is answered rightly: all five tries are back, four charges stay.
            for _ in 0..<4 { _ = try await pin.evaluate(pin.use(pin.exchange("000001"))).get() }
            _ = try await pin.signIn("271828").code()
        }
        for left in [1, 0] {
            let answer = try await pin.evaluate(pin.use(pin.exchange("000001"))).get()
            #expect(answer.present?.attemptsLeft == Int64(left))
        }
        let refused = try await pin.evaluate(pin.use(pin.exchange("271828")))
        #expect(refused.refusal == .exhausted(retryAfter: 2_592_000))
        server.clock.advance(by: .days(30))
        _ = try await pin.evaluate(pin.use(pin.exchange("271828"))).get()
    }

    @Test("A request by another key, over another body, or with a stale nonce charges nothing (locking from afar)")
    func forged() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let request = try pin.use(pin.exchange("000001"))
        await #expect(throws: PINRefusal.invalidCredentials) {
            try await pin.evaluate(request, signedBy: TestKey())
        }
        await #expect(throws: PINRefusal.invalidCredentials) {
            try await pin.evaluate(request, signedBody: [1, 2, 3])
        }
        let old = server.context.proofs.currentNonce()
        server.clock.advance(by: .minutes(20))
        await #expect(throws: PINRefusal.staleNonce(server.context.proofs.currentNonce())) {
            try await pin.evaluate(request, nonce: old)
        }
        let state = try await pin.record()?.state
        #expect(state == .active(.first, failed: 0))
    }

    @Test("The same Idempotency-Key gets the same challenge and no new charge; with another request it is refused")
    func idempotent() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let key = "AAECAwQFBgcICQoLDA0ODw"
        let request = try pin.use(pin.exchange("000001"))
        let first = try await pin.evaluate(request, key: key).get()
        let second = try await pin.evaluate(request, key: key).get()
        #expect(first.challengeID == second.challengeID)
        #expect(first.present?.evaluation.element == second.present?.evaluation.element)
        let state = try await pin.record()?.state
        #expect(state == .active(.first, failed: 1))
        let another = try await pin.evaluate(pin.use(pin.exchange("000002")), key: key)
        #expect(another.refusal == .idempotencyMismatch)
        // A newer challenge abandons it; then its key gets no answer any more.
        _ = try await pin.evaluate(request).get()
        let abandoned = try await pin.evaluate(request, key: key)
        #expect(abandoned.refusal == .challengeOver)
    }

    @Test("An assertion serves only the sign-in it was made for, once (a copied assertion)")
    func copied() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let assertion = try await pin.signInAssertion("271828")
        let thief = TestApp(client: pin.device.app.client)
        let stolen = try await thief.step(.begin(.pin(PINLogin(deviceID: pin.id, assertion: assertion))))
        #expect(stolen.errorCode == "invalid_credentials")
        _ = try await pin.signIn(by: assertion).code()
        // A lost answer: the same body again is right again and costs nothing.
        _ = try await pin.signIn(by: assertion).code()
        let state = try await pin.record()?.state
        #expect(state == .active(.first, failed: 0))
    }

    @Test("attack: an assertion opens one session, however often it comes again")
    func oneSession() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let assertion = try await pin.signInAssertion("271828")
        let lost = try await pin.signIn(by: assertion).code()
        let first = server.clock.now()
        server.clock.advance(by: .seconds(30))
        // The answer was lost: the same assertion again opens what the first would have opened, as old as that.
        let tokens = try await pin.device.app.redeem(pin.signIn(by: assertion).code()).tokens()
        let claims = try await server.claims(of: tokens)
        #expect(claims.authenticatedAt == NumericDate(clamping: first.seconds))
        for code in [lost, try await pin.signIn(by: assertion).code()] {
            let second = try await pin.device.app.redeem(code)
            #expect(second.refusal == .invalidGrant)
        }
    }

    @Test("A second code of a sign-in whose answer was lost ends nothing; the very code that opened the session does")
    func secondCode() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let assertion = try await pin.signInAssertion("271828")
        let codes = [try await pin.signIn(by: assertion).code(), try await pin.signIn(by: assertion).code()]
        let tokens = try await pin.device.app.redeem(codes[1]).tokens()
        let second = try await pin.device.app.redeem(codes[0])
        #expect(second.refusal == .invalidGrant)
        server.clock.advance(by: .seconds(90))
        let late = try await pin.device.app.redeem(codes[0])
        #expect(late.refusal == .invalidGrant)
        let signedIn = TestDevice(app: pin.device.app, tokens: tokens)
        _ = try await signedIn.list()
        #expect(try await !server.messages().contains { $0.kind == "session_ended_code_reuse" })
        let stolen = try await pin.device.app.redeem(codes[1])
        #expect(stolen.refusal == .invalidGrant)
        await #expect(throws: OAuthRefusal.unusableToken(.ended)) { try await signedIn.list() }
        #expect(try await server.messages().contains { $0.kind == "session_ended_code_reuse" })
    }

    @Test(
        "attack: an assertion that is repeated after the password was reset, or the sessions were ended, opens nothing"
    )
    func raisedVersion() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let assertion = try await pin.signInAssertion("271828")
        _ = try await pin.signIn(by: assertion).code()
        try await server.administer(
            AdminRequest(["account", "set-password", "ada"], input: "another phrase 8"))
        let again = try await pin.signIn(by: assertion)
        #expect(again.errorCode == "invalid_credentials")
    }

    @Test("attack: the PIN of a device that another app enrolled opens nothing here")
    func otherApp() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let other = try await server.publicClient("other")
        let assertion = try await pin.signInAssertion("271828")
        let request = AuthorizeChallengeRequest(
            clientID: other.id, codeChallenge: CodeChallenge(verifier: TestClient.verifier),
            step: .begin(.pin(PINLogin(deviceID: pin.id, assertion: assertion))))
        let outcome = try await server.flows.signIn.native.challenge(
            request, proof: pin.device.app.proof(), origin: TestServer.origin)
        #expect(outcome.errorCode == "invalid_credentials")
    }

    @Test("An assertion that comes after two minutes opens nothing, and its try is spent")
    func late() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let assertion = try await pin.signInAssertion("271828")
        server.clock.advance(by: .minutes(2))
        let outcome = try await pin.signIn(by: assertion)
        #expect(outcome.errorCode == "invalid_credentials")
        let state = try await pin.record()?.state
        #expect(state == .active(.first, failed: 1))
    }

    @Test("A removed device's PIN is gone with its keys; a suspended one's opens nothing")
    func device() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        try await server.administer(["device", "suspend", pin.id.rawValue])
        let request = try pin.use(pin.exchange("271828"))
        await #expect(throws: PINRefusal.deviceSuspended) { try await pin.evaluate(request) }
        try await server.administer(["device", "remove", pin.id.rawValue])
        await #expect(throws: PINRefusal.invalidCredentials) { try await pin.evaluate(request) }
        let record = try await pin.record()
        #expect(record == nil)
    }

    @Test("The PIN signs in with any DPoP key of the app, the one of the enrollment or another")
    func anotherKey() async throws {
        let server = try await TestServer.start()
        let pin = try await TestPIN.set(on: server)
        let app = TestApp(client: pin.device.app.client)
        let other = try pin.on(TestDevice(app: app, tokens: pin.device.tokens, deviceKey: pin.device.deviceKey))
        _ = try await app.redeem(other.signIn("271828").code()).tokens()
    }

    @Test(
        "A PIN is set before the installation confirmed its code; the right one is asked for the code, and no try is lost"
    )
    func unconfirmedInstallation() async throws {
        let server = try await TestServer.start()
        let account = try await server.account {
            $0.email = "ada@example.com"
            $0.emailVerified = true
        }
        let client = try await server.publicClient { $0.verifiesAppInstallation = true }
        let device = try await TestDevice.signedIn(account, client)
        let pin = try TestPIN(device, account, try await device.enrolled(account).id)
        _ = try await pin.setPIN("271828").get()
        let asked = try #require(try await pin.signIn("271828").refusal)
        #expect(asked.errorCode == "app_instance_unverified")
        #expect(try await pin.record()?.state == .active(.first, failed: 0))
        let message = try #require(try await server.messages().first { $0.kind == "instance_code" })
        let code = try OneTimeCode(message.content.string("code") ?? "")
        _ = try await device.app.proceed(try #require(asked.session), .appInstanceCode(code)).code()
    }
}
