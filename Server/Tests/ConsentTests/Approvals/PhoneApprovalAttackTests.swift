import Core
import FlowSupport
import Store
import Testing
import Transactions
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import SignIn

@Suite(
    "What a phone cannot approve", .article("4(2) a code reveals nothing"),
    .threat("Consent to something other than what was shown"))
struct PhoneApprovalAttackTests {
    @Test("attack: a device of another account neither sees the operation nor approves or refuses it")
    func otherAccount() async throws {
        let setting = try await TestPhones.open()
        let (event, challenge) = try await setting.asked()
        let eve = try await setting.server.reachableAccount("eve")
        let device = try await TestDevice.signedIn(eve, setting.phone.device.app.client)
        let own = try TestPIN(device, eve, try await device.enrolled(eve).id)
        _ = try await own.setPIN(TestPhones.pin).get()
        setting.server.clock.advance(by: .seconds(1))
        try await setting.server.settle(own.id)
        #expect(try await setting.pending(on: own).get().approvals.isEmpty)
        let assertion = try await setting.assertion(challenge, on: own)
        let approved = try await setting.approve(assertion, at: event, on: own)
        #expect(approved.refusal == .consent(.eventNotFound))
        #expect(try await setting.refuse(event, on: own).refusal == .consent(.eventNotFound))
        #expect(try await setting.shop.status() == .scaRequired)
    }

    @Test("attack: what a phone signed for other bytes, for another event or for another purpose approves nothing")
    func otherBytes() async throws {
        let setting = try await TestPhones.open()
        let (event, challenge) = try await setting.asked()
        let (second, _) = try await setting.asked("op-2")
        var changed = challenge.payload
        changed[0] ^= 1
        for act in [try TestPhones.act(event, changed), try TestPhones.act(second, challenge.payload)] {
            let assertion = try await setting.phone.assertion(of: act, TestPhones.pin)
            let outcome = try await setting.approve(assertion, at: event, on: setting.phone).get()
            #expect(outcome.reason == .invalidValue)
        }
        #expect(try await setting.shop.status() == .scaRequired)
    }

    @Test("attack: a device in its cooling period sees and approves nothing, and is not pushed to")
    func cooling() async throws {
        let setting = try await TestPhones.open(pastCooling: false)
        let event = try await setting.shop.required(TestShop.transfer())
        guard case .pushUnavailable? = try await setting.shop.challenge(.push, of: event).refusal else {
            Issue.record("expected push_unavailable")
            return
        }
        guard case .cooling? = try await setting.pending(on: setting.phone).refusal,
            case .cooling? = try await setting.refuse(event, on: setting.phone).refusal
        else {
            Issue.record("expected the end of the cooling period")
            return
        }
    }

    @Test("attack: a session that was opened on no device has no list, and approves nothing")
    func noDevice() async throws {
        let setting = try await TestPhones.open()
        let (event, challenge) = try await setting.asked()
        let call = try await setting.shop.device.call(.get, Endpoints.approvals.path)
        let list = try await TransactionFlows(setting.server.flows).approvals.page(after: nil, call: call)
        #expect(list.refusal == .noDevice)
        let assertion = try await setting.assertion(challenge, on: setting.phone)
        let approved = try await setting.server.flows.consent.approvals.approve(
            ApprovalAttempt(operationID: WalletOperationID("op-1"), assertion: assertion), of: event,
            by: setting.shop.device.call(.post, Endpoints.approvalAttempts.path(event)))
        #expect(approved.refusal == .noDevice)
    }

    @Test("attack: a phone cannot send what another phone of the person signed")
    func otherPhonesAssertion() async throws {
        let setting = try await TestPhones.open(2)
        let (event, challenge) = try await setting.asked()
        let assertion = try await setting.assertion(challenge, on: setting.phones[0])
        let outcome = try await setting.approve(assertion, at: event, on: setting.phones[1]).get()
        #expect(outcome.reason == .invalidValue)
        #expect(try await setting.shop.status() == .scaRequired)
    }

    @Test("attack: what no push asked for waits on no phone; another challenge of the app ends the push's")
    func notAsked() async throws {
        let setting = try await TestPhones.open()
        let event = try await setting.shop.required(TestShop.transfer())
        let email = try await setting.shop.challenge(.email, of: event).get()
        #expect(try await setting.pending(on: setting.phone).get().approvals.isEmpty)
        let early = try await setting.approve(
            setting.assertion(email, on: setting.phone), at: event, on: setting.phone
        ).get()
        #expect(early.reason == .notChallenged)
        #expect(try await setting.refuse(event, on: setting.phone).refusal == .consent(.eventNotFound))
        setting.server.clock.advance(by: SCALimits.interval)
        let pushed = try await setting.shop.challenge(.push, of: event).get()
        setting.server.clock.advance(by: SCALimits.interval)
        _ = try await setting.shop.challenge(.email, of: event).get()
        let late = try await setting.approve(
            setting.assertion(pushed, on: setting.phone), at: event, on: setting.phone
        ).get()
        #expect(late.reason == .notChallenged)
    }

    @Test(
        "attack: after a refusal on the phone, a stolen password sends no push for an hour, not by signing in again either",
        .threat("Pushes that tire or mislead"))
    func askingAfterRefusal() async throws {
        let setting = try await TestPhones.open()
        let (event, _) = try await setting.asked()
        try await setting.refuse(event, on: setting.phone).get()
        let second = try await setting.shop.ask(TestShop.transfer(), id: "op-2").get()
        #expect(!second.availableVerifications.contains { $0.verification == .push })
        let refused = try await setting.shop.challenge(.push, of: #require(second.eventID), id: "op-2")
        guard case .pushUnavailable(let ways)? = refused.refusal else {
            Issue.record("expected push_unavailable")
            return
        }
        #expect(!ways.isEmpty && !ways.contains { $0.verification == .push })

        #expect(try await !setting.isOfferedPushAgain("op-3"))

        let pushes = setting.server.flows.signIn.approvalPushes
        let account = try #require(UniqueID(bytes: setting.phone.account.bytes))
        let device = try #require(UniqueID(uuid: setting.phone.id.rawValue))
        let now = setting.server.clock.now()
        let (fromDevice, later) = try await setting.server.context.database.read { connection in
            (
                try pushes.mayAsk(account, from: device, now: now, on: connection),
                try pushes.mayAsk(account, from: nil, now: now + .hours(1), on: connection)
            )
        }
        #expect(fromDevice)
        #expect(later)
    }

    @Test(
        "attack: signing out, asking for another way, withdrawing or waiting evades no refusal on the phone",
        .threat("Pushes that tire or mislead"), arguments: Evasion.allCases)
    func evadingRefusal(evasion: Evasion) async throws {
        let setting = try await TestPhones.open()
        let (event, _) = try await setting.asked()
        switch evasion {
        case .signingOut:
            let session = try #require(UniqueID(bytes: try await setting.shop.session().bytes))
            let now = setting.server.clock.now()
            _ = try await setting.server.context.database.write {
                try Sessions.end(session, because: .signedOut, now: now, on: $0)
            }
        case .anotherWay:
            setting.server.clock.advance(by: SCALimits.interval)
            _ = try await setting.shop.challenge(.email, of: event).get()
        case .disowning: try await setting.shop.refuse(event).get()
        case .withdrawing: try await setting.shop.refuse(event, isWithdrawal: true).get()
        case .waiting: setting.server.clock.advance(by: SCALimits.eventLifetime)
        }
        let phone = try await evasion == .waiting ? setting.phone.signedInAgain() : setting.phone
        for _ in 0..<2 {
            let refused = try await setting.refuse(event, on: phone).refusal
            #expect(refused == (evasion == .waiting ? .consent(.over(.expired)) : nil))
        }
        let recorded = try await setting.server.rows(of: "security_events WHERE kind = 'operation.refused'")
        #expect(recorded == (evasion == .waiting ? 0 : evasion == .withdrawing ? 2 : 1))
        let notices = try await setting.server.messages().count { $0.kind == "payment_refused" }
        #expect(notices == (evasion == .waiting ? 0 : 1))
        #expect(try await !setting.isOfferedPushAgain("op-2"))
    }

    enum Evasion: CaseIterable {
        case signingOut, anotherWay, disowning, withdrawing, waiting
    }

    @Test("The audit log tells a withdrawal from the refusal on a phone that follows it, and the evidence stays valid")
    func refusalsInTheLog() async throws {
        let setting = try await TestPhones.open()
        let (event, _) = try await setting.asked()
        try await setting.shop.refuse(event, isWithdrawal: true).get()
        try await setting.refuse(event, on: setting.phone).get()
        #expect(try await setting.shop.verifiedEvidence().steps.last?.kind == .refused)
        let log = "security_events WHERE kind = 'operation.refused' AND details LIKE "
        #expect(try await setting.server.rows(of: log + "'%\"withdrawn\":true%'") == 1)
        #expect(try await setting.server.rows(of: log + "'%\"device\":\"\(setting.phone.id.rawValue)\"%'") == 1)
    }

    @Test("A refusal in the app that asked ends no pushes")
    func refusedByTheAskingApp() async throws {
        let setting = try await TestPhones.open()
        let (event, _) = try await setting.asked()
        try await setting.shop.refuse(event).get()
        _ = try await setting.asked("op-2")
    }

    @Test(
        "attack: a session that asks for payment after payment reaches the phone six times in ten minutes, and then is 429",
        .threat("Pushes that tire or mislead"))
    func askingAgainAndAgain() async throws {
        let setting = try await TestPhones.open()
        for number in 1...6 { _ = try await setting.asked("op-\(number)") }
        let event = try await setting.shop.required(TestShop.transfer(), id: "op-7")
        let held = try await setting.shop.challenge(.push, of: event, id: "op-7")
        #expect(held.refusal == .tooManyAttempts(retryAfter: 600))
        #expect(try await setting.server.messages().count { $0.kind == "approvals_held_back" } == 1)
    }

    @Test("attack: once the session that asked is over, nothing waits and nothing can be approved")
    func askingSessionOver() async throws {
        let setting = try await TestPhones.open()
        let (event, challenge) = try await setting.asked()
        let session = try #require(UniqueID(bytes: try await setting.shop.session().bytes))
        let now = setting.server.clock.now()
        _ = try await setting.server.context.database.write {
            try Sessions.end(session, because: .signedOut, now: now, on: $0)
        }
        #expect(try await setting.pending(on: setting.phone).get().approvals.isEmpty)
        let approved = try await setting.approve(
            setting.assertion(challenge, on: setting.phone), at: event, on: setting.phone)
        #expect(approved.refusal == .consent(.eventNotFound))
    }

    @Test("attack: a value for PUSH_NOTIFICATION from the app that asked is malformed, whatever it is")
    func valueFromTheAskingApp() async throws {
        let text = """
            {"walletOperationId":"op-1","verification":{"method":"PUSH_NOTIFICATION","channel":"PUSH_NOTIFICATION"},\
            "value":"a.b.c"}
            """
        #expect(throws: MalformedValue.self) {
            try SCAAttemptRequest(try JSONValue.object(parsing: Array(text.utf8)))
        }
    }
}

extension TestPhones {
    /// Whether the password opens a session that is offered a push.
    fileprivate func isOfferedPushAgain(_ id: String) async throws -> Bool {
        let other = try await TestDevice.signedIn(phone.account, phone.device.app.client, methods: ["pwd"])
        let asked = try await shop.with(other).ask(TestShop.transfer(), id: id).get()
        return asked.availableVerifications.contains { $0.verification == .push }
    }
}

extension TestServer {
    /// Ends a device's cooling period.
    func settle(_ id: DeviceID) async throws {
        let device = try #require(UniqueID(uuid: id.rawValue))
        let now = clock.now()
        _ = try await context.database.write {
            try $0.execute("UPDATE devices SET cooling_until = $2 WHERE id = $1", [.id(device), .time(now)])
        }
    }
}
