import Testing
import WalletAuth
import WalletAuthTesting
import WalletAuthWire

@Suite("Waiting for the person's approval on another device", .covers("PUSH_NOTIFICATION"))
struct ConsentElsewhereTests {
    private func visited(by ways: SCA.Verification...) async throws -> (shop: Shop, wallet: Wallet) {
        let shop = try Shop(by: .push)
        if !ways.isEmpty { try shop.requireConsent(by: ways) }
        return (shop, try await shop.world.signedIn())
    }

    @Test("The app asks for the outcome until the other device has approved, and sends the request once more")
    func approved() async throws {
        let (shop, wallet) = try await visited()
        let person = Answers(.elsewhere)
        async let paid = wallet.perform(shop.payment(), onSCA: person.handler)
        await shop.world.clock.waitForSleepers()
        #expect(shop.server.approveElsewhere(Shop.event))
        shop.world.clock.advance(by: .seconds(3))
        let (_, response) = try await paid
        #expect(response.status == 201)
        #expect(shop.carriedOut == 1)
        #expect(person.prompts.map(\.verification) == [.push])
        #expect(shop.count(Shop.attempts) == 2)
    }

    @Test("A refusal on the other device ends the call, and nothing is pending")
    func refused() async throws {
        let (shop, wallet) = try await visited()
        async let paid = failure { try await wallet.perform(shop.payment(), onSCA: Answers(.elsewhere).handler) }
        await shop.world.clock.waitForSleepers()
        #expect(shop.server.refuseElsewhere(Shop.event))
        shop.world.clock.advance(by: .seconds(3))
        #expect(await paid?.code == .cancelledByPerson)
        #expect(try await wallet.pendingSCA.isEmpty)
        #expect(shop.carriedOut == 0)
    }

    @Test("After a minute the person is asked again, and may take another way")
    func notYet() async throws {
        let (shop, wallet) = try await visited(by: .push, .sms)
        let person = Answers(.elsewhere, .instead(.sms), .code(Shop.code))
        async let paid = wallet.perform(shop.payment(), onSCA: person.handler)
        await shop.world.clock.waitForSleepers()
        shop.world.clock.advance(by: .seconds(61))
        let (_, response) = try await paid
        #expect(response.status == 201)
        #expect(person.prompts.map(\.verification) == [.push, .push, .sms])
        #expect(person.prompts.map(\.fault) == [nil, .unfinished, nil])
    }

    @Test("A code is no answer to it, and waiting is no answer to a code")
    func misfit() async throws {
        let (shop, wallet) = try await visited()
        let code = await failure { try await wallet.perform(shop.payment(), onSCA: Answers(.code("123456")).handler) }
        #expect(code?.code == .badRequest)
        #expect(code?.reason.contains(".elsewhere") == true)
        try shop.requireConsent(by: [.sms])
        let waiting = await failure { try await wallet.perform(shop.payment(), onSCA: Answers(.elsewhere).handler) }
        #expect(waiting?.code == .badRequest)
    }

    @Test("By hand: an attempt without a value asks for the outcome")
    func byHand() async throws {
        let (shop, wallet) = try await visited()
        let (data, response) = try await wallet.perform(shop.payment())
        let required = try #require(SCA.Required(data: data, response: response))
        let challenge = try await wallet.authentication.sendSCAChallenge(
            eventID: required.eventID,
            request: SCA.ChallengeRequest(
                walletOperationID: required.walletOperationID,
                verification: SCA.Verification(method: .pushNotification, channel: .pushNotification)))
        #expect(challenge.wasSent && challenge.resendAfter == .seconds(30))
        let ask = SCA.AttemptRequest(walletOperationID: required.walletOperationID, verification: .push)
        let before = try await wallet.authentication.submitSCAAttempt(eventID: required.eventID, request: ask)
        #expect(before.statusReason == .notChallenged)
        shop.server.approveElsewhere(required.eventID)
        let after = try await wallet.authentication.submitSCAAttempt(eventID: required.eventID, request: ask)
        #expect(after.status == .verified)
    }
}
