import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Testing
import WalletAuthWire

@Suite("Exemptions over HTTP")
struct ExemptionHTTPTests {
    /// What an answer says of one exemption.
    private struct Found: Hashable {
        let article: Int64?
        let isGranted: Bool
    }

    /// A shop at a server with exemptions switched on, its phone's device trusted at once.
    private func withShop(
        _ adjust: (inout SCAPolicy) throws -> Void, _ body: @Sendable (ShopOverHTTP) async throws -> Void
    ) async throws {
        var policy = SCAPolicy()
        try adjust(&policy)
        let set = policy
        try await TestServer.use(settings: {
            $0.sca.policy = set
            $0.devices.coolingPeriod = .zero
        }) { server in
            try await server.serve { client in try await body(ShopOverHTTP.open(server, client)) }
        }
    }

    /// An operation's JSON.
    private static func operation(
        _ cents: Int64?, type: String = "TRANSFER", to account: String? = "DE02", grounds: String? = nil
    ) -> String {
        var members = [#""type":"\#(type)""#]
        if let cents { members.append(#""amount":{"value":"\#(cents)","currency":"EUR"}"#) }
        if let account { members.append(#""payee":{"name":"Anna","account":"\#(account)"}"#) }
        if let grounds { members.append(#""exemptionGrounds":{\#(grounds)}"#) }
        return members.joined(separator: ",")
    }

    /// Asks, and says what came of it: nil where consent is needed, else by what it passes.
    private func ask(
        _ shop: ShopOverHTTP, _ id: String, _ operation: String
    ) async throws -> (exemption: String?, findings: [Found]) {
        let answer = try await shop.call(.post, "/v1/wallet-operations", shop.request(id, operation))
        try #require(answer.status == .created, "\(answer.text)")
        let told = try WalletOperationResponse(answer.json)
        #expect((told.status == .exempt) == (told.eventID == nil))
        #expect(told.findings.allSatisfy { !$0.reason.isEmpty })
        return (
            told.status == .exempt ? told.exemption?.rawValue ?? "RULE" : nil,
            told.findings.map { Found(article: $0.exemption.map { Int64($0.article) }, isGranted: $0.isGranted) }
        )
    }

    /// Agrees to an operation by a code, and carries it out.
    private func agree(_ shop: ShopOverHTTP, _ id: String, _ operation: String) async throws {
        let answer = try await shop.call(.post, "/v1/wallet-operations", shop.request(id, operation))
        let event = try #require(try answer.member("eventId"), "\(answer.text)")
        let challenged = try await shop.challenge(event, id: id)
        try #require(challenged.status == .ok, "\(challenged.text)")
        let verified = try await shop.attempt(shop.code(), event, id: id)
        try #require(try verified.member("status") == "VERIFIED", "\(verified.text)")
        let used = try await shop.call(
            .post, "/v1/wallet-operations/\(id)/consume", #"{"eventId":"\#(event)",\#(operation)}"#)
        try #require(used.status == .ok, "\(used.text)")
    }

    /// What the audit log says of operations that passed without consent.
    private func audited(_ shop: ShopOverHTTP) async throws -> [String] {
        let events = await shop.phone.server.server.administration.execute(
            ["audit", "tail", "--kind", "operation.exempted", "--limit", "100"])
        return events.lines.filter { $0.contains("operation.exempted") }
    }

    @Test("Off by default: nothing passes, whatever the backend claims, and nothing is said to have been weighed")
    func off() async throws {
        try await withShop({ _ in }) { shop in
            let claimed = Self.operation(1, grounds: #""ownAccount":true,"riskAnalysis":"LOW","series":"rent""#)
            let told = try await ask(shop, "op-1", claimed)
            #expect(told.exemption == nil)
            #expect(told.findings == [])
        }
    }

    @Test("The operator's own list: a kind that moves no money passes, one with an amount up to it")
    func ownList() async throws {
        try await withShop({ policy in
            policy.rules = [
                try WalletOperationType("SHOW_CARD"): .init(),
                try WalletOperationType("DONATE"): .init(
                    maximumAmount: try Money(minorUnits: 5_00, currency: .euro)),
            ]
        }) { shop in
            let granted = Found(article: nil, isGranted: true)
            let denied = Found(article: nil, isGranted: false)
            let shown = try await ask(shop, "show", Self.operation(nil, type: "SHOW_CARD", to: nil))
            #expect(shown.exemption == "RULE")
            #expect(shown.findings == [granted])
            let paid = try await ask(shop, "paid", Self.operation(1, type: "SHOW_CARD"))
            #expect(paid.exemption == nil)
            #expect(paid.findings == [denied])
            let little = try await ask(shop, "little", Self.operation(5_00, type: "DONATE"))
            #expect(little.exemption == "RULE")
            let much = try await ask(shop, "much", Self.operation(5_01, type: "DONATE"))
            #expect(much.exemption == nil)
            let other = try await ask(shop, "other", Self.operation(1))
            #expect(other.exemption == nil)
            #expect(other.findings == [])
            #expect(try await audited(shop).count == 2)
        }
    }

    @Test("Article 10: account information, once the person has agreed to see it")
    func accountInformation() async throws {
        try await withShop({ $0.exemptions.accountInformation = [try WalletOperationType("BALANCE")] }) { shop in
            let look = Self.operation(nil, type: "BALANCE", to: nil)
            let first = try await ask(shop, "first", look)
            #expect(first.exemption == nil)
            #expect(first.findings == [Found(article: 10, isGranted: false)])
            try await agree(shop, "first", look)
            let second = try await ask(shop, "second", look)
            #expect(second.exemption == "ACCOUNT_INFORMATION")
            #expect(second.findings == [Found(article: 10, isGranted: true)])
            let payment = try await ask(shop, "third", Self.operation(1, type: "BALANCE"))
            #expect(payment.exemption == nil)
            #expect(try await audited(shop).count == 1)
        }
    }

    @Test("Article 13: a payee that the person put on their list, and no other")
    func trustedBeneficiary() async throws {
        try await withShop({ $0.exemptions.trustedBeneficiaries = true }) { shop in
            #expect(try await ask(shop, "before", Self.operation(900_00)).exemption == nil)
            try await agree(shop, "trust", Self.operation(nil, type: "TRUST_PAYEE"))
            let after = try await ask(shop, "after", Self.operation(900_00))
            #expect(after.exemption == "TRUSTED_BENEFICIARY")
            #expect(after.findings == [Found(article: 13, isGranted: true)])
            let other = try await ask(shop, "other", Self.operation(1, to: "DE03"))
            #expect(other.findings == [Found(article: 13, isGranted: false)])
            #expect(other.exemption == nil)
            #expect(try await audited(shop).count == 1)
        }
    }

    @Test("Article 14: the payments of a series that the person began, to the cent")
    func recurring() async throws {
        try await withShop({ $0.exemptions.recurringPayments = true }) { shop in
            let grounds = #""series":"rent""#
            let early = try await ask(shop, "early", Self.operation(800_00, grounds: grounds))
            #expect(early.findings == [Found(article: 14, isGranted: false)])
            try await agree(shop, "rent", Self.operation(800_00, type: "BEGIN_SERIES"))
            let next = try await ask(shop, "next", Self.operation(800_00, grounds: grounds))
            #expect(next.exemption == "RECURRING")
            #expect(next.findings == [Found(article: 14, isGranted: true)])
            #expect(try await ask(shop, "more", Self.operation(800_01, grounds: grounds)).exemption == nil)
            #expect(try await ask(shop, "other", Self.operation(800_00)).exemption == nil)
            #expect(try await audited(shop).count == 1)
        }
    }

    @Test("Article 15: between the person's own accounts, where the backend vouches for it")
    func ownAccounts() async throws {
        try await withShop({ $0.exemptions.ownAccounts = true }) { shop in
            let own = try await ask(shop, "own", Self.operation(900_00, grounds: #""ownAccount":true"#))
            #expect(own.exemption == "OWN_ACCOUNT")
            #expect(own.findings == [Found(article: 15, isGranted: true)])
            let other = try await ask(shop, "other", Self.operation(900_00))
            #expect(other.exemption == nil)
            #expect(other.findings == [Found(article: 15, isGranted: false)])
            #expect(try await audited(shop).count == 1)
        }
    }

    @Test("Article 16: low values, until they are too many; a consent resets the count")
    func lowValue() async throws {
        try await withShop({ policy in
            policy.exemptions.lowValue = try .init(
                single: Money(minorUnits: 30_00, currency: .euro),
                cumulative: Money(minorUnits: 50_00, currency: .euro), count: 5)
        }) { shop in
            let first = try await ask(shop, "first", Self.operation(30_00))
            #expect(first.exemption == "LOW_VALUE")
            #expect(first.findings == [Found(article: 16, isGranted: true)])
            #expect(try await ask(shop, "large", Self.operation(30_01)).exemption == nil)
            let together = try await ask(shop, "together", Self.operation(20_01))
            #expect(together.exemption == nil)
            #expect(together.findings == [Found(article: 16, isGranted: false)])
            try await agree(shop, "together", Self.operation(20_01))
            #expect(try await ask(shop, "anew", Self.operation(20_01)).exemption == "LOW_VALUE")
            // Carried out now, what had passed before the consent is one of those since it, and they would be too much.
            let late = try await shop.call(
                .post, "/v1/wallet-operations/first/consume", "{\(Self.operation(30_00))}")
            #expect(late.status == .conflict, "\(late.text)")
            #expect(try late.member("code") == "exemption_over")
            #expect(try await audited(shop).count == 2)
        }
    }

    @Test("Article 18: a low risk by the backend's analysis, up to what the fraud rate allows, from an enrolled device")
    func riskAnalysis() async throws {
        try await withShop({ $0.exemptions.riskAnalysis = .init(instrument: .card, fraudRate: 600) }) { shop in
            let low = #""riskAnalysis":"LOW""#
            let granted = try await ask(shop, "low", Self.operation(250_00, grounds: low))
            #expect(granted.exemption == "RISK_ANALYSIS")
            #expect(granted.findings == [Found(article: 18, isGranted: true)])
            let above = try await ask(shop, "above", Self.operation(250_01, grounds: low))
            #expect(above.exemption == nil)
            #expect(above.findings == [Found(article: 18, isGranted: false)])
            #expect(try await ask(shop, "unknown", Self.operation(1)).exemption == nil)
            let exempted = try await audited(shop)
            #expect(exempted.count == 1)
            #expect(exempted.allSatisfy { $0.contains("RISK_ANALYSIS") && !$0.contains("Anna") }, "\(exempted)")
        }
    }

    @Test(
        "The idle limit: what the sign-in proved counts no more once it is over",
        arguments: [
            // The code by e-mail is possession; the password that the sign-in proved is the other category.
            (.minutes(5), [.email]), (.zero, []),
        ] as [(Duration, [SCAVerification])])
    func idle(limit: Duration, ways: [SCAVerification]) async throws {
        try await withShop({ $0.idleLimit = limit }) { shop in
            let answer = try await shop.call(.post, "/v1/wallet-operations", shop.request())
            let told = try WalletOperationResponse(answer.json)
            #expect(told.availableVerifications.map(\.verification) == ways)
        }
    }
}
