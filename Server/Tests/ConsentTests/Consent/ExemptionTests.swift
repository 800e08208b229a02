import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations

@Suite("What passes without consent")
struct ExemptionTests {
    private func lowValueShop() async throws -> TestShop {
        let limits = try ExemptionSettings.LowValue(
            single: TestShop.euro(30_00), cumulative: TestShop.euro(100_00), count: 5)
        return try await TestShop.open { $0.sca.policy.exemptions.lowValue = limits }
    }

    @Test("A small payment passes, is carried out once, and says by which article")
    func lowValue() async throws {
        let shop = try await lowValueShop()
        let small = try TestShop.transfer(30_00)
        let response = try await shop.ask(small).get()
        #expect(response.status == .exempt)
        #expect(response.exemption == .lowValue)
        #expect(response.eventID == nil)
        #expect(response.findings.map(\.isGranted) == [true])
        let authorized = try await shop.consume(small, event: nil).get()
        #expect(try shop.claims(of: authorized.authenticationCode).basis == .exempt(.lowValue))
        let again = try await shop.consume(small, event: nil)
        #expect(again.refusal == .alreadyUsed)
    }

    @Test("After five, or 100 EUR, the next needs consent; after the consent the count restarts")
    func counted() async throws {
        let shop = try await lowValueShop()
        for number in 1...3 {
            let response = try await shop.ask(TestShop.transfer(30_00), id: "small-\(number)").get()
            #expect(response.status == .exempt)
        }
        let fourth = try await shop.ask(TestShop.transfer(10_01), id: "small-4").get()
        #expect(fourth.status == .scaRequired)
        let event = try #require(fourth.eventID)
        try await shop.agree(to: event, id: "small-4")
        _ = try await shop.consume(TestShop.transfer(10_01), event: event, id: "small-4").get()
        for number in 1...5 {
            let response = try await shop.ask(TestShop.transfer(1), id: "tiny-\(number)").get()
            #expect(response.status == .exempt)
        }
        let sixth = try await shop.ask(TestShop.transfer(1), id: "tiny-6").get()
        #expect(sixth.status == .scaRequired)
    }

    @Test("race: of forty small payments requested at once, five pass")
    func race() async throws {
        let shop = try await lowValueShop()
        let passed = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await shop.ask(TestShop.transfer(1_00), id: "op-\(number)").get().status == .exempt
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(passed == 5)
    }

    @Test("What is taken back is not counted")
    func uncounted() async throws {
        let shop = try await lowValueShop()
        for number in 1...10 {
            let id = "op-\(number)"
            let response = try await shop.ask(TestShop.transfer(30_00), id: id).get()
            #expect(response.status == .exempt)
            try await shop.server.flows.consent.operations.cancel(WalletOperationID(id), call: shop.call()).get()
        }
    }

    @Test("A payee becomes trusted by a consent of its own, and is distrusted by another")
    func trusted() async throws {
        let shop = try await TestShop.open { $0.sca.policy.exemptions.trustedBeneficiaries = true }
        let payee = try Payee(name: "Anna Verna", account: "DE02120300000000202051")
        func agreed(_ operation: WalletOperation, _ id: String) async throws {
            let event = try await shop.required(operation, id: id)
            try await shop.agree(to: event, id: id)
            _ = try await shop.consume(operation, event: event, id: id).get()
        }
        let before = try await shop.ask(TestShop.transfer(), id: "before").get()
        #expect(before.status == .scaRequired)
        try await agreed(try WalletOperation(type: .trustPayee, payee: payee), "trust")
        let after = try await shop.ask(TestShop.transfer(900_00), id: "after").get()
        #expect(after.exemption == .trustedBeneficiary)
        let other = try await shop.ask(TestShop.transfer(account: "DE02120300000000202052"), id: "other").get()
        #expect(other.status == .scaRequired)
        shop.server.clock.advance(by: .seconds(31))
        try await agreed(try WalletOperation(type: .distrustPayee, payee: payee), "distrust")
        let distrusted = try await shop.ask(TestShop.transfer(), id: "distrusted").get()
        #expect(distrusted.status == .scaRequired)
    }

    private func agreed(_ operation: WalletOperation, _ id: String, at shop: TestShop) async throws {
        shop.server.clock.advance(by: .seconds(31))
        let event = try await shop.required(operation, id: id)
        try await shop.agree(to: event, id: id)
        _ = try await shop.consume(operation, event: event, id: id).get()
    }

    private static let spellings = [
        "DE02120300000000202051", "DE02 1203 0000 0000 2020 51", "de02120300000000202051",
        "DE02\u{A0}1203\u{A0}0000\u{A0}0000\u{A0}2020\u{A0}51", "de02\u{202F}1203\u{2009}0000 0000 2020 51",
    ]
    /// To each the next one: by all these pairs, all are one account.
    private static let nextSpellings = Array(spellings.dropFirst() + spellings.prefix(1))

    @Test(
        "A payee is removed from the list by any spelling of the IBAN, and trusted by any",
        arguments: zip(ExemptionTests.spellings, ExemptionTests.nextSpellings)
    )
    func spelledPayee(trusted: String, distrusted: String) async throws {
        let shop = try await TestShop.open(tokensLast: .minutes(30)) {
            $0.sca.policy.exemptions.trustedBeneficiaries = true
        }
        func payee(_ account: String) throws -> Payee { try Payee(name: "Anna Verna", account: account) }
        try await agreed(WalletOperation(type: .trustPayee, payee: payee(trusted)), "trust", at: shop)
        let passed = try await shop.ask(TestShop.transfer(900_00, account: distrusted), id: "passed").get()
        #expect(passed.exemption == .trustedBeneficiary)
        try await agreed(WalletOperation(type: .distrustPayee, payee: payee(distrusted)), "distrust", at: shop)
        let rows = try await shop.server.rows(of: "trusted_payees")
        #expect(rows == 0)
        let asked = try await shop.ask(TestShop.transfer(900_00, account: trusted), id: "asked").get()
        #expect(asked.status == .scaRequired)
    }

    @Test(
        "attack: an account that only looks like a trusted IBAN, or differs by case where case counts, needs consent",
        .threat("Exemptions that add up"))
    func lookalikePayee() async throws {
        let shop = try await TestShop.open(tokensLast: .minutes(30)) {
            $0.sca.policy.exemptions.trustedBeneficiaries = true
        }
        for (number, (trusted, other)) in [
            ("ab12QxYz9", "AB12QXYZ9"), ("IS140159260076545510730339", "\u{131}S140159260076545510730339"),
        ].enumerated() {
            try await agreed(
                WalletOperation(type: .trustPayee, payee: Payee(name: "Anna", account: trusted)), "trust-\(number)",
                at: shop)
            let asked = try await shop.ask(TestShop.transfer(900_00, account: other), id: "other-\(number)").get()
            #expect(asked.status == .scaRequired)
        }
    }

    @Test("attack: a payee with an invisible joiner in the account stays trusted when the account is taken off")
    func joinedPayee() async throws {
        let shop = try await TestShop.open(tokensLast: .minutes(30)) {
            $0.sca.policy.exemptions.trustedBeneficiaries = true
        }
        let joined = "DE02\u{200D}120300000000202051"
        try await agreed(
            WalletOperation(type: .trustPayee, payee: Payee(name: "Anna Verna", account: joined)), "trust", at: shop)
        let passed = try await shop.ask(TestShop.transfer(900_00, account: joined), id: "passed").get()
        #expect(passed.exemption == .trustedBeneficiary)
        let plain = try Payee(name: "Anna Verna", account: "DE02 1203 0000 0000 2020 51")
        try await agreed(WalletOperation(type: .distrustPayee, payee: plain), "distrust", at: shop)
        let asked = try await shop.ask(TestShop.transfer(900_00, account: joined), id: "asked").get()
        #expect(asked.status == .scaRequired)
    }

    @Test("Removing a payee who is not on the list is refused, and nothing is reported as done")
    func unknownPayee() async throws {
        let shop = try await TestShop.open(tokensLast: .minutes(30)) {
            $0.sca.policy.exemptions.trustedBeneficiaries = true
        }
        let payee = try Payee(name: "Anna Verna", account: "DE02120300000000202051")
        let distrust = try WalletOperation(type: .distrustPayee, payee: payee)
        let early = try await shop.ask(distrust, id: "early")
        #expect(early.refusal == .trustedPayeeNotFound)
        try await agreed(WalletOperation(type: .trustPayee, payee: payee), "trust", at: shop)
        // Of two consents that take the same payee off, the second one finds none.
        shop.server.clock.advance(by: .seconds(31))
        let first = try await shop.required(distrust, id: "first")
        try await shop.agree(to: first, id: "first")
        shop.server.clock.advance(by: .seconds(31))
        let second = try await shop.required(distrust, id: "second")
        try await shop.agree(to: second, id: "second")
        _ = try await shop.consume(distrust, event: first, id: "first").get()
        let refused = try await shop.consume(distrust, event: second, id: "second")
        #expect(refused.refusal == .trustedPayeeNotFound)
    }

    @Test("attack: consent to show account information to one backend opens it to another")
    func informationConsentOfAnotherBackend() async throws {
        let balance = try WalletOperation(type: WalletOperationType("BALANCE"))
        let shop = try await TestShop.open(tokensLast: .minutes(30)) {
            $0.sca.policy.exemptions.accountInformation = [balance.type]
        }
        let other = try await shop.server.confidentialClient("other-shop")
        try await agreed(balance, "first", at: shop)
        let own = try await shop.ask(balance, id: "own").get()
        #expect(own.exemption == .accountInformation)
        let elsewhere = try await shop.ask(balance, id: "elsewhere", as: other).get()
        #expect(elsewhere.status == .scaRequired)
    }

    @Test("A series begins by a consent, and its payments pass by amount and payee")
    func series() async throws {
        let shop = try await TestShop.open { $0.sca.policy.exemptions.recurringPayments = true }
        let rent = try TestShop.transfer(800_00, type: "BEGIN_SERIES")
        let grounds = ExemptionGrounds(series: try WalletOperationID("rent"))
        let early = try await shop.ask(TestShop.transfer(800_00), id: "early", grounds: grounds).get()
        #expect(early.status == .scaRequired)
        let event = try await shop.required(rent, id: "rent")
        let begun = try await shop.ask(TestShop.transfer(800_00), id: "begun", grounds: grounds).get()
        #expect(begun.status == .scaRequired)
        try await shop.agree(to: event, id: "rent")
        _ = try await shop.consume(rent, event: event, id: "rent").get()
        let first = try await shop.ask(TestShop.transfer(800_00), id: "first", grounds: grounds).get()
        #expect(first.exemption == .recurring)
        let more = try await shop.ask(TestShop.transfer(800_01), id: "more", grounds: grounds).get()
        #expect(more.status == .scaRequired)
    }

    @Test(
        "The person ends a series without a consent: its payments need one again, even those that were already exempt")
    func endedSeries() async throws {
        let shop = try await TestShop.open { $0.sca.policy.exemptions.recurringPayments = true }
        let rent = try TestShop.transfer(800_00, type: "BEGIN_SERIES")
        let payment = try TestShop.transfer(800_00)
        let grounds = ExemptionGrounds(series: try WalletOperationID("rent"))
        let end = try WalletOperation(endingSeries: WalletOperationID("rent"))
        let early = try await shop.ask(end, id: "early")
        #expect(early.refusal == .seriesNotFound)
        let event = try await shop.required(rent, id: "rent")
        try await shop.agree(to: event, id: "rent")
        _ = try await shop.consume(rent, event: event, id: "rent").get()
        for id in ["one", "two"] {
            let passed = try await shop.ask(payment, id: id, grounds: grounds).get()
            #expect(passed.exemption == .recurring)
        }
        _ = try await shop.consume(payment, event: nil, id: "one").get()

        let asked = try await shop.ask(end, id: "end").get()
        #expect(asked.status == .exempt)
        #expect(asked.exemption == nil)
        // Asked for alone it ends nothing.
        let still = try await shop.ask(payment, id: "still", grounds: grounds).get()
        #expect(still.exemption == .recurring)
        _ = try await shop.consume(end, event: nil, id: "end").get()
        let after = try await shop.ask(payment, id: "after", grounds: grounds).get()
        #expect(after.status == .scaRequired)
        let second = try await shop.consume(payment, event: nil, id: "two")
        #expect(second.refusal == .seriesEnded)
        let evidence = try await shop.verifiedEvidence("end")
        #expect(evidence.status == .authorized)
        let audited = try await shop.server.context.database.read { connection in
            try connection.query("SELECT details FROM security_events WHERE kind = 'operation.authorized'", [])
                .map { try $0.text("details") }
        }
        #expect(audited.contains { $0.contains("END_SERIES") })
    }

    @Test("attack: another person, and another backend, end no series of this one", .threat("Exemptions that add up"))
    func whoseSeries() async throws {
        let shop = try await TestShop.open { $0.sca.policy.exemptions.recurringPayments = true }
        let rent = try TestShop.transfer(800_00, type: "BEGIN_SERIES")
        let event = try await shop.required(rent, id: "rent")
        try await shop.agree(to: event, id: "rent")
        _ = try await shop.consume(rent, event: event, id: "rent").get()
        let end = try WalletOperation(endingSeries: WalletOperationID("rent"))
        let other = try await shop.server.confidentialClient("other-shop")
        let elsewhere = try await shop.ask(end, id: "elsewhere", as: other)
        #expect(elsewhere.refusal == .seriesNotFound)
        let bob = try await shop.server.account("bob")
        let bobs = TestShop(
            server: shop.server, client: shop.client, account: bob,
            device: try await TestDevice.signedIn(bob, shop.device.app.client))
        let foreign = try await bobs.ask(end, id: "bobs")
        #expect(foreign.refusal == .seriesNotFound)
    }

    @Test(
        "attack: the 101st trusted payee is refused before it is agreed to; one already on the list takes no second place"
    )
    func fullList() async throws {
        let shop = try await TestShop.open { $0.sca.policy.exemptions.trustedBeneficiaries = true }
        func trust(_ number: Int) throws -> WalletOperation {
            try WalletOperation(type: .trustPayee, payee: Payee(name: "Payee \(number)", account: "DE\(number)"))
        }
        func fill(_ numbers: ClosedRange<Int>) async throws {
            let context = shop.server.context
            let vault = OperationVault(context.sealing)
            let account = try #require(UniqueID(bytes: shop.account.bytes))
            let now = shop.server.clock.now()
            let client = shop.client.id.rawValue
            let rows = try numbers.map { number in
                let id = try context.random.uniqueID()
                return (id, try vault.seal(payee: Payee(name: "Payee \(number)", account: "DE\(number)"), id: id))
            }
            try await context.database.write { connection in
                for (id, sealed) in rows {
                    _ = try TrustedPayees.add(sealed, id: id, of: account, client: client, now: now, on: connection)
                }
            }
        }
        try await fill(1...99)
        let last = try await shop.required(trust(100), id: "last")
        try await shop.agree(to: last, id: "last")
        try await fill(101...101)
        let refused = try await shop.consume(trust(100), event: last, id: "last")
        #expect(refused.refusal == .trustedPayeesFull)
        let more = try await shop.ask(trust(102), id: "more")
        #expect(more.refusal == .trustedPayeesFull)
        shop.server.clock.advance(by: .seconds(31))
        let again = try await shop.required(trust(7), id: "again")
        try await shop.agree(to: again, id: "again")
        _ = try await shop.consume(trust(7), event: again, id: "again").get()
        let rows = try await shop.server.rows(of: "trusted_payees")
        #expect(rows == 100)
    }

    @Test("The operator's own rule requires a recent and strong enough sign-in, and a trusted device")
    func ownRule() async throws {
        let show = try WalletOperation(type: WalletOperationType("SHOW_CARD"))
        func shop(_ rule: SCAPolicy.Rule, methods: [String] = ["pwd"]) async throws -> TestShop {
            try await TestShop.open(methods: methods) { $0.sca.policy.rules = [show.type: rule] }
        }
        let lately = try await shop(.init(maximumSignInAge: .minutes(2)))
        let early = try await lately.ask(show, id: "early").get()
        #expect(early.status == .exempt)
        #expect(early.exemption == nil)
        lately.server.clock.advance(by: .minutes(3))
        let late = try await lately.ask(show, id: "late").get()
        #expect(late.status == .scaRequired)
        #expect(late.findings.first?.reason == "The operator's rule requires a sign-in within the last 120 seconds.")

        let strong = SCAPolicy.Rule(needsTwoFactors: true)
        for (methods, status) in [(["pwd"], WalletOperationStatus.scaRequired), (["pwd", "otp"], .exempt)] {
            let response = try await shop(strong, methods: methods).ask(show).get()
            #expect(response.status == status)
        }

        let trusted = SCAPolicy.Rule(needsTrustedDevice: true)
        let anywhere = try await shop(trusted).ask(show).get()
        #expect(anywhere.status == .scaRequired)
        for (isSettled, status) in [(false, WalletOperationStatus.scaRequired), (true, .exempt)] {
            let setting = try await TestPINShop.open(pastCooling: isSettled) {
                $0.sca.policy.rules = [show.type: trusted]
            }
            let response = try await setting.shop.ask(show).get()
            #expect(response.status == status)
        }
    }

    @Test("Every decision is in the audit log, with the exemption and without amount or payee")
    func audited() async throws {
        let shop = try await lowValueShop()
        _ = try await shop.ask(TestShop.transfer(1_00), id: "small").get()
        _ = try await shop.ask(TestShop.transfer(), id: "large").get()
        let events = try await shop.server.context.database.read { connection in
            try connection.query("SELECT kind, details FROM security_events WHERE kind LIKE 'operation.%'", [])
                .map { (try $0.text("kind"), try $0.text("details")) }
        }
        #expect(Set(events.map(\.0)) == ["operation.exempted", "operation.sca_required"])
        #expect(events.contains { $0.1.contains("LOW_VALUE") })
        #expect(!events.contains { $0.1.contains("Anna") })
    }
}
