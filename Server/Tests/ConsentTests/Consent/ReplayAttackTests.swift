import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import SignIn

/// What was proved for one thing is brought for another.
@Suite("What was proved elsewhere proves nothing here", .threat("Consent to something other than what was shown"))
struct ReplayAttackTests {
    @Test("attack: the code of another event of the same person is wrong, and costs a try")
    func codeOfAnotherEvent() async throws {
        let shop = try await TestShop.open()
        let first = try await shop.required(TestShop.transfer(1_00), id: "small")
        _ = try await shop.challenge(.sms, of: first, id: "small").get()
        let code = try await shop.code()
        let second = try await shop.required(TestShop.transfer(900_00), id: "large")
        _ = try await shop.challenge(.sms, of: second, id: "large").get()
        let own = try await shop.code()
        if code != own {
            let swapped = try await shop.attempt(code, .sms, at: second, id: "large").get()
            #expect(swapped == SCAAttemptResponse(status: .failed, reason: .invalidValue, remainingAttempts: 4))
        }
        let small = try await shop.attempt(code, .sms, at: first, id: "small").get()
        #expect(small.status == .verified)
        let large = try await shop.status("large")
        #expect(large == .scaRequired)
    }

    @Test("attack: an event's code sent by SMS is no code for the e-mail channel")
    func codeOfAnotherChannel() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.sms, of: event).get()
        let bySMS = try await shop.code()
        shop.server.clock.advance(by: SCALimits.interval)
        _ = try await shop.challenge(.email, of: event).get()
        let byEmail = try await shop.code()
        guard bySMS != byEmail else { return }
        let swapped = try await shop.attempt(bySMS, .email, at: event).get()
        #expect(swapped.reason == .invalidValue)
        let late = try await shop.attempt(bySMS, .sms, at: event).get()
        #expect(late.reason == .notChallenged)
    }

    /// Ada with an authenticator app, signed in by password and the code that it shows.
    private func authenticatorShop() async throws -> (shop: TestShop, setup: AuthenticatorSetup, code: String) {
        let shop = try await TestShop.open(methods: ["pwd", "otp"], tokensLast: .minutes(30)) {
            $0.devices.coolingPeriod = .zero
        }
        let setup = try await shop.device.authenticator()
        // The step that confirmed it is spent.
        shop.server.clock.advance(by: .seconds(30))
        let app = TestApp(client: shop.device.app.client)
        let first = try await app.signIn().asked()
        let asked =
            try await first.prompt.method == "totp"
            ? first : app.proceed(first.session, .chooseFactor(.totp)).asked()
        let code = try shop.device.code(of: setup)
        let tokens = try await app.redeem(app.answer(code, to: asked).code()).tokens()
        return (shop.with(TestDevice(app: app, tokens: tokens)), setup, code)
    }

    @Test("attack: the authenticator's code that signed in agrees to nothing (one step, one use), and costs no try")
    func authenticatorCodeOfSignIn() async throws {
        let (shop, setup, code) = try await authenticatorShop()
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.authenticator, of: event).get()
        for _ in 0...SCALimits.tries {
            let replayed = try await shop.attempt(code, .authenticator, at: event).get()
            #expect(replayed == SCAAttemptResponse(status: .failed, reason: .codeUsed, remainingAttempts: 5))
        }
        shop.server.clock.advance(by: .seconds(30))
        let next = try await shop.attempt(shop.device.code(of: setup), .authenticator, at: event).get()
        #expect(next.status == .verified)
    }

    @Test("attack: the authenticator's code of one consent is not valid for the next, and does not sign in")
    func authenticatorCodeOfEvent() async throws {
        let (shop, setup, _) = try await authenticatorShop()
        shop.server.clock.advance(by: .seconds(30))
        let code = try shop.device.code(of: setup)
        for (round, expected) in [(1, SCAAttemptReason.valid), (2, .codeUsed)] {
            let id = "op-\(round)"
            let event = try await shop.required(TestShop.transfer(), id: id)
            _ = try await shop.challenge(.authenticator, of: event, id: id).get()
            let outcome = try await shop.attempt(code, .authenticator, at: event, id: id).get()
            #expect(outcome.reason == expected)
        }
        let app = TestApp(client: shop.device.app.client)
        let first = try await app.signIn().asked()
        let asked =
            try await first.prompt.method == "totp"
            ? first : app.proceed(first.session, .chooseFactor(.totp)).asked()
        let outcome = try await app.answer(code, to: asked)
        #expect(outcome.errorCode == "invalid_credentials")
    }

    @Test("attack: wrong codes between used ones still lock the event after five")
    func wrongCodesBetweenUsedOnes() async throws {
        let (shop, setup, used) = try await authenticatorShop()
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.authenticator, of: event).get()
        // The code of a far step is wrong.
        let secret = try #require(Base32.decode(setup.secret.reveal()))
        let present = TOTP.stepNumber(at: shop.server.clock.now())
        for number in 1..<SCALimits.tries {
            let wrong = TOTP.code(at: present + 1_000 + Int64(number), secret: secret)
            let left = Int64(SCALimits.tries - number)
            let failed = try await shop.attempt(wrong, .authenticator, at: event).get()
            #expect(failed == SCAAttemptResponse(status: .failed, reason: .invalidValue, remainingAttempts: left))
            let replayed = try await shop.attempt(used, .authenticator, at: event).get()
            #expect(replayed == SCAAttemptResponse(status: .failed, reason: .codeUsed, remainingAttempts: left))
        }
        let last = try await shop.attempt(
            TOTP.code(at: present + 1_000, secret: secret), .authenticator, at: event)
        guard case .over(.locked)? = last.refusal else {
            Issue.record("the event goes on: \(last)")
            return
        }
    }

    @Test("race: of nine events that one code of the authenticator is brought to at once, one is agreed to")
    func authenticatorRace() async throws {
        let (shop, setup, _) = try await authenticatorShop()
        shop.server.clock.advance(by: .seconds(30))
        var events: [(String, SCAEventID)] = []
        for number in 0..<9 {
            let id = "op-\(number)"
            let event = try await shop.required(TestShop.transfer(), id: id)
            _ = try await shop.challenge(.authenticator, of: event, id: id).get()
            events.append((id, event))
        }
        let code = try shop.device.code(of: setup)
        let agreed = try await withThrowingTaskGroup(of: Bool.self) { group in
            for (id, event) in events {
                group.addTask {
                    try await shop.attempt(code, .authenticator, at: event, id: id).get().status == .verified
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(agreed == 1)
    }

    @Test("attack: the PIN's assertion of a sign-in agrees to nothing, and that of a consent does not sign in")
    func assertionOfAnotherPurpose() async throws {
        let setting = try await TestPINShop.open()
        let event = try await setting.shop.required(TestShop.transfer())
        let challenge = try await setting.shop.challenge(.devicePIN, of: event).get()
        let login = try await setting.pin.signInAssertion("271828")
        let outcome = try await setting.shop.attempt(login.reveal(), .devicePIN, at: event).get()
        #expect(outcome == SCAAttemptResponse(status: .failed, reason: .invalidValue, remainingAttempts: 4))
        let consent = try await setting.assertion("271828", over: challenge)
        let signedIn = try await setting.pin.signIn(by: SignedAssertion(consent))
        #expect(signedIn.errorCode == "invalid_credentials")
        // What was refused elsewhere was not used up there.
        let right = try await setting.shop.attempt(consent, .devicePIN, at: event).get()
        #expect(right.status == .verified)
    }

    @Test("attack: an assertion that agreed to one event, sent again to another of the same bytes but the event's own")
    func assertionAgain() async throws {
        let setting = try await TestPINShop.open()
        let first = try await setting.shop.required(TestShop.transfer())
        let challenge = try await setting.shop.challenge(.devicePIN, of: first).get()
        let assertion = try await setting.assertion("271828", over: challenge)
        let agreed = try await setting.shop.attempt(assertion, .devicePIN, at: first).get()
        #expect(agreed.status == .verified)
        let second = try await setting.shop.required(TestShop.transfer(), id: "op-2")
        _ = try await setting.shop.challenge(.devicePIN, of: second, id: "op-2").get()
        let again = try await setting.shop.attempt(assertion, .devicePIN, at: second, id: "op-2").get()
        #expect(again.reason == .invalidValue)
        let status = try await setting.shop.status("op-2")
        #expect(status == .scaRequired)
    }

    @Test("race: of sixty-four that bring the right code at once all learn of one consent, which is written once")
    func rightCodeRace() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.sms, of: event).get()
        let code = try await shop.code()
        let verified = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 {
                group.addTask {
                    guard case .success(let response) = try await shop.attempt(code, .sms, at: event) else {
                        return false
                    }
                    return response.status == .verified
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        // All of them are one try.
        #expect(verified == 64)
        let right = try await shop.server.context.database.read {
            try $0.row("SELECT COUNT(*) AS number, SUM(correct) AS correct_ones FROM sca_attempts", [])
        }
        #expect(try right?.integer("number") == 1)
        #expect(try right?.integer("correct_ones") == 1)
        let status = try await shop.status()
        #expect(status == .verified)
    }
}
