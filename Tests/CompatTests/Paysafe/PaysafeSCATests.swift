import Foundation
import PaysafeCompat
import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Strong customer authentication under Paysafe's names")
@MainActor
struct PaysafeSCATests {
    typealias Way = PaysafeCompat.Wallet.SCAAuthenticationEventAttemptVerification

    private func details(
        _ event: PaysafeCompat.Wallet.SCAAuthenticationEventResponse
    ) -> PaysafeCompat.Wallet.SCAAuthenticationEventRequest {
        .init(eventID: event.eventID, walletOperationID: event.walletOperationID)
    }

    @Test("An operation asks for consent, a wrong code fails, the right one verifies, and the repetition is done once")
    func steps() async throws {
        let world = try PaysafeWorld()
        try await world.authenticate()
        let event = try await world.event()
        #expect(event.authenticationMode == .embedded)
        #expect(event.availableVerifications.map(\.method) == [.otp])
        #expect(event.availableVerifications.map(\.channel) == [.sms])
        #expect(event.availableVerifications.map(\.target) == ["•••42"])
        #expect(event.expirationTime > event.creationTime)
        let challenge = try await world.challenge(event).get()
        #expect(challenge.eventID == event.eventID)
        #expect(challenge.walletOperationID == event.walletOperationID)
        #expect(challenge.target == "•••42")
        #expect(challenge.wasSent)
        #expect(challenge.resendAfter == 30)
        let wrong = try await world.attempt("000000", at: event).get()
        #expect(wrong.status == .failed)
        #expect(wrong.statusReason == .invalidValue)
        #expect(wrong.allowableAttempts == 5)
        #expect(wrong.currentAttempts == 1)
        let right = try await world.attempt(PaysafeWorld.code, at: event).get()
        #expect(right.status == .verified)
        #expect(right.statusReason == .valid)
        let done = try await world.pay(details(event)).get()
        #expect(done.response.statusCode == 201)
        #expect(world.server.consents.map(\.carriedOut) == [1])
        let payments = world.server.requests.filter { $0.path == PaysafeWorld.shop }
        #expect(Set(payments.map { $0.headers["Idempotency-Key"] }).count == 1, "both have one key")
    }

    @Test("The same call sends the code again, and says so if it came too soon")
    func resend() async throws {
        let world = try PaysafeWorld()
        try await world.authenticate()
        let event = try await world.event()
        #expect(try await world.challenge(event).get().wasSent)
        world.clock.advance(by: .seconds(10))
        let early = try await world.challenge(event).get()
        #expect(!early.wasSent)
        #expect(early.resendAfter == 20)
        world.clock.advance(by: .seconds(20))
        #expect(try await world.challenge(event).get().wasSent)
    }

    @Test("The fifth wrong value is dataError, and so is everything after it")
    func dataError() async throws {
        let world = try PaysafeWorld()
        try await world.authenticate()
        let event = try await world.event()
        _ = try await world.challenge(event).get()
        for count in 1...4 {
            #expect(try await world.attempt("000000", at: event).get().currentAttempts == count)
        }
        #expect(await world.attempt("000000", at: event).failure == .dataError)
        #expect(await world.attempt(PaysafeWorld.code, at: event).failure == .dataError)
        #expect(await world.challenge(event).failure == .dataError)
        #expect(world.server.consents.map(\.carriedOut) == [0])
    }

    @Test("A hosted page: the challenge has its URL, and the attempt without a value asks for the outcome")
    func page() async throws {
        let world = try PaysafeWorld(by: [.passkey])
        try await world.authenticate()
        let event = try await world.event()
        let way = Way(method: .passkeys, channel: .redirect)
        #expect(event.availableVerifications.map(\.method) == [.passkeys])
        guard case .refused? = await world.challenge(event, by: way).failure else {
            Issue.record("a page needs a URL to return to")
            return
        }
        let back = "https://app.example.com/callback"
        let challenge = try await world.challenge(event, by: way, returningTo: back).get()
        #expect(try await world.attempt("", at: event, by: way).get().statusReason == .notChallenged)
        let returned = try world.server.agree(onPage: try #require(challenge.redirectURL))
        #expect(returned.absoluteString.hasPrefix(back))
        #expect(try await world.attempt("", at: event, by: way).get().status == .verified)
    }

    @Test("A second factor that is missing fails with the reason and the ways that would help")
    func additionalFactor() async throws {
        let world = try PaysafeWorld(by: [.sms, .authenticator], proofs: 2)
        try await world.authenticate()
        let event = try await world.event()
        _ = try await world.challenge(event).get()
        let first = try await world.attempt(PaysafeWorld.code, at: event).get()
        #expect(first.status == .failed)
        #expect(first.statusReason == .additionalFactorRequired)
        #expect(first.availableVerifications.map(\.channel) == [.authenticator])
        let way = Way(method: .otp, channel: .authenticator)
        _ = try await world.challenge(event, by: way).get()
        #expect(try await world.attempt(PaysafeWorld.code, at: event, by: way).get().status == .verified)
    }

    @Test("A repetition before the consent, and an unknown event, are answered like any other request")
    func early() async throws {
        let world = try PaysafeWorld()
        try await world.authenticate()
        let event = try await world.event()
        #expect(try await world.pay(details(event)).get().response.statusCode == 409)
        let other = PaysafeCompat.Wallet.SCAAuthenticationEventRequest(
            eventID: "00000000-0000-4000-8000-000000000099", walletOperationID: event.walletOperationID)
        #expect(try world.event(await world.pay(other)).eventID != event.eventID)
    }

    @Test("An answer by the device needs its challenge first")
    func device() async throws {
        let world = try PaysafeWorld(by: [.deviceBiometric])
        try await world.authenticate()
        let event = try await world.event()
        let way = Way(method: .biometric, channel: .device)
        #expect(event.availableVerifications.map(\.method) == [.biometric])
        guard case .refused(let failure)? = await world.attempt("Pay 12.50", at: event, by: way).failure else {
            Issue.record("nothing was challenged")
            return
        }
        #expect(failure.code == "bad_request")
    }

    @Test("Every method, channel and reason of the SDK has a name here")
    func names() {
        typealias Wallet = PaysafeCompat.Wallet
        #expect(
            Set(Wallet.SCAAuthenticationEventAttemptVerificationMethod.allCases.map(\.rawValue))
                == Set(SCA.Method.allCases.map(\.rawValue)))
        #expect(
            Set(Wallet.SCAAuthenticationEventAttemptVerificationChannel.allCases.map(\.rawValue))
                == Set(SCA.Channel.allCases.map(\.rawValue)))
        #expect(
            Set(Wallet.SCAAuthenticationEventAttemptStatusReason.allCases.map(\.rawValue))
                == Set(SCA.StatusReason.allCases.map(\.rawValue)))
    }
}
