import Core
import FlowSupport
import Outbound
import Store
import Testing
import Transactions
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite("Approving on the phone what another session began", .covers("PUSH_NOTIFICATION"))
struct PhoneApprovalTests {
    @Test(
        "The phone shows the operation, approves it by PIN, and the app at the computer goes on without a second consent"
    )
    func wholeWay() async throws {
        let setting = try await TestPhones.open()
        let transfer = try TestShop.transfer()
        let (event, challenge) = try await setting.asked()
        #expect(challenge.sent == true)
        #expect(challenge.resendAfter == 30)
        let before = try await setting.outcome(of: event).get()
        #expect(before == SCAAttemptResponse(status: .failed, reason: .notChallenged, remainingAttempts: 5))

        let page = try await setting.pending(on: setting.phone).get()
        let entry = try #require(page.approvals.first)
        #expect(page.approvals.count == 1 && page.cursor == nil)
        #expect(entry.kind == .operation && entry.id.rawValue == event.rawValue)
        #expect(entry.payload == challenge.payload)
        #expect(entry.allowedSecondFactors == [.pin])
        #expect(entry.requester?.service == "App" && entry.requester?.device == nil)

        let assertion = try await setting.assertion(challenge, on: setting.phone)
        let approved = try await setting.approve(assertion, at: event, on: setting.phone).get()
        #expect(approved.status == .verified)
        let after = try await setting.outcome(of: event).get()
        #expect(after.status == .verified)
        let empty = try await setting.pending(on: setting.phone).get()
        #expect(empty.approvals.isEmpty)
        _ = try await setting.shop.consume(transfer, event: event).get()
        let again = try await setting.shop.consume(transfer, event: event)
        #expect(again.refusal == .alreadyUsed)
    }

    @Test("Evidence names the approving device, its session and both categories, and verifies offline as version 3")
    func evidence() async throws {
        let setting = try await TestPhones.open()
        let (event, challenge) = try await setting.asked()
        _ = try await setting.approve(
            setting.assertion(challenge, on: setting.phone), at: event, on: setting.phone
        ).get()
        _ = try await setting.shop.consume(TestShop.transfer(), event: event).get()
        let evidence = try await setting.shop.verifiedEvidence()
        let attempt = try #require(evidence.attempts.first)
        let approving = try await setting.server.claims(of: setting.phone.device.tokens).sessionID
        let asking = try await setting.shop.session()
        #expect(evidence.version == 3)
        #expect(evidence.session == asking)
        #expect(attempt.verification == .push && attempt.methods == ["swk", "pin"])
        #expect(attempt.device?.id == setting.phone.id)
        #expect(attempt.session == approving && attempt.session != asking)
        let logged = try await setting.server.context.database.read { connection in
            try connection.query("SELECT details FROM security_events WHERE kind = 'operation.verified'", []).count
        }
        #expect(logged == 1)
    }

    @Test("A refusal on the phone ends the operation as “I didn't start this” does, and is harmless to repeat")
    func refusal() async throws {
        let setting = try await TestPhones.open()
        let (event, challenge) = try await setting.asked()
        for _ in 0..<2 { try await setting.refuse(event, on: setting.phone).get() }
        #expect(try await setting.outcome(of: event).refusal == .refused)
        let late = try await setting.approve(
            setting.assertion(challenge, on: setting.phone), at: event, on: setting.phone)
        #expect(late.refusal == .consent(.refused))
        let evidence = try await setting.shop.verifiedEvidence()
        #expect(evidence.steps.map(\.kind) == [.requested, .challenged, .refused])
        #expect(try await setting.server.messages().count { $0.kind == "payment_refused" } == 1)
    }

    @Test(
        "The phone that approved gets its result again after a lost response, also once the operation was carried out")
    func lostResponse() async throws {
        let setting = try await TestPhones.open()
        let (event, challenge) = try await setting.asked()
        let assertion = try await setting.assertion(challenge, on: setting.phone)
        for _ in 0..<2 {
            #expect(try await setting.approve(assertion, at: event, on: setting.phone).get().status == .verified)
        }
        _ = try await setting.shop.consume(TestShop.transfer(), event: event).get()
        #expect(try await setting.approve(assertion, at: event, on: setting.phone).get().status == .verified)
        #expect(try await setting.shop.verifiedEvidence().attempts.count == 1)
    }

    @Test("Of two phones, one approves, and the other learns that the person has agreed")
    func twoPhones() async throws {
        let setting = try await TestPhones.open(2)
        let (event, challenge) = try await setting.asked()
        let assertions = [
            try await setting.assertion(challenge, on: setting.phones[0]),
            try await setting.assertion(challenge, on: setting.phones[1]),
        ]
        let outcomes = try await withThrowingTaskGroup(of: Result<SCAAttemptResponse, ApprovalRefusal>.self) { group in
            for (phone, assertion) in zip(setting.phones, assertions) {
                group.addTask { try await setting.approve(assertion, at: event, on: phone) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { (try? $0.get().status) == .verified } == 1)
        #expect(outcomes.count { $0.refusal == .consent(.alreadyVerified) } == 1)
        #expect(try await setting.shop.verifiedEvidence().attempts.filter(\.isRight).count == 1)
    }

    @Test("A wrong PIN costs a try of the event, and the fifth locks it", .threat("Guessing or stealing a device PIN"))
    func wrongPIN() async throws {
        let setting = try await TestPhones.open(2)
        let (event, challenge) = try await setting.asked()
        for left in [4, 3, 2] as [Int64] {
            let wrong = try await setting.assertion(challenge, on: setting.phones[0], "314159")
            let outcome = try await setting.approve(wrong, at: event, on: setting.phones[0]).get()
            #expect(outcome == SCAAttemptResponse(status: .failed, reason: .invalidValue, remainingAttempts: left))
        }
        // Another phone's tries are of the same event.
        let other = try await setting.assertion(challenge, on: setting.phones[1], "314159")
        #expect(try await setting.approve(other, at: event, on: setting.phones[1]).get().remainingAttempts == 1)
        let last = try await setting.assertion(challenge, on: setting.phones[1], "314159")
        #expect(try await setting.approve(last, at: event, on: setting.phones[1]).refusal == .consent(.over(.locked)))
        #expect(try await setting.shop.status() == .failed)
    }

    @Test("Without a push address it is not offered, and asking for it is refused with the other ways")
    func unreachable() async throws {
        let setting = try await TestPhones.open(isReachable: false)
        let asked = try await setting.shop.ask(TestShop.transfer()).get()
        #expect(!asked.availableVerifications.contains { $0.verification == .push })
        let event = try #require(asked.eventID)
        guard case .pushUnavailable(let ways)? = try await setting.shop.challenge(.push, of: event).refusal else {
            Issue.record("expected push_unavailable")
            return
        }
        #expect(!ways.contains { $0.verification == .push })
        try await setting.server.register(setting.phone)
        #expect(try await setting.shop.challenge(.push, of: event).get().sent == true)
    }

    @Test(
        "It is not offered if the push service of the phone is not configured",
        arguments: [Set(PushService.allCases), [.apns]])
    func undeliverable(_ services: Set<PushService>) async throws {
        let setting = try await TestPhones.open { $0.undeliverablePushes = services }
        let asked = try await setting.shop.ask(TestShop.transfer()).get()
        #expect(!asked.availableVerifications.contains { $0.verification == .push })
        let refused = try await setting.shop.challenge(.push, of: #require(asked.eventID))
        guard case .pushUnavailable? = refused.refusal else {
            Issue.record("expected push_unavailable")
            return
        }
    }

    @Test("With the one service that its address is of, it is offered")
    func otherServiceUndeliverable() async throws {
        let setting = try await TestPhones.open { $0.undeliverablePushes = [.fcm] }
        _ = try await setting.asked()
    }

    @Test("Of two equal payments, each names the app and the device that asked")
    func requesters() async throws {
        let setting = try await TestPhones.open(2)
        _ = try await setting.asked()
        let tablet = setting.shop.with(setting.phones[1].device)
        let event = try await tablet.required(TestShop.transfer(), id: "op-2")
        _ = try await tablet.challenge(.push, of: event, id: "op-2").get()
        let entries = try await setting.pending(on: setting.phone).get().approvals
        #expect(entries.map(\.requester?.device?.rawValue) == [nil, "Ada's tablet"])
    }

    @Test("Push messages of an event are half a minute apart and three at most")
    func repeated() async throws {
        let setting = try await TestPhones.open()
        let (event, _) = try await setting.asked()
        let soon = try await setting.shop.challenge(.push, of: event).get()
        #expect(soon.sent == false)
        for _ in 0..<2 {
            setting.server.clock.advance(by: SCALimits.interval)
            #expect(try await setting.shop.challenge(.push, of: event).get().sent == true)
        }
        setting.server.clock.advance(by: SCALimits.interval)
        #expect(try await setting.shop.challenge(.push, of: event).refusal == .noCodeLeft)
    }

    @Test("What expired waits no longer, and can no longer be approved")
    func expired() async throws {
        let setting = try await TestPhones.open()
        let (event, challenge) = try await setting.asked()
        let phone = setting.phone
        setting.server.clock.advance(by: SCALimits.eventLifetime)
        let fresh = try await phone.signedInAgain()
        #expect(try await setting.pending(on: fresh).get().approvals.isEmpty)
        let late = try await setting.approve(setting.assertion(challenge, on: fresh), at: event, on: fresh)
        #expect(late.refusal == .consent(.over(.expired)))
    }
}
