import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import SignIn

/// What the key behind a holder's presence signed once, brought again and elsewhere.
@Suite(
    "What a biometric key signed for one operation serves for that one", .article("4(2) a code reveals nothing"),
    .threat("Consent to something other than what was shown"))
struct BiometricReplayAttackTests {
    /// A shop whose Ada has a device past its cooling period, with a PIN and a biometric key.
    private struct Setting: Sendable {
        let base: TestPINShop
        let key = TestKey()

        var shop: TestShop { base.shop }
        var pin: TestPIN { base.pin }

        static func open() async throws -> Setting {
            let setting = Setting(base: try await TestPINShop.open())
            let pin = setting.pin
            let proof = try await pin.assertion(of: .biometric(.key(setting.key.thumbprint)), "271828")
            try await setting.shop.server.flows.signIn.biometrics.set(
                BiometricKeyRequest(publicKey: setting.key.publicKey, assertion: proof), on: pin.id,
                call: pin.device.call(.put, Endpoints.deviceBiometricKey.path(pin.id))
            ).get()
            return setting
        }

        /// Asks for an operation and challenges the key.
        func challenge(_ id: String = "op-1") async throws -> (event: SCAEventID, challenge: SCAChallengeResponse) {
            let event = try await shop.required(TestShop.transfer(), id: id)
            return (event, try await shop.challenge(.deviceBiometric, of: event, id: id).get())
        }

        /// What the device signs over a challenge's name.
        func assertion(
            over challenge: (id: ChallengeID, nonce: Nonce), _ act: DeviceAssertion.Act
        ) async throws -> SignedAssertion {
            try await DeviceAssertion(
                audience: shop.server.context.settings.issuer, account: pin.account, deviceID: pin.id,
                factor: .biometric, challengeID: challenge.id, nonce: challenge.nonce, act: act,
                issuedAt: NumericDate(clamping: shop.server.clock.now().seconds)
            ).signed(by: pin.device.deviceKey.signer, key.signer)
        }

        /// What the device signs for an operation.
        func consent(to challenge: SCAChallengeResponse) async throws -> SignedAssertion {
            let made = try #require(challenge.deviceChallenge)
            let event = try #require(challenge.eventID.transactionID)
            return try await assertion(over: (made.id, made.nonce), .sca(event, .operation(challenge.payload)))
        }

        func attempt(
            _ assertion: SignedAssertion, at event: SCAEventID, id: String = "op-1"
        ) async throws -> Result<SCAAttemptResponse, ConsentRefusal> {
            try await shop.attempt(assertion.reveal(), .deviceBiometric, at: event, id: id)
        }

        /// A challenge of a sign-in.
        func signInChallenge() async throws -> ChallengeResponse {
            try await shop.server.challenge(
                ChallengeRequest(purpose: .login, deviceID: pin.id), to: pin.device.app.key)
        }
    }

    @Test("It agrees to the operation that it signed, and evidence has the device's signature alone")
    func agrees() async throws {
        let setting = try await Setting.open()
        let (event, challenge) = try await setting.challenge()
        let assertion = try await setting.consent(to: challenge)
        let outcome = try await setting.attempt(assertion, at: event).get()
        #expect(outcome.status == .verified)
        let evidence = try await setting.shop.verifiedEvidence()
        #expect(evidence.attempts.map(\.methods) == [["swk", "bio"]])
        let signatures = try GeneralJWS(Array(assertion.reveal().utf8)).signatures.map {
            Base64URL.encode($0.signature)
        }
        let text = String(decoding: evidence.json.bytes, as: UTF8.self)
        #expect(signatures.count == 2 && text.contains(signatures[0]) && !text.contains(signatures[1]))
    }

    @Test(
        "Five wrong PINs block the payment and the PIN alone: face or fingerprint, another element, approves the next payment",
        .article("4(3)(b) at most five failures", "9(1) independence of elements"))
    func lockedPIN() async throws {
        let setting = try await Setting.open()
        let shop = setting.shop
        let event = try await shop.required(TestShop.transfer(), id: "op-0")
        let challenge = try await shop.challenge(.devicePIN, of: event, id: "op-0").get()
        for _ in 0..<5 {
            let wrong = try await setting.base.assertion("314159", over: challenge)
            _ = try await shop.attempt(wrong, .devicePIN, at: event, id: "op-0")
        }
        let blocked = try await shop.challenge(.deviceBiometric, of: event, id: "op-0")
        #expect(blocked.refusal == .over(.locked))
        let right = try await setting.pin.evaluate(setting.pin.use(setting.pin.exchange("271828")))
        #expect(right.refusal == .locked(.tooManyTries))
        let (next, biometric) = try await setting.challenge()
        #expect(try await setting.attempt(setting.consent(to: biometric), at: next).get().status == .verified)
        let attempts = try await shop.verifiedEvidence().attempts
        #expect(attempts.map(\.methods) == [["swk", "bio"]])
    }

    @Test(
        "attack: an assertion that approved one operation is wrong for another, word for word or signed again over its challenge"
    )
    func secondOperation() async throws {
        let setting = try await Setting.open()
        let (first, challenge) = try await setting.challenge()
        let assertion = try await setting.consent(to: challenge)
        let agreed = try await setting.attempt(assertion, at: first).get()
        #expect(agreed.status == .verified)
        let (second, other) = try await setting.challenge("op-2")
        let again = try await setting.attempt(assertion, at: second, id: "op-2").get()
        #expect(again == SCAAttemptResponse(status: .failed, reason: .invalidValue, remainingAttempts: 4))
        // The first operation's challenge, which is used up, over the second one's bytes.
        let used = try #require(challenge.deviceChallenge)
        let transaction = try #require(second.transactionID)
        let crossed = try await setting.assertion(
            over: (used.id, used.nonce), .sca(transaction, .operation(other.payload)))
        let refused = try await setting.attempt(crossed, at: second, id: "op-2").get()
        #expect(refused == SCAAttemptResponse(status: .failed, reason: .invalidValue, remainingAttempts: 3))
        let status = try await setting.shop.status("op-2")
        #expect(status == .scaRequired)
        // Nothing of it was used up: what is signed for it agrees to it.
        let right = try await setting.attempt(setting.consent(to: other), at: second, id: "op-2").get()
        #expect(right.status == .verified)
    }

    @Test("attack: it is wrong for the same operation once another challenge was made for it")
    func earlierChallenge() async throws {
        let setting = try await Setting.open()
        let (event, challenge) = try await setting.challenge()
        let assertion = try await setting.consent(to: challenge)
        setting.shop.server.clock.advance(by: .seconds(31))
        _ = try await setting.shop.challenge(.deviceBiometric, of: event).get()
        let late = try await setting.attempt(assertion, at: event).get()
        #expect(late.reason == .invalidValue)
    }

    @Test("attack: it does not sign in, neither before nor after it agreed; and a sign-in's agrees to nothing")
    func signIn() async throws {
        let setting = try await Setting.open()
        let (event, challenge) = try await setting.challenge()
        let assertion = try await setting.consent(to: challenge)
        let before = try await setting.pin.signIn(by: assertion)
        #expect(before.errorCode == "invalid_credentials")
        let login = try await setting.signInChallenge()
        let signedIn = try await setting.assertion(over: (login.challengeID, login.nonce), setting.pin.login)
        let wrong = try await setting.attempt(signedIn, at: event).get()
        #expect(wrong == SCAAttemptResponse(status: .failed, reason: .invalidValue, remainingAttempts: 4))
        // A consent that is signed over a sign-in's challenge, which has the same keys.
        let transaction = try #require(event.transactionID)
        let crossed = try await setting.assertion(
            over: (login.challengeID, login.nonce), .sca(transaction, .operation(challenge.payload)))
        let refused = try await setting.attempt(crossed, at: event).get()
        #expect(refused.reason == .invalidValue)
        // What was refused elsewhere was not used up there.
        let agreed = try await setting.attempt(assertion, at: event).get()
        #expect(agreed.status == .verified)
        let after = try await setting.pin.signIn(by: assertion)
        #expect(after.errorCode == "invalid_credentials")
        _ = try await setting.pin.signIn(by: signedIn).code()
    }

    @Test("attack: after the operation was carried out it is over, also for what agreed to it, and moves nothing more")
    func used() async throws {
        let setting = try await Setting.open()
        let (event, challenge) = try await setting.challenge()
        let assertion = try await setting.consent(to: challenge)
        // The answer was lost: the same request gets the same answer, and is not compared again.
        for _ in 0..<2 {
            let agreed = try await setting.attempt(assertion, at: event).get()
            #expect(agreed.status == .verified)
        }
        _ = try await setting.shop.consume(TestShop.transfer(), event: event).get()
        let late = try await setting.attempt(assertion, at: event)
        #expect(late.refusal == .over(.used))
        let again = try await setting.shop.consume(TestShop.transfer(), event: event)
        #expect(again.refusal == .alreadyUsed)
        let evidence = try await setting.shop.verifiedEvidence()
        #expect(evidence.attempts.map(\.isRight) == [true])
        #expect(evidence.steps.map(\.kind) == [.requested, .challenged, .verified, .authorized])
    }

    @Test("race: of thirty-two that bring it at once to its operation and to another, it agrees to its own, once")
    func race() async throws {
        let setting = try await Setting.open()
        let (first, challenge) = try await setting.challenge()
        let (second, _) = try await setting.challenge("op-2")
        let assertion = try await setting.consent(to: challenge)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<32 {
                group.addTask {
                    _ =
                        try await number.isMultiple(of: 8)
                        ? setting.attempt(assertion, at: second, id: "op-2") : setting.attempt(assertion, at: first)
                }
            }
            try await group.waitForAll()
        }
        let own = try await setting.shop.status()
        let other = try await setting.shop.status("op-2")
        #expect(own == .verified)
        #expect(other == .scaRequired)
        let right = try await setting.shop.server.context.database.read {
            try $0.row("SELECT SUM(correct) AS correct_ones FROM sca_attempts", [])?.integer("correct_ones")
        }
        #expect(right == 1)
    }
}
