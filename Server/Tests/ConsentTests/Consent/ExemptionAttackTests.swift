import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations

@Suite("Attempts to pay without consent")
struct ExemptionAttackTests {
    private func lowValueShop() async throws -> TestShop {
        let limits = try ExemptionSettings.LowValue(
            single: TestShop.euro(30_00), cumulative: TestShop.euro(100_00), count: 5)
        return try await TestShop.open { $0.sca.policy.exemptions.lowValue = limits }
    }

    /// Sets what is counted of Ada.
    private func set(_ shop: TestShop, sum: Int64, count: Int64) async throws {
        let account = try #require(UniqueID(bytes: shop.account.bytes))
        try await shop.server.context.database.write { connection in
            try connection.execute("DELETE FROM sca_history WHERE account_id = $1", [.id(account)])
            try connection.execute(
                "INSERT INTO sca_history (account_id, low_value_sum, low_value_count) VALUES ($1, $2, $3)",
                [.id(account), .integer(sum), .integer(count)])
        }
    }

    @Test(
        "race: of two small payments at once, if only one stays below 100 EUR or five in a row, one passes",
        .threat("Exemptions that add up"),
        arguments: [(90_00, 3, 10_00), (99_99, 1, 1), (4, 4, 1)] as [(Int64, Int64, Int64)])
    func edge(sum: Int64, count: Int64, cents: Int64) async throws {
        let shop = try await lowValueShop()
        for round in 0..<40 {
            try await set(shop, sum: sum, count: count)
            let amount = try TestShop.transfer(cents)
            async let one = shop.ask(amount, id: "a-\(round)")
            async let two = shop.ask(amount, id: "b-\(round)")
            let statuses = [try await one.get().status, try await two.get().status]
            #expect(statuses.count { $0 == .exempt } == 1)
            #expect(statuses.count { $0 == .scaRequired } == 1)
            for id in ["a-\(round)", "b-\(round)"] {
                try await shop.server.flows.consent.operations.cancel(WalletOperationID(id), call: shop.call()).get()
            }
        }
    }

    @Test("attack: two backends at once do not get five each", .threat("Exemptions that add up"))
    func twoBackends() async throws {
        let shop = try await lowValueShop()
        let other = try await shop.server.confidentialClient("other-shop")
        var passed = 0
        for number in 0..<6 {
            let response = try await shop.ask(
                TestShop.transfer(1_00), id: "op-\(number)", as: number % 2 == 0 ? nil : other
            ).get()
            if response.status == .exempt { passed += 1 }
        }
        #expect(passed == 5)
    }

    @Test(
        "attack: small payments requested before a consent and carried out after it are counted on neither side",
        .threat("Exemptions that add up"))
    func aroundAConsent() async throws {
        let shop = try await lowValueShop()
        let small = try TestShop.transfer(20_00)
        for number in 1...5 {
            let response = try await shop.ask(small, id: "small-\(number)").get()
            #expect(response.exemption == .lowValue)
        }
        let large = try await shop.required(TestShop.transfer(), id: "large")
        try await shop.agree(to: large, id: "large")
        _ = try await shop.consume(TestShop.transfer(), event: large, id: "large").get()
        for number in 1...4 { _ = try await shop.consume(small, event: nil, id: "small-\(number)").get() }
        let fifth = try await shop.ask(TestShop.transfer(1), id: "fifth").get()
        #expect(fifth.exemption == .lowValue)
        let last = try await shop.consume(small, event: nil, id: "small-5")
        #expect(last.refusal == .exemptionOver)
        let next = try await shop.ask(TestShop.transfer(1), id: "next").get()
        #expect(next.status == .scaRequired)
    }

    @Test(
        "attack: small payments are requested on both sides of a consent, and all ten, 200 EUR, are carried out after it"
    )
    func onBothSidesOfAConsent() async throws {
        let shop = try await lowValueShop()
        let small = try TestShop.transfer(20_00)
        for number in 1...5 {
            let response = try await shop.ask(small, id: "before-\(number)").get()
            #expect(response.exemption == .lowValue)
        }
        let large = try await shop.required(TestShop.transfer(), id: "large")
        try await shop.agree(to: large, id: "large")
        _ = try await shop.consume(TestShop.transfer(), event: large, id: "large").get()
        for number in 1...5 {
            let response = try await shop.ask(small, id: "after-\(number)").get()
            #expect(response.exemption == .lowValue)
        }
        for number in 1...5 { _ = try await shop.consume(small, event: nil, id: "after-\(number)").get() }
        for number in 1...5 {
            let refused = try await shop.consume(small, event: nil, id: "before-\(number)")
            #expect(refused.refusal == .exemptionOver)
            let status = try await shop.status("before-\(number)")
            #expect(status == .exempt)
        }
        let anew = try await shop.ask(small, id: "anew").get()
        #expect(anew.status == .scaRequired)
    }

    @Test(
        "race: of thirty small payments, five from before each of six consents, five can be carried out after the last"
    )
    func beforeSixConsents() async throws {
        let shop = try await lowValueShop()
        let small = try TestShop.transfer(1_00)
        var ids: [String] = []
        for batch in 1...6 {
            for number in 1...5 {
                let id = "small-\(batch)-\(number)"
                let response = try await shop.ask(small, id: id).get()
                #expect(response.exemption == .lowValue)
                ids.append(id)
            }
            let large = try await shop.required(TestShop.transfer(), id: "large-\(batch)")
            try await shop.verifyDirectly(large)
            _ = try await shop.consume(TestShop.transfer(), event: large, id: "large-\(batch)").get()
        }
        let refusals = try await withThrowingTaskGroup(of: WalletOperationRefusal?.self) { group in
            for id in ids {
                group.addTask { try await shop.consume(small, event: nil, id: id).refusal }
            }
            return try await group.reduce(into: [WalletOperationRefusal?]()) { $0.append($1) }
        }
        #expect(refusals.count { $0 == nil } == 5)
        #expect(refusals.count { $0 == .exemptionOver } == 25)
    }

    @Test("attack: a small payment from before a consent is taken back after it, to make room for one more")
    func uncountedTwice() async throws {
        let shop = try await lowValueShop()
        let before = try await shop.ask(TestShop.transfer(30_00), id: "before").get()
        #expect(before.status == .exempt)
        let large = try await shop.required(TestShop.transfer(), id: "large")
        try await shop.agree(to: large, id: "large")
        _ = try await shop.consume(TestShop.transfer(), event: large, id: "large").get()
        for number in 1...5 {
            let response = try await shop.ask(TestShop.transfer(1), id: "small-\(number)").get()
            #expect(response.status == .exempt)
        }
        try await set(shop, adding: 30_00)
        try await shop.server.flows.consent.operations.cancel(WalletOperationID("before"), call: shop.call()).get()
        let sixth = try await shop.ask(TestShop.transfer(1), id: "small-6").get()
        #expect(sixth.status == .scaRequired)
    }

    /// As if the five had been larger, so that the sum alone does not keep the taking back from counting.
    private func set(_ shop: TestShop, adding cents: Int64) async throws {
        _ = try await shop.server.context.database.write {
            try $0.execute("UPDATE sca_history SET low_value_sum = low_value_sum + $1", [.integer(cents)])
        }
    }

    @Test(
        "attack: an unknown currency, another one than the limits', and none at all pass as no small payment")
    func currencies() async throws {
        let shop = try await lowValueShop()
        for (number, currency) in ["ZZZ", "USD", "XAU", "JPY"].enumerated() {
            let operation = try WalletOperation(
                type: WalletOperationType("TRANSFER"),
                amount: Money(minorUnits: 1, currency: Currency(recorded: currency)),
                payee: Payee(name: "Anna", account: "DE02"))
            let response = try await shop.ask(operation, id: "op-\(number)").get()
            #expect(response.status == .scaRequired)
        }
        let nothing = try WalletOperation(
            type: WalletOperationType("TRANSFER"), payee: Payee(name: "Anna", account: "DE02"))
        let response = try await shop.ask(nothing, id: "none").get()
        #expect(response.status == .scaRequired)
    }

    private func trusting() async throws -> (shop: TestShop, payee: Payee) {
        let shop = try await TestShop.open(tokensLast: .minutes(30)) {
            $0.sca.policy.exemptions.trustedBeneficiaries = true
        }
        return (shop, try Payee(name: "Zo\u{EB}", account: "DE02-Zo\u{EB}"))
    }

    private func isTrusted(_ payee: Payee, _ shop: TestShop, id: String, as client: TestClient? = nil) async throws
        -> Bool
    {
        let operation = try WalletOperation(
            type: WalletOperationType("TRANSFER"), amount: TestShop.euro(900_00), payee: payee)
        return try await shop.ask(operation, id: id, as: client).get().exemption == .trustedBeneficiary
    }

    @Test("attack: a payee is trusted by what was asked for and agreed to, and not carried out")
    func trustedTooEarly() async throws {
        let (shop, payee) = try await trusting()
        let trust = try WalletOperation(type: .trustPayee, payee: payee)
        let event = try await shop.required(trust, id: "trust")
        #expect(try await !isTrusted(payee, shop, id: "asked"))
        try await shop.agree(to: event, id: "trust")
        #expect(try await !isTrusted(payee, shop, id: "agreed"))
        _ = try await shop.consume(trust, event: event, id: "trust").get()
        #expect(try await isTrusted(payee, shop, id: "done"))
    }

    @Test("attack: a payee who is no longer trusted is still paid by an operation that was exempted while they were")
    func distrustedMeanwhile() async throws {
        let (shop, payee) = try await trusting()
        func carryOut(_ operation: WalletOperation, _ id: String) async throws {
            let event = try await shop.required(operation, id: id)
            try await shop.verifyDirectly(event)
            _ = try await shop.consume(operation, event: event, id: id).get()
        }
        let payment = try WalletOperation(
            type: WalletOperationType("TRANSFER"), amount: TestShop.euro(900_00), payee: payee)
        try await carryOut(WalletOperation(type: .trustPayee, payee: payee), "trust")
        #expect(try await isTrusted(payee, shop, id: "one"))
        #expect(try await isTrusted(payee, shop, id: "two"))
        _ = try await shop.consume(payment, event: nil, id: "one").get()
        try await carryOut(WalletOperation(type: .distrustPayee, payee: payee), "distrust")
        let refused = try await shop.consume(payment, event: nil, id: "two")
        #expect(refused.refusal == .exemptionOver)
        let status = try await shop.status("two")
        #expect(status == .exempt)
    }

    @Test("attack: consent to trust one payee is carried out for another")
    func anotherTrusted() async throws {
        let (shop, payee) = try await trusting()
        let event = try await shop.required(try WalletOperation(type: .trustPayee, payee: payee), id: "trust")
        try await shop.agree(to: event, id: "trust")
        let thief = try Payee(name: payee.name, account: "DE99")
        let swapped = try await shop.consume(
            WalletOperation(type: .trustPayee, payee: thief), event: event, id: "trust")
        #expect(swapped.refusal == .operationChanged)
        #expect(try await !isTrusted(thief, shop, id: "after"))
    }

    @Test(
        "attack: who one person trusts at one backend is not trusted by another person, elsewhere, or by another spelling"
    )
    func whoseTrust() async throws {
        let (shop, payee) = try await trusting()
        let trust = try WalletOperation(type: .trustPayee, payee: payee)
        let event = try await shop.required(trust, id: "trust")
        try await shop.agree(to: event, id: "trust")
        _ = try await shop.consume(trust, event: event, id: "trust").get()
        #expect(try await isTrusted(payee, shop, id: "own"))
        let other = try await shop.server.confidentialClient("other-shop")
        #expect(try await !isTrusted(payee, shop, id: "elsewhere", as: other))
        let bob = try await shop.server.account("bob")
        let bobs = TestShop(
            server: shop.server, client: shop.client, account: bob,
            device: try await TestDevice.signedIn(bob, shop.device.app.client))
        #expect(try await !isTrusted(payee, bobs, id: "bobs"))
        let spelled = try Payee(name: payee.name, account: "DE02-Zoe\u{308}")
        #expect(try await !isTrusted(spelled, shop, id: "spelled"))
    }

    @Test("attack: the sealed payee of one row is written into another")
    func movedRow() async throws {
        let (shop, payee) = try await trusting()
        let thief = try Payee(name: "Mallory", account: "DE99")
        for (number, one) in [payee, thief].enumerated() {
            let trust = try WalletOperation(type: .trustPayee, payee: one)
            let event = try await shop.required(trust, id: "trust-\(number)")
            try await shop.agree(to: event, id: "trust-\(number)")
            _ = try await shop.consume(trust, event: event, id: "trust-\(number)").get()
        }
        let rows = try await shop.server.context.database.read {
            try $0.query("SELECT id, sealed FROM trusted_payees ORDER BY id", [])
                .map { (try $0.id("id"), try $0.blob("sealed")) }
        }
        #expect(rows.count == 2)
        _ = try await shop.server.context.database.write { connection in
            try connection.execute(
                "UPDATE trusted_payees SET sealed = $1 WHERE id = $2", [.blob(rows[0].1), .id(rows[1].0)])
            try connection.execute(
                "UPDATE trusted_payees SET sealed = $1 WHERE id = $2", [.blob(rows[1].1), .id(rows[0].0)])
        }
        #expect(try await !isTrusted(payee, shop, id: "first"))
        #expect(try await !isTrusted(thief, shop, id: "second"))
    }
}
