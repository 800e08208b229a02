import Foundation
import Testing
import WalletAuthTesting
import WalletAuthWire

@testable import WalletAuth

@Suite("Agreeing by face or finger on this device")
struct ConsentByDeviceTests {
    /// alice signed in on an enrolled device with a key behind her presence. That the server has taken it is the business of
    /// the tests against the running program: it takes a PIN.
    private func enrolled(_ ways: SCA.Verification...) async throws -> (Shop, Wallet) {
        let shop = try Shop(by: .deviceBiometric)
        if !ways.isEmpty { try shop.requireConsent(by: ways) }
        let wallet = try await shop.world.signedIn()
        try await wallet.devices.enroll(name: "Alice's phone", username: "alice")
        let device = wallet.deviceAuthentication
        let enrollment = try await device.signedInEnrollment(during: .enableBiometrics)
        try await device.adoptPresenceKey(try await device.makePresenceKey(of: enrollment), of: enrollment)
        return (shop, wallet)
    }

    @Test(
        "The device signs the event and the very bytes that were shown, after the person was asked with the app's words"
    )
    func signs() async throws {
        let (shop, wallet) = try await enrolled()
        let person = Answers(.biometrics(reason: "Pay 12.50 EUR to Blumen Huber"))
        let (_, response) = try await wallet.perform(shop.payment(), onSCA: person.handler)
        #expect(response.status == 201)
        #expect(shop.server.consents.map(\.proved) == [[.deviceBiometric]])
        #expect(shop.world.keys.presence.reasons == ["Pay 12.50 EUR to Blumen Huber"])
    }

    @Test("The device's own factors are offered before codes; without a confirmation the person may take a code")
    func declined() async throws {
        let (shop, wallet) = try await enrolled(.sms, .deviceBiometric)
        shop.world.keys.presence.failure = .refused
        let person = Answers(.biometrics(reason: "Pay"), .instead(.sms), .code(Shop.code))
        let (_, response) = try await wallet.perform(shop.payment(), onSCA: person.handler)
        #expect(response.status == 201)
        #expect(person.prompts.map(\.verification) == [.deviceBiometric, .deviceBiometric, .sms])
        #expect(person.prompts.map(\.fault) == [nil, .declined, nil])
    }

    @Test("A sensor that is locked out, and a finger that is new to the device, close this way and leave the others")
    func closed() async throws {
        let (shop, wallet) = try await enrolled(.sms, .deviceBiometric)
        shop.world.keys.presence.failure = .lockedOut
        let first = Answers(.biometrics(reason: "Pay"), .code(Shop.code))
        _ = try await wallet.perform(shop.payment(), onSCA: first.handler)
        #expect(first.prompts.map(\.verification) == [.deviceBiometric, .sms])
        shop.world.keys.presence.failure = nil
        shop.world.keys.changeBiometrics()
        let second = Answers(.biometrics(reason: "Pay"), .code(Shop.code))
        _ = try await wallet.perform(shop.payment(), onSCA: second.handler)
        #expect(second.prompts.map(\.verification) == [.deviceBiometric, .sms])
        try shop.requireConsent(by: [.deviceBiometric])
        let error = await failure {
            try await wallet.perform(shop.payment(), onSCA: Answers(.biometrics(reason: "Pay")).handler)
        }
        #expect(error?.outcome == .keyLost(recovery: .enableBiometricsAgain))
        #expect(shop.carriedOut == 2)
    }

    @Test("A completed consent is in the history of the device, once, with its operation and its way")
    func history() async throws {
        let (shop, wallet) = try await enrolled(.sms, .deviceBiometric)
        let person = Answers(.instead(.sms), .code("000000"), .code(Shop.code))
        _ = try await wallet.perform(shop.payment(), onSCA: person.handler)
        let history = try await wallet.transactions.history()
        #expect(history.map(\.kind) == [.consent])
        #expect(history.map(\.outcome) == [.approved])
        #expect(history.map(\.transactionID) == [nil])
        #expect(history.map(\.type) == ["TRANSFER"])
        #expect(history.map(\.payeeName) == ["Blumen Huber"])
        #expect(history.map(\.secondFactor) == [.sms])
    }

    @Test("By hand: the same answer to a challenge, and another challenge's answer is worth nothing")
    func byHand() async throws {
        let (shop, wallet) = try await enrolled()
        let (data, response) = try await wallet.perform(shop.payment())
        let required = try #require(SCA.Required(data: data, response: response))
        let ask = SCA.ChallengeRequest(walletOperationID: required.walletOperationID, verification: .deviceBiometric)
        let authentication = wallet.authentication
        let former = try await authentication.sendSCAChallenge(eventID: required.eventID, request: ask)
        let challenge = try await authentication.sendSCAChallenge(eventID: required.eventID, request: ask)
        let wrong = try await authentication.submitSCAAttempt(.biometrics(reason: "Pay"), to: former)
        #expect(wrong.statusReason == .invalidValue)
        let right = try await authentication.submitSCAAttempt(.biometrics(reason: "Pay"), to: challenge)
        #expect(right.status == .verified)
        let misfit = await failure { try await authentication.submitSCAAttempt(.code("123456"), to: challenge) }
        #expect(misfit?.code == .badRequest)
    }
}
