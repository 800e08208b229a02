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
    "How a person agrees",
    .article(
        "4(3)(a) a failure does not reveal", "4(3)(b) at most five failures", "7 possession", "9(1) independence",
        "23 creation and transmission"),
    .threat("Consent to something other than what was shown"))
struct ConsentTests {
    @Test("The fifth wrong code locks the event and notifies the holder, and the right one comes too late")
    func fiveWrong() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.sms, of: event).get()
        let wrong = try await shop.wrongCode()
        for left in [4, 3, 2, 1] as [Int64] {
            let outcome = try await shop.attempt(wrong, .sms, at: event).get()
            #expect(outcome == SCAAttemptResponse(status: .failed, reason: .invalidValue, remainingAttempts: left))
        }
        let fifth = try await shop.attempt(wrong, .sms, at: event)
        #expect(fifth.refusal == .over(.locked))
        let right = try await shop.attempt(shop.code(), .sms, at: event)
        #expect(right.refusal == .over(.locked))
        let again = try await shop.challenge(.email, of: event)
        #expect(again.refusal == .over(.locked))
        let status = try await shop.status()
        #expect(status == .failed)
        let told = try await shop.server.messages().contains { $0.kind == "payment_locked" }
        #expect(told)
    }

    @Test("Having another code sent keeps the count, and voids the code before it")
    func resend() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.sms, of: event).get()
        let first = try await shop.code()
        _ = try await shop.attempt(shop.wrongCode(), .sms, at: event).get()
        let early = try await shop.challenge(.sms, of: event).get()
        #expect(early.resendAfter == 30)
        #expect(early.sent == false)
        let sent = try await shop.server.messages().count { $0.kind == "consent_code" }
        #expect(sent == 1)
        shop.server.clock.advance(by: .seconds(30))
        let again = try await shop.challenge(.sms, of: event).get()
        #expect(again.sent == true)
        let second = try await shop.code()
        if first != second {
            let old = try await shop.attempt(first, .sms, at: event).get()
            #expect(old.remainingAttempts == 3)
        }
        let right = try await shop.attempt(second, .sms, at: event).get()
        #expect(right.status == .verified)
    }

    @Test("What can be no code costs no try", arguments: ["12ab", "12345", "1234567"])
    func impossibleCode(typed: String) async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.sms, of: event).get()
        for _ in 0..<12 {
            let answer = try await shop.attempt(typed, .sms, at: event).get()
            #expect(answer.reason == .invalidValue)
            #expect(answer.remainingAttempts == 5)
        }
        let right = try await shop.attempt(shop.code(), .sms, at: event).get()
        #expect(right.status == .verified)
    }

    @Test("Three codes are sent for one event, by whichever channel")
    func threeCodes() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        for way in [SCAVerification.sms, .email, .sms] {
            _ = try await shop.challenge(way, of: event).get()
            shop.server.clock.advance(by: .seconds(31))
        }
        let fourth = try await shop.challenge(.email, of: event)
        #expect(fourth.refusal == .noCodeLeft)
    }

    @Test("A code is valid for five minutes; an expired one costs no try")
    func oldCode() async throws {
        let shop = try await TestShop.open(tokensLast: .minutes(30))
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.sms, of: event).get()
        shop.server.clock.advance(by: .minutes(5))
        let late = try await shop.attempt(shop.code(), .sms, at: event).get()
        #expect(late == SCAAttemptResponse(status: .failed, reason: .codeExpired, remainingAttempts: 5))
    }

    @Test("Another method or channel than the one challenged costs nothing")
    func notChallenged() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.sms, of: event).get()
        for way in [SCAVerification.email, .authenticator, .devicePIN] {
            let outcome = try await shop.attempt(shop.code(), way, at: event).get()
            #expect(outcome == SCAAttemptResponse(status: .failed, reason: .notChallenged, remainingAttempts: 5))
        }
    }

    @Test("After a right value whose answer was lost, any repetition says that the person has agreed")
    func lostAnswer() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        try await shop.agree(to: event)
        let again = try await shop.attempt(shop.code(), .sms, at: event).get()
        #expect(again.status == .verified)
        let challenged = try await shop.challenge(.sms, of: event)
        #expect(challenged.refusal == .alreadyVerified)
    }

    @Test("An idle session's sign-in no longer counts: a code alone is then one factor of two")
    func idle() async throws {
        let shop = try await TestShop.open(tokensLast: .minutes(30), consentReturnURLs: [TestConsentPage.returnURL])
        shop.server.clock.advance(by: .seconds(301))
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.sms, of: event).get()
        let response = try await shop.attempt(shop.code(), .sms, at: event).get()
        #expect(response.reason == .additionalFactorRequired)
        let early = try await shop.consume(TestShop.transfer(), event: event)
        #expect(early.refusal == .notVerified)
    }

    @Test("A PIN of the device is two factors over these very bytes; nothing else has to be proved")
    func devicePIN() async throws {
        let setting = try await TestPINShop.open()
        let transfer = try TestShop.transfer()
        let event = try await setting.shop.required(transfer)
        let challenge = try await setting.shop.challenge(.devicePIN, of: event).get()
        let assertion = try await setting.assertion("271828", over: challenge)
        let outcome = try await setting.shop.attempt(assertion, .devicePIN, at: event).get()
        #expect(outcome.status == .verified)
        let authorized = try await setting.shop.consume(transfer, event: event).get()
        let found = try setting.shop.claims(of: authorized.authenticationCode).basis
        guard case .verified(let consent) = found else {
            Issue.record("no consent: \(String(describing: found))")
            return
        }
        #expect(consent.methods == ["pwd", "swk", "pin"])
    }

    @Test("A wrong PIN costs a try of the event and of the PIN; an assertion over another event approves nothing")
    func wrongPIN() async throws {
        let setting = try await TestPINShop.open()
        let event = try await setting.shop.required(TestShop.transfer())
        let challenge = try await setting.shop.challenge(.devicePIN, of: event).get()
        let wrong = try await setting.shop.attempt(setting.assertion("314159", over: challenge), .devicePIN, at: event)
            .get()
        #expect(wrong == SCAAttemptResponse(status: .failed, reason: .invalidValue, remainingAttempts: 4))
        let other = try await setting.shop.required(TestShop.transfer(5_00), id: "op-2")
        let elsewhere = try await setting.shop.challenge(.devicePIN, of: other, id: "op-2").get()
        let assertion = try await setting.assertion("271828", over: elsewhere)
        let swapped = try await setting.shop.attempt(assertion, .devicePIN, at: event).get()
        #expect(swapped == SCAAttemptResponse(status: .failed, reason: .invalidValue, remainingAttempts: 3))
    }

    @Test(
        "attack: a PIN whose thirty tries of thirty days are spent is neither offered nor challenged, once the last is over"
    )
    func spentPIN() async throws {
        let setting = try await TestPINShop.open()
        let (shop, pin) = (setting.shop, setting.pin)
        // Never five in a row, which would lock the PIN.
        for number in 1...29 {
            _ = try await pin.evaluate(pin.use(pin.exchange("314159"))).get()
            if number % 4 == 0 || number == 29 { _ = try await pin.signIn("271828").code() }
        }
        let event = try await shop.required(TestShop.transfer())
        _ = try await pin.evaluate(pin.use(pin.exchange("314159"))).get()
        // The thirtieth may still be right.
        _ = try await shop.challenge(.devicePIN, of: event).get()
        shop.server.clock.advance(by: PINLimits.challengeLifetime)
        #expect(try await pin.record()?.state.active != nil)
        guard case .verificationUnavailable(let offered)? = try await shop.challenge(.devicePIN, of: event).refusal
        else {
            Issue.record("a PIN was challenged that is evaluated no more")
            return
        }
        #expect(!offered.contains { $0.verification == .devicePIN })
        let response = try await shop.ask(TestShop.transfer(), id: "op-2").get()
        #expect(!response.availableVerifications.contains { $0.verification == .devicePIN })
    }

    @Test("An assertion with white space in it costs no try, and the right one is taken afterwards")
    func spacedAssertion() async throws {
        let setting = try await TestPINShop.open()
        let event = try await setting.shop.required(TestShop.transfer())
        let challenge = try await setting.shop.challenge(.devicePIN, of: event).get()
        let assertion = try await setting.assertion("271828", over: challenge)
        for spaced in [assertion.replacing(",", with: ", "), assertion + " "] {
            let outcome = try await setting.shop.attempt(spaced, .devicePIN, at: event).get()
            #expect(outcome == SCAAttemptResponse(status: .failed, reason: .invalidValue, remainingAttempts: 5))
        }
        #expect(try await setting.shop.attempt(assertion, .devicePIN, at: event).get().status == .verified)
    }

    @Test(
        "attack: if one byte of the operation is changed between the server and the signature, the assertion is wrong")
    func changedByte() async throws {
        let setting = try await TestPINShop.open()
        let event = try await setting.shop.required(TestShop.transfer())
        var challenge = try await setting.shop.challenge(.devicePIN, of: event).get()
        challenge.payload[challenge.payload.count / 2] ^= 1
        let outcome = try await setting.shop.attempt(
            setting.assertion("271828", over: challenge), .devicePIN, at: event
        ).get()
        #expect(outcome.reason == .invalidValue)
    }

    @Test("attack: the right PIN of another person's device, or of the person's own new one, approves nothing")
    func foreignDevice() async throws {
        let setting = try await TestPINShop.open()
        let server = setting.shop.server
        let event = try await setting.shop.required(TestShop.transfer())
        let challenge = try await setting.shop.challenge(.devicePIN, of: event).get()
        let bob = try await server.account("bob") {
            $0.email = "bob@example.com"
            $0.emailVerified = true
        }
        var tries = 5
        for account in [bob, setting.pin.account] {
            let device = try await TestDevice.signedIn(account, setting.pin.device.app.client)
            let foreign = try TestPIN(device, account, try await device.enrolled(account).id)
            _ = try await foreign.setPIN("161803").get()
            let assertion = try await TestPINShop(shop: setting.shop, pin: foreign).assertion("161803", over: challenge)
            let outcome = try await setting.shop.attempt(assertion, .devicePIN, at: event).get()
            tries -= 1
            #expect(outcome.status == .failed)
            #expect(outcome.reason == .invalidValue)
            #expect(outcome.remainingAttempts == tries)
        }
        let early = try await setting.shop.consume(TestShop.transfer(), event: event)
        #expect(early.refusal == .notVerified)
    }

    @Test("attack: a device's proof at a sign-in counts for no payment during its cooling period, but does afterwards")
    func coolingSignIn() async throws {
        let setting = try await TestPINShop.open(pastCooling: false)
        let phone = setting.pin.device
        func methods(_ id: String) async throws -> [String] {
            let tokens = try await phone.app.redeem(phone.signIn(as: setting.pin.id).code()).tokens()
            let shop = setting.shop.with(TestDevice(app: phone.app, tokens: tokens, deviceKey: phone.deviceKey))
            let event = try await shop.required(TestShop.transfer(), id: id)
            _ = try await shop.challenge(.email, of: event, id: id).get()
            _ = try await shop.attempt(shop.code(), .email, at: event, id: id).get()
            let authorized = try await shop.consume(TestShop.transfer(), event: event, id: id).get()
            let basis = try shop.claims(of: authorized.authenticationCode).basis
            guard case .verified(let consent) = basis else {
                throw NativeSignInOutcome.Unexpected(what: "expected a consent, got \(basis)")
            }
            return consent.methods
        }
        #expect(try await methods("op-1") == ["pwd", "otp"])
        setting.shop.server.clock.advance(by: setting.shop.server.context.settings.devices.coolingPeriod)
        #expect(try await methods("op-2") == ["pwd", "swk", "otp"])
    }

    @Test("attack: for a day after a recovery by the mailbox no code by e-mail or SMS agrees to a payment")
    func recoveredLately() async throws {
        let shop = try await TestShop.open()
        let until = shop.server.clock.now() + .hours(24)
        try await shop.server.context.database.write { connection in
            _ = try connection.execute("UPDATE accounts SET cooling_until = $1", [.time(until)])
        }
        let response = try await shop.ask(TestShop.transfer()).get()
        #expect(response.availableVerifications.isEmpty)
        let event = try #require(response.eventID)
        for verification in [SCAVerification.sms, .email] {
            let outcome = try await shop.challenge(verification, of: event)
            guard case .verificationUnavailable? = outcome.refusal else {
                Issue.record("\(verification) was challenged")
                return
            }
        }
    }

    @Test("A device within its cooling period approves nothing with its keys")
    func cooling() async throws {
        let setting = try await TestPINShop.open(pastCooling: false)
        let response = try await setting.shop.ask(TestShop.transfer()).get()
        #expect(!response.availableVerifications.contains { $0.verification.channel == .device })
        let event = try #require(response.eventID)
        let outcome = try await setting.shop.challenge(.devicePIN, of: event)
        guard case .verificationUnavailable? = outcome.refusal else {
            Issue.record("it was challenged: \(String(describing: outcome.refusal))")
            return
        }
    }

    @Test("attack: another person, another session of the same person and another operation find no event")
    func whoseEvent() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        let bob = try await shop.server.account("bob")
        let other = shop.with(try await TestDevice.signedIn(bob, shop.device.app.client))
        let bobs = try await other.challenge(.sms, of: event)
        #expect(bobs.refusal == .eventNotFound)
        let second = shop.with(try await TestDevice.signedIn(shop.account, shop.device.app.client))
        let seconds = try await second.challenge(.sms, of: event)
        #expect(seconds.refusal == .eventNotFound)
        let wrongOperation = try await shop.challenge(.sms, of: event, id: "op-2")
        #expect(wrongOperation.refusal == .eventNotFound)
        _ = try await shop.challenge(.sms, of: event).get()
        let attempt = try await other.attempt(shop.code(), .sms, at: event)
        #expect(attempt.refusal == .eventNotFound)
    }

    @Test("race: of a thousand wrong codes at once five are compared")
    func thousand() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.sms, of: event).get()
        let right = try await shop.code()
        let wrong = (100_000...101_000).map { String($0) }.filter { $0 != right }.prefix(1000)
        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for wrong in wrong {
                group.addTask {
                    if case .success(let response) = try await shop.attempt(wrong, .sms, at: event) {
                        return response.reason == .invalidValue
                    }
                    return false
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(outcomes == 4)
        let compared = try await shop.server.rows(of: "sca_attempts")
        #expect(compared == 5)
        let status = try await shop.status()
        #expect(status == .failed)
    }

    @Test("Wrong codes are counted across all events: new operations do not give endless tries")
    func acrossEvents() async throws {
        let shop = try await TestShop.open()
        for round in 0..<2 {
            let id = "op-\(round)"
            let event = try await shop.required(TestShop.transfer(), id: id)
            _ = try await shop.challenge(.sms, of: event, id: id).get()
            let wrong = try await shop.wrongCode()
            for _ in 0..<5 { _ = try await shop.attempt(wrong, .sms, at: event, id: id) }
        }
        let third = try await shop.required(TestShop.transfer(), id: "op-3")
        _ = try await shop.challenge(.sms, of: third, id: "op-3").get()
        let held = try await shop.attempt(shop.code(), .sms, at: third, id: "op-3")
        guard case .tooManyAttempts? = held.refusal else {
            Issue.record("it was compared: \(String(describing: held.refusal))")
            return
        }
        shop.server.clock.advance(by: .minutes(1))
        let later = try await shop.attempt(shop.code(), .sms, at: third, id: "op-3").get()
        #expect(later.status == .verified)
    }

    @Test("A flood of codes is stopped over all events, also where each code was right")
    func flood() async throws {
        let shop = try await TestShop.open()
        var sent = 0
        for round in 0..<20 {
            let id = "op-\(round)"
            let event = try await shop.required(TestShop.transfer(), id: id)
            guard case .success = try await shop.challenge(.sms, of: event, id: id) else { break }
            sent += 1
            _ = try await shop.attempt(shop.code(), .sms, at: event, id: id).get()
        }
        #expect(sent == 15)
    }

    @Test("The message names brand, amount and payee, and has the code where a phone finds it")
    func message() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.sms, of: event).get()
        let reader = try #require(shop.server.flows.messages)
        let message = try #require(try await reader.recent(limit: 1).first)
        let code = try await shop.code()
        #expect(message.channel == "sms")
        #expect(message.text.contains("€90.00 to account DE02120300000000202051 (Anna Verna)"))
        #expect(message.text.hasSuffix("@auth.example.com #\(code)"))
    }
}
