import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import Tokens

/// Between consent and payment: what changes there, and what an attacker changes there.
@Suite("Between consent and payment")
struct OperationAttackTests {
    /// What may happen to the person's state in between.
    enum Change: String, CaseIterable, CustomTestStringConvertible {
        case signedOut, deactivated, erased, passwordSet

        var testDescription: String { rawValue }

        /// An erasure withdraws what is open.
        func status(otherwise status: WalletOperationStatus) -> WalletOperationStatus {
            self == .erased ? .cancelled : status
        }
    }

    private func make(_ change: Change, in shop: TestShop) async throws {
        switch change {
        case .signedOut:
            let token = try #require(shop.device.tokens.refreshToken)
            _ = try await shop.server.flows.tokens.revocation.revoke(
                TokenStateRequest(
                    client: shop.device.app.client.authentication, token: PresentedToken(token.reveal())),
                proof: .none, origin: TestServer.origin)
        case .deactivated: try await shop.server.administer(["account", "deactivate", "ada"])
        case .erased: try await shop.server.administer(["account", "erase", "ada"])
        case .passwordSet:
            try await shop.server.administer(
                AdminRequest(["account", "set-password", "ada"], input: "another phrase 8"))
        }
    }

    @Test(
        "attack: an approved operation is carried out after the session or the account ended",
        arguments: Change.allCases)
    func endedBetween(change: Change) async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let event = try await shop.required(transfer)
        try await shop.agree(to: event)
        try await make(change, in: shop)
        let consumed = try await shop.consume(transfer, event: event)
        #expect(consumed.refusal == (change == .erased ? .over(.cancelled) : .sessionNotFound))
        let status = try await shop.status()
        #expect(status == change.status(otherwise: .verified))
    }

    @Test("attack: an event is answered after the session or the account ended", arguments: Change.allCases)
    func endedBefore(change: Change) async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        _ = try await shop.challenge(.sms, of: event).get()
        let code = try await shop.code()
        try await make(change, in: shop)
        await #expect(throws: OAuthRefusal.unusableToken(.ended)) { try await shop.attempt(code, .sms, at: event) }
        let status = try await shop.status()
        #expect(status == change.status(otherwise: .scaRequired))
    }

    @Test(
        "race: the session or the account ends between a call's read and its write: no code is sent, no try spent, nothing proved",
        arguments: Change.allCases)
    func endedMeanwhile(change: Change) async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        shop.server.beforeNextWrite { try await make(change, in: shop) }
        let challenged = try await shop.challenge(.sms, of: event)
        #expect(challenged.refusal == .unauthorized(.unusableToken(.ended)))
        let isSent = try await shop.server.messages().contains { $0.kind == "consent_code" }
        #expect(!isSent)

        // The first write spends the try, the second writes what came of the comparison.
        for isCompared in [false, true] {
            let shop = try await TestShop.open()
            let server = shop.server
            let event = try await shop.required(TestShop.transfer())
            _ = try await shop.challenge(.sms, of: event).get()
            let code = try await shop.code()
            if isCompared {
                server.beforeNextWrite { server.beforeNextWrite { try await make(change, in: shop) } }
            } else {
                server.beforeNextWrite { try await make(change, in: shop) }
            }
            let attempted = try await shop.attempt(code, .sms, at: event)
            #expect(attempted.refusal == .unauthorized(.unusableToken(.ended)))
            let status = try await shop.status()
            #expect(status == change.status(otherwise: .scaRequired))
            let attempts = try await server.rows(of: "sca_attempts")
            #expect(attempts == 0)
            let spent = try await server.rows(of: "wallet_operations WHERE failed > 0")
            #expect(spent == (isCompared ? 1 : 0))
        }
    }

    @Test("race: what is taken back between a call's read and its write is neither challenged nor agreed to")
    func takenBackMeanwhile() async throws {
        for write in ["the challenge", "the try that is spent", "its outcome"] {
            let shop = try await TestShop.open()
            let server = shop.server
            let event = try await shop.required(TestShop.transfer())
            @Sendable func takeBack() async throws {
                try await server.flows.consent.operations.cancel(WalletOperationID("op-1"), call: shop.call()).get()
            }
            let refusal: ConsentRefusal?
            switch write {
            case "the challenge":
                server.beforeNextWrite { try await takeBack() }
                refusal = try await shop.challenge(.sms, of: event).refusal
            case "the try that is spent":
                _ = try await shop.challenge(.sms, of: event).get()
                let code = try await shop.code()
                server.beforeNextWrite { try await takeBack() }
                refusal = try await shop.attempt(code, .sms, at: event).refusal
            default:
                _ = try await shop.challenge(.sms, of: event).get()
                let code = try await shop.code()
                server.beforeNextWrite { server.beforeNextWrite { try await takeBack() } }
                refusal = try await shop.attempt(code, .sms, at: event).refusal
            }
            #expect(refusal == .over(.cancelled), "\(write)")
            let status = try await shop.status()
            #expect(status == .cancelled, "\(write)")
        }
    }

    @Test(
        "attack: no assertion that is sent twice gets the response of a write that was undone",
        .threat("Consent to something other than what was shown"))
    func undoneWrite() async throws {
        let setting = try await TestPINShop.open()
        let (shop, server) = (setting.shop, setting.shop.server)
        let event = try await shop.required(TestShop.transfer())
        let challenge = try await shop.challenge(.devicePIN, of: event).get()
        let value = try await setting.assertion("271828", over: challenge)
        @Sendable func takeBack() async throws {
            try await server.flows.consent.operations.cancel(WalletOperationID("op-1"), call: shop.call()).get()
        }
        // The first write spends the try. The second agrees, in a run that is undone. Meanwhile the operation is taken back in the
        // middle of the other attempt, which uses up the PIN's challenge.
        server.beforeNextWrite {
            server.undoNextWrite {
                server.beforeNextWrite { server.beforeNextWrite { try await takeBack() } }
                let other = try await shop.attempt(value, .devicePIN, at: event)
                #expect(other.refusal == .over(.cancelled))
            }
        }
        let attempted = try await shop.attempt(value, .devicePIN, at: event)
        #expect(attempted.refusal == .over(.cancelled))
        let status = try await shop.status()
        #expect(status == .cancelled)
    }

    @Test(
        "race: of a consent carried out and a sign-out at once, or the account's closing, whatever is answered is what the row says, 50 times"
    )
    func signOutRace() async throws {
        let base = try await TestShop.open()
        let transfer = try TestShop.transfer()
        for round in 0..<50 {
            let id = "race-\(round)"
            let shop = base.with(
                try await TestDevice.signedIn(base.account, base.device.app.client, methods: ["pwd"]))
            let event = try await shop.required(transfer, id: id)
            try await shop.verifyDirectly(event)
            let change = round.isMultiple(of: 2) ? Change.signedOut : .deactivated
            async let ended: Void = make(change, in: shop)
            let consumed = try await shop.consume(transfer, event: event, id: id)
            try await ended
            let status = try await shop.status(id)
            #expect(status == (consumed.refusal == nil ? .authorized : .verified))
            #expect(consumed.refusal == nil || consumed.refusal == .sessionNotFound)
            if change == .deactivated {
                try await base.server.administer(["account", "reactivate", "ada"])
            }
        }
    }

    @Test("The server's next process knows what was challenged, tried, agreed to and carried out")
    func restarted() async throws {
        var shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let event = try await shop.required(transfer)
        _ = try await shop.challenge(.sms, of: event).get()
        let code = try await shop.code()
        _ = try await shop.attempt(shop.wrongCode(), .sms, at: event).get()

        shop = try await shop.restarted()
        let wrong = try await shop.attempt(code == "000000" ? "000001" : "000000", .sms, at: event).get()
        #expect(wrong.remainingAttempts == 3)
        let verified = try await shop.attempt(code, .sms, at: event).get()
        #expect(verified.status == .verified)

        shop = try await shop.restarted()
        let first = try await shop.consume(transfer, event: event, key: "0123456789abcdef").get()

        shop = try await shop.restarted()
        let again = try await shop.consume(transfer, event: event, key: "0123456789abcdef").get()
        #expect(again == first)
        let other = try await shop.consume(transfer, event: event)
        #expect(other.refusal == .alreadyUsed)
    }

    @Test(
        "attack: a clock that is moved by a day makes minutes into no day, in either direction",
        arguments: [1, -1] as [Int64])
    func clock(days: Int64) async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let agreed = try await shop.required(transfer, id: "agreed")
        try await shop.agree(to: agreed, id: "agreed")
        let open = try await shop.required(transfer, id: "open")
        _ = try await shop.challenge(.email, of: open, id: "open").get()
        let code = try await shop.code()
        shop.server.clock.advance(by: .days(days))
        let consumed = try await shop.consume(transfer, event: agreed, id: "agreed")
        #expect(consumed.refusal == .over(.expired))
        let status = try await shop.status("open")
        #expect(status == .expired)
        // The person's token is from another day as well.
        await #expect {
            try await shop.attempt(code, .email, at: open, id: "open")
        } throws: {
            ($0 as? OAuthRefusal)?.code == "invalid_token"
        }
        // Set right again, it goes on where it was.
        shop.server.clock.advance(by: .days(-days))
        _ = try await shop.consume(transfer, event: agreed, id: "agreed").get()
    }

    @Test("attack: the payee is spelled with other bytes that look the same (dynamic linking is to the byte)")
    func otherSpelling() async throws {
        let shop = try await TestShop.open()
        let composed = "Zo\u{EB}"
        let decomposed = "Zoe\u{308}"
        let agreed = try WalletOperation(
            type: WalletOperationType("TRANSFER"), amount: TestShop.euro(90_00),
            payee: Payee(name: composed, account: "DE02"), details: ["note": composed])
        let event = try await shop.required(agreed)
        try await shop.agree(to: event)
        let changes = [
            try WalletOperation(
                type: agreed.type, amount: agreed.amount, payee: Payee(name: decomposed, account: "DE02"),
                details: ["note": composed]),
            try WalletOperation(
                type: agreed.type, amount: agreed.amount, payee: agreed.payee, details: ["note": decomposed]),
        ]
        for change in changes {
            let outcome = try await shop.consume(change, event: event)
            #expect(outcome.refusal == .operationChanged)
        }
        _ = try await shop.consume(agreed, event: event).get()
    }

    @Test(
        "race: of two consumers of one consent, each with the same key, both get the one authentication code, 100 times"
    )
    func sameKeyRace() async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        for round in 0..<100 {
            let id = "race-\(round)"
            let event = try await shop.required(transfer, id: id)
            try await shop.verifyDirectly(event)
            async let one = shop.consume(transfer, event: event, id: id, key: "0123456789abcdef")
            async let two = shop.consume(transfer, event: event, id: id, key: "0123456789abcdef")
            let (first, second) = (try await one.get(), try await two.get())
            #expect(first == second)
        }
        let uses = try await shop.server.context.database.read {
            try $0.row(
                "SELECT COUNT(*) AS number FROM security_events WHERE kind = 'operation.authorized'",
                [])?.integer("number")
        }
        #expect(uses == 100)
    }

    @Test("race: of a consent carried out and taken back at once exactly one happens, 100 times")
    func cancelRace() async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        for round in 0..<100 {
            let id = "race-\(round)"
            let event = try await shop.required(transfer, id: id)
            try await shop.verifyDirectly(event)
            let call = try await shop.call()
            let operations = shop.server.flows.consent.operations
            async let cancelled = operations.cancel(WalletOperationID(id), call: call)
            let consumed = try await shop.consume(transfer, event: event, id: id)
            let taken = try await cancelled
            #expect((consumed.refusal == nil) != (taken.refusal == nil))
            #expect(consumed.refusal == nil || consumed.refusal == .over(.cancelled))
            #expect(taken.refusal == nil || taken.refusal == .alreadyUsed)
        }
    }
}

extension TestShop {
    /// The same people and programs at the server's next process.
    func restarted() async throws -> TestShop {
        let next = try await server.restarted()
        func moved(_ client: TestClient) -> TestClient {
            TestClient(server: next, id: client.id, secret: client.secret)
        }
        let app = TestApp(client: moved(device.app.client), key: device.app.key)
        return TestShop(
            server: next, client: moved(client), account: account,
            device: TestDevice(app: app, tokens: device.tokens, deviceKey: device.deviceKey))
    }
}
