import ArgumentParser
import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import Tokens

@Suite(
    "A backend asks before it moves money",
    .article(
        "4(1) the code is accepted once", "4(3)(d) five minutes without activity",
        "5(1)(b)–(d) the code is for this amount", "5(2) confidentiality"),
    .covers("/v1/wallet-operations…, /v1/sca/events/…"))
struct WalletOperationTests {
    @Test("Everything needs consent by default, and the ways that complete the sign-in's factor are offered")
    func required() async throws {
        let shop = try await TestShop.open()
        let response = try await shop.ask(TestShop.transfer()).get()
        #expect(response.status == .scaRequired)
        #expect(response.availableVerifications.map(\.verification) == [.sms, .email])
        #expect(response.availableVerifications.first?.destination?.hasSuffix("78") == true)
        #expect(response.exemption == nil)
        let early = try await shop.consume(TestShop.transfer(), event: response.eventID)
        #expect(early.refusal == .notVerified)
    }

    @Test("Carried out without its event, it was not agreed to at first, and is another operation after the consent")
    func withoutEvent() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        #expect(try await shop.consume(TestShop.transfer(), event: nil).refusal == .notVerified)
        _ = try await shop.challenge(.sms, of: event).get()
        #expect(try await shop.attempt(shop.code(), .sms, at: event).get().status == .verified)
        #expect(try await shop.consume(TestShop.transfer(), event: nil).refusal == .operationChanged)
    }

    @Test(
        "Requested, approved by a code that names amount and payee, carried out once, with an authentication code that proves it all"
    )
    func wholeWay() async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let event = try await shop.required(transfer)
        let challenge = try await shop.challenge(.sms, of: event).get()
        #expect(challenge.resendAfter == 30)
        let payload = try OperationPayload(parsing: challenge.payload)
        #expect(payload.operation == transfer)
        #expect(payload.account == shop.account)
        let sent = try #require(try await shop.server.messages().first)
        #expect(sent.kind == "consent_code")
        #expect(try sent.content.string("amount") == "90.00 EUR")
        #expect(try sent.content.string("payee") == "Anna Verna")
        let outcome = try await shop.attempt(shop.code(), .sms, at: event).get()
        #expect(outcome == SCAAttemptResponse(status: .verified, reason: .valid, remainingAttempts: 5))
        let verified = try await shop.status()
        #expect(verified == .verified)

        let authorized = try await shop.consume(transfer, event: event).get()
        let claims = try shop.claims(of: authorized.authenticationCode)
        #expect(claims.operation == transfer)
        #expect(claims.clientID == shop.client.id)
        guard case .verified(let consent) = claims.basis else {
            Issue.record("no consent: \(String(describing: claims.basis))")
            return
        }
        #expect(consent.methods == ["pwd", "sms"])
        #expect(consent.payloadHash == payload.hash)
        let status = try await shop.status()
        #expect(status == .authorized)
        let again = try await shop.consume(transfer, event: event)
        #expect(again.refusal == .alreadyUsed)
    }

    @Test("For an app that is not first-party, an operation that needs consent is refused when it is requested")
    func thirdPartyApp() async throws {
        let limits = try ExemptionSettings.LowValue(
            single: TestShop.euro(30_00), cumulative: TestShop.euro(100_00), count: 5)
        let shop = try await TestShop.open { $0.sca.policy.exemptions.lowValue = limits }
        func setFirstParty(_ isOwn: Bool) async throws {
            var change = try ClientChange.parse([])
            change.firstParty = isOwn
            try await shop.server.administer {
                try await ClientAdministration($0).update(shop.device.app.client.id.rawValue, change)
            }
        }
        let event = try await shop.required(TestShop.transfer(), id: "before")
        try await setFirstParty(false)
        #expect(try await shop.ask(TestShop.transfer()).refusal == .appNotFirstParty)
        #expect(try await shop.server.rows(of: "wallet_operations") == 1)
        await #expect(throws: OAuthRefusal.unauthorizedClient) {
            _ = try await shop.challenge(.sms, of: event, id: "before").get()
        }
        // No one is asked about what is exempt.
        #expect(try await shop.ask(TestShop.transfer(10_00), id: "small").get().status == .exempt)
        try await setFirstParty(true)
        #expect(try await shop.ask(TestShop.transfer()).get().status == .scaRequired)
    }

    @Test(
        "The same request gets the same answer; the name with another request, and the key with another name, are refused"
    )
    func idempotent() async throws {
        let shop = try await TestShop.open()
        let first = try await shop.ask(TestShop.transfer(), key: "0123456789abcdef").get()
        let second = try await shop.ask(TestShop.transfer(), key: "0123456789abcdef").get()
        #expect(first == second)
        let changed = try await shop.ask(TestShop.transfer(90_01), key: "0123456789abcdef")
        #expect(changed.refusal == .operationExists)
        let claimed = try await shop.ask(
            TestShop.transfer(), grounds: ExemptionGrounds(isOwnAccount: true), key: "0123456789abcdef")
        #expect(claimed.refusal == .operationExists)
        let other = try await shop.ask(TestShop.transfer(), id: "op-2", key: "0123456789abcdef")
        #expect(other.refusal == .keyReused)
        let rows = try await shop.server.rows(of: "wallet_operations")
        #expect(rows == 1)
    }

    @Test("Carrying out again with the same key gets the same authentication code; with another key it is refused")
    func sameKey() async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let event = try await shop.required(transfer)
        try await shop.agree(to: event)
        let first = try await shop.consume(transfer, event: event, key: "0123456789abcdef").get()
        let second = try await shop.consume(transfer, event: event, key: "0123456789abcdef").get()
        #expect(first == second)
        let other = try await shop.consume(transfer, event: event, key: "fedcba9876543210")
        #expect(other.refusal == .alreadyUsed)
        let changed = try await shop.consume(TestShop.transfer(1), event: event, key: "0123456789abcdef")
        #expect(changed.refusal == .operationChanged)
    }

    @Test("attack: an operation that differs in any way from the approved one is not carried out (dynamic linking)")
    func changed() async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let event = try await shop.required(transfer)
        try await shop.agree(to: event)
        let changes = [
            try TestShop.transfer(90_01), try TestShop.transfer(to: "Anna Vernа"),
            try TestShop.transfer(account: "DE02120300000000202052"), try TestShop.transfer(type: "WITHDRAWAL"),
            try WalletOperation(type: transfer.type, amount: transfer.amount),
            try WalletOperation(
                type: transfer.type, amount: transfer.amount, payee: transfer.payee, details: ["note": "x"]),
            try WalletOperation(
                type: transfer.type, amount: Money(minorUnits: 90_00, currency: Currency("USD")), payee: transfer.payee),
        ]
        for change in changes {
            let outcome = try await shop.consume(change, event: event)
            #expect(outcome.refusal == .operationChanged)
        }
        let other = try await shop.required(transfer, id: "op-2")
        let swapped = try await shop.consume(transfer, event: other)
        #expect(swapped.refusal == .operationChanged)
        let none = try await shop.consume(transfer, event: nil)
        #expect(none.refusal == .operationChanged)
        // One person's consent must not pay with another's money.
        let bob = try await shop.server.account("bob")
        let others = try await shop.consume(transfer, event: event, for: bob)
        #expect(others.refusal == .operationChanged)
        _ = try await shop.consume(transfer, event: event, for: shop.account).get()
    }

    @Test("attack: another backend finds, carries out and takes back nothing")
    func anotherBackend() async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let event = try await shop.required(transfer)
        try await shop.agree(to: event)
        let thief = try await shop.server.confidentialClient("thief")
        let consumed = try await shop.consume(transfer, event: event, as: thief)
        #expect(consumed.refusal == .operationNotFound)
        let cancelled = try await shop.server.flows.consent.operations.cancel(
            WalletOperationID("op-1"), call: shop.call(as: thief))
        #expect(cancelled.refusal == .operationNotFound)
        // The same name is another operation of another backend's.
        let own = try await shop.ask(transfer, as: thief).get()
        #expect(own.eventID != event)
    }

    @Test("An account of another brand, a closed one, another person's session and one that ended are refused")
    func whose() async throws {
        let shop = try await TestShop.open()
        let bob = try await shop.server.account("bob")
        let foreign = try await shop.ask(TestShop.transfer(), for: bob)
        #expect(foreign.refusal == .sessionNotFound)
        try await shop.server.administer(["brand", "create", "other", "--name", "Other"])
        let stranger = try await shop.server.confidentialClient("stranger") { $0.brand = "other" }
        let otherBrand = try await shop.ask(TestShop.transfer(), as: stranger)
        #expect(otherBrand.refusal == .accountNotFound)
        let leaving = shop.with(try await TestDevice.signedIn(shop.account, shop.device.app.client))
        let token = try #require(leaving.device.tokens.refreshToken)
        _ = try await shop.server.flows.tokens.revocation.revoke(
            TokenStateRequest(
                client: leaving.device.app.client.authentication, token: PresentedToken(token.reveal())),
            proof: .none, origin: TestServer.origin)
        let ended = try await leaving.ask(TestShop.transfer())
        #expect(ended.refusal == .sessionNotFound)
        let rows = try await shop.server.rows(of: "wallet_operations")
        #expect(rows == 0)
        try await shop.server.administer(["account", "deactivate", "ada"])
        let closed = try await shop.ask(TestShop.transfer())
        #expect(closed.refusal == .accountNotFound)
    }

    @Test("Without the scope, and with a person's token, nothing is asked for")
    func scope() async throws {
        let shop = try await TestShop.open()
        let weak = try await shop.server.confidentialClient("weak") { $0.scopes = ["wallet"] }
        await #expect(throws: OAuthRefusal.insufficientScope("wallet_operations")) {
            try await shop.ask(TestShop.transfer(), as: weak)
        }
        let person = try shop.device.presented(.post, Endpoints.walletOperations.path)
        await #expect(throws: OAuthRefusal.unusableToken(.ofPerson)) {
            try await shop.server.flows.callers.backend(person, scope: RequestedOperations.scope)
        }
        let rows = try await shop.server.rows(of: "wallet_operations")
        #expect(rows == 0)
    }

    @Test("Taken back it cannot be agreed to or carried out; what was carried out cannot be taken back")
    func cancelled() async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let event = try await shop.required(transfer)
        try await shop.agree(to: event)
        try await shop.server.flows.consent.operations.cancel(WalletOperationID("op-1"), call: shop.call()).get()
        let consumed = try await shop.consume(transfer, event: event)
        #expect(consumed.refusal == .over(.cancelled))
        let challenged = try await shop.challenge(.sms, of: event)
        #expect(challenged.refusal == .over(.cancelled))
        let second = try await shop.required(transfer, id: "op-2")
        try await shop.agree(to: second, id: "op-2")
        _ = try await shop.consume(transfer, event: second, id: "op-2").get()
        let late = try await shop.server.flows.consent.operations.cancel(WalletOperationID("op-2"), call: shop.call())
        #expect(late.refusal == .alreadyUsed)
    }

    @Test("There are at most fifteen minutes to consent")
    func expires() async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let event = try await shop.required(transfer)
        shop.server.clock.advance(by: SCALimits.eventLifetime)
        let status = try await shop.status()
        #expect(status == .expired)
        let late = try await shop.consume(transfer, event: event)
        #expect(late.refusal == .over(.expired))
    }

    @Test("An operation that was approved, or is exempt, is carried out within five minutes or not at all")
    func expiresAfterConsent() async throws {
        let shop = try await TestShop.open(tokensLast: .minutes(30)) {
            $0.sca.policy.exemptions.ownAccounts = true
        }
        let transfer = try TestShop.transfer()
        let own = ExemptionGrounds(isOwnAccount: true)
        for (wait, isInTime) in [(Duration.seconds(299), true), (.minutes(5), false)] {
            let (agreed, exempt) = ("agreed-\(isInTime)", "exempt-\(isInTime)")
            let event = try await shop.required(transfer, id: agreed)
            try await shop.agree(to: event, id: agreed)
            let response = try await shop.ask(transfer, id: exempt, grounds: own).get()
            #expect(response.exemption == .ownAccount)
            shop.server.clock.advance(by: wait)
            let refusal: WalletOperationRefusal? = isInTime ? nil : .over(.expired)
            let consented = try await shop.consume(transfer, event: event, id: agreed)
            #expect(consented.refusal == refusal)
            let passed = try await shop.consume(transfer, event: nil, id: exempt)
            #expect(passed.refusal == refusal)
        }
    }

    @Test("A consent pays nothing after its session signed out")
    func signedOut() async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let event = try await shop.required(transfer)
        try await shop.agree(to: event)
        try await shop.server.administer(
            AdminRequest(["account", "set-password", "ada"], input: "another phrase 8"))
        let consumed = try await shop.consume(transfer, event: event)
        #expect(consumed.refusal == .sessionNotFound)
    }

    @Test("race: of two attempts to carry out one operation at once, exactly one succeeds, 100 times")
    func race() async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        for round in 0..<Deployment.rounds {
            let id = "race-\(round)"
            let event = try await shop.required(transfer, id: id)
            try await shop.verifyDirectly(event)
            async let one = shop.consume(transfer, event: event, id: id, key: "0123456789abcdef")
            async let two = shop.consume(transfer, event: event, id: id, key: "fedcba9876543210")
            let outcomes = try await [one, two]
            #expect(outcomes.count { $0.refusal == nil } == 1)
            #expect(outcomes.count { $0.refusal == .alreadyUsed } == 1)
        }
    }

    @Test("The rows reveal neither payee nor amount, and are deleted after the time for which evidence is kept")
    func sealed() async throws {
        let shop = try await TestShop.open()
        _ = try await shop.required(TestShop.transfer())
        let text = try await shop.server.context.database.read { connection -> String in
            let row = try connection.row("SELECT * FROM wallet_operations", [])
            return row.map { "\($0.values)" } ?? ""
        }
        #expect(!text.contains("Anna") && !text.contains("DE0212") && !text.contains("90.00"))
        shop.server.clock.advance(by: shop.server.context.settings.sca.evidenceRetention)
        _ = try await Sweep.run(shop.server.context.database, now: shop.server.clock.now())
        let left = try await shop.server.rows(of: "wallet_operations")
        #expect(left == 0)
    }
}

extension TestShop {
    /// The state after an agreement, without the way there: for races about what follows.
    func verifyDirectly(_ event: SCAEventID) async throws {
        let id = try #require(UniqueID(uuid: event.rawValue))
        let now = server.clock.now()
        let operations = server.flows.consent.operations
        try await server.context.database.write { connection in
            try connection.execute(
                """
                UPDATE wallet_operations SET state = 'verified', completed_at = $2, expires_at = $3 WHERE event_id = $1
                """, [.id(id), .time(now), .time(now + SCALimits.consentLifetime)])
            let record = try #require(try WalletOperations.find(event: id, on: connection))
            try operations.ledger.step(.verified, record, origin: nil, now: now).write(on: connection)
        }
    }
}
