import Core
import Kernel
import Testing
import WalletAuthWire

@Suite("Which operations need consent")
struct SCAPolicyTests {
    private let now = Timestamp(seconds: 1_800_000_000)

    private func euro(_ cents: Int64) throws -> Money { try Money(minorUnits: cents, currency: .euro) }

    private func transfer(_ cents: Int64, type: String = "TRANSFER", payee: String = "Anna") throws -> WalletOperation {
        try WalletOperation(
            type: WalletOperationType(type), amount: euro(cents),
            payee: Payee(name: payee, account: "DE02120300000000202051"))
    }

    private func session(
        methods: [String] = ["pwd"], age: Duration = .seconds(30), isOnTrustedDevice: Bool = true
    ) -> OperationSession {
        OperationSession(
            methods: methods, authTime: now - age, countsUntil: now - age + .minutes(5),
            isOnTrustedDevice: isOnTrustedDevice)
    }

    private func lowValue() throws -> ExemptionSettings {
        ExemptionSettings(lowValue: try .init(single: euro(30_00), cumulative: euro(100_00), count: 5))
    }

    private func exemption(
        _ settings: ExemptionSettings, _ operation: WalletOperation, grounds: ExemptionGrounds = ExemptionGrounds(),
        session: OperationSession? = nil, history: ExemptionHistory = ExemptionHistory()
    ) -> SCAExemption? {
        let decision = SCAPolicy(exemptions: settings).decide(
            operation, grounds: grounds, session: session ?? self.session(), history: history, now: now)
        guard case .exempt(let exemption, _) = decision else { return nil }
        return exemption
    }

    @Test("With nothing switched on, every operation needs consent, whatever the backend claims")
    func nothingOn() throws {
        let decision = SCAPolicy().decide(
            try transfer(1), grounds: ExemptionGrounds(isOwnAccount: true, isLowRisk: true), session: session(),
            history: ExemptionHistory(isTrustedBeneficiary: true), now: now)
        #expect(decision == .required([]))
    }

    @Test(
        "Article 16: up to 30 EUR, five in a row, 100 EUR together",
        arguments: [
            (30_00, 0, 0, true), (30_01, 0, 0, false), (30_00, 70_00, 4, true), (30_00, 70_01, 4, false),
            (1, 0, 5, false),
        ] as [(Int64, Int64, Int64, Bool)])
    func lowValues(amount: Int64, sum: Int64, count: Int64, passes: Bool) throws {
        let history = ExemptionHistory(lowValueSum: sum, lowValueCount: count)
        #expect(try exemption(lowValue(), transfer(amount), history: history) == (passes ? .lowValue : nil))
    }

    @Test("Article 16 is for euros, and for payments alone")
    func lowValueForms() throws {
        let pounds = try WalletOperation(
            type: WalletOperationType("TRANSFER"), amount: Money(minorUnits: 1, currency: Currency("GBP")),
            payee: Payee(name: "Anna", account: "1"))
        #expect(try exemption(lowValue(), pounds) == nil)
        let alone = try WalletOperation(type: WalletOperationType("LIMIT"), amount: euro(1))
        #expect(try exemption(lowValue(), alone) == nil)
        #expect(try exemption(lowValue(), transfer(1, type: "TRUST_PAYEE")) == nil)
        #expect(try exemption(lowValue(), transfer(1, type: "BEGIN_SERIES")) == nil)
    }

    @Test("Limits beyond those of article 16 are refused")
    func tooHighLimits() throws {
        #expect(throws: MalformedValue.self) {
            try ExemptionSettings.LowValue(single: euro(30_01), cumulative: euro(100_00), count: 5)
        }
        #expect(throws: MalformedValue.self) {
            try ExemptionSettings.LowValue(single: euro(30_00), cumulative: euro(100_01), count: 5)
        }
        #expect(throws: MalformedValue.self) {
            try ExemptionSettings.LowValue(single: euro(30_00), cumulative: euro(100_00), count: 6)
        }
    }

    @Test(
        "Article 18: the annex's bands, by what people pay with",
        arguments: [
            (.card, 100, 500_00), (.card, 101, 250_00), (.card, 600, 250_00), (.card, 1300, 100_00), (.card, 1301, nil),
            (.creditTransfer, 50, 500_00), (.creditTransfer, 100, 250_00), (.creditTransfer, 150, 100_00),
            (.creditTransfer, 151, nil), (.card, -1, nil),
        ] as [(ExemptionSettings.RiskAnalysis.Instrument, Int64, Int64?)])
    func bands(instrument: ExemptionSettings.RiskAnalysis.Instrument, rate: Int64, threshold: Int64?) throws {
        let analysis = ExemptionSettings.RiskAnalysis(instrument: instrument, fraudRate: rate)
        #expect(analysis.threshold == threshold)
        let settings = ExemptionSettings(riskAnalysis: analysis)
        let low = ExemptionGrounds(isLowRisk: true)
        guard let threshold else {
            #expect(try exemption(settings, transfer(1), grounds: low) == nil)
            return
        }
        #expect(try exemption(settings, transfer(threshold), grounds: low) == .riskAnalysis)
        #expect(try exemption(settings, transfer(threshold + 1), grounds: low) == nil)
        #expect(try exemption(settings, transfer(threshold)) == nil)
        #expect(
            try exemption(settings, transfer(threshold), grounds: low, session: session(isOnTrustedDevice: false))
                == nil)
    }

    @Test("Article 13: a trusted beneficiary, and making one is not itself exempt")
    func trustedBeneficiary() throws {
        let settings = ExemptionSettings(trustedBeneficiaries: true)
        let trusted = ExemptionHistory(isTrustedBeneficiary: true)
        #expect(try exemption(settings, transfer(900_000), history: trusted) == .trustedBeneficiary)
        #expect(try exemption(settings, transfer(900_000)) == nil)
        #expect(try exemption(settings, transfer(1, type: "TRUST_PAYEE"), history: trusted) == nil)
    }

    @Test("Each exemption for payments says what a transfer without payee or amount lacks")
    func incompletePayments() throws {
        let settings = ExemptionSettings(
            trustedBeneficiaries: true, recurringPayments: true, ownAccounts: true, lowValue: try lowValue().lowValue)
        let transfer = try WalletOperationType("TRANSFER")
        let payee = try Payee(name: "Anna", account: "DE02120300000000202051")
        for (operation, lack) in [
            (try WalletOperation(type: transfer, amount: euro(1)), "It names no payee"),
            (try WalletOperation(type: transfer, payee: payee), "It names no amount"),
            (try WalletOperation(type: transfer), "It names neither an amount nor a payee"),
        ] {
            let findings = SCAPolicy(exemptions: settings).decide(
                operation, grounds: ExemptionGrounds(isOwnAccount: true), session: session(),
                history: ExemptionHistory(isTrustedBeneficiary: true), now: now
            ).findings
            #expect(findings.count == 4)
            #expect(findings.allSatisfy { !$0.isGranted && $0.reason.hasPrefix(lack) }, "\(findings)")
        }
    }

    @Test("Article 14: a series that the person began, by its amount and payee to the cent")
    func series() throws {
        let settings = ExemptionSettings(recurringPayments: true)
        let grounds = ExemptionGrounds(series: try WalletOperationID("rent"))
        let history = ExemptionHistory(series: .init(amount: try euro(800_00), isSamePayee: true))
        #expect(try exemption(settings, transfer(800_00), grounds: grounds, history: history) == .recurring)
        #expect(try exemption(settings, transfer(800_01), grounds: grounds, history: history) == nil)
        #expect(try exemption(settings, transfer(800_00), history: history) == nil)
        #expect(try exemption(settings, transfer(800_00), grounds: grounds) == nil)
        let other = ExemptionHistory(series: .init(amount: try euro(800_00), isSamePayee: false))
        #expect(try exemption(settings, transfer(800_00), grounds: grounds, history: other) == nil)
    }

    @Test("Article 15: between accounts of one person, if the backend vouches for it")
    func ownAccount() throws {
        let settings = ExemptionSettings(ownAccounts: true)
        let own = ExemptionGrounds(isOwnAccount: true)
        #expect(try exemption(settings, transfer(900_000), grounds: own) == .ownAccount)
        #expect(try exemption(settings, transfer(900_000)) == nil)
        #expect(try exemption(settings, transfer(1, type: "TRUST_PAYEE"), grounds: own) == nil)
    }

    @Test("Article 10: account information for 180 days after a consent, and nothing that moves money")
    func accountInformation() throws {
        let balance = try WalletOperationType("BALANCE")
        let settings = ExemptionSettings(accountInformation: [balance])
        let look = try WalletOperation(type: balance)
        #expect(exemption(settings, look) == nil)
        let recent = ExemptionHistory(informationConsentAt: now - .days(179))
        #expect(exemption(settings, look, history: recent) == .accountInformation)
        let old = ExemptionHistory(informationConsentAt: now - .days(180))
        #expect(exemption(settings, look, history: old) == nil)
        #expect(
            exemption(settings, try WalletOperation(type: balance, amount: euro(1)), history: recent) == nil)
    }

    @Test("An exemption that uses nothing up is taken before the one for low values")
    func order() throws {
        var settings = try lowValue()
        settings.trustedBeneficiaries = true
        let history = ExemptionHistory(isTrustedBeneficiary: true)
        #expect(try exemption(settings, transfer(1_00), history: history) == .trustedBeneficiary)
    }

    @Test("The finding about each exemption is reported, granted or not")
    func findings() throws {
        var settings = try lowValue()
        settings.ownAccounts = true
        let decision = SCAPolicy(exemptions: settings).decide(
            try transfer(31_00), grounds: ExemptionGrounds(), session: session(), history: ExemptionHistory(), now: now)
        #expect(decision.findings.map(\.exemption) == [.ownAccount, .lowValue])
        #expect(decision.findings.allSatisfy { !$0.isGranted && !$0.reason.isEmpty })
        #expect(decision.findings.last?.reason == "The amount is above 30.00 EUR.")
    }

    @Test("The operator's own rule lets its kind pass where all that it asks for holds")
    func rules() throws {
        let show = try WalletOperationType("SHOW_CARD")
        let policy = SCAPolicy(rules: [
            show: .init(maximumSignInAge: .minutes(10), needsTwoFactors: true, needsTrustedDevice: true)
        ])
        let operation = try WalletOperation(type: show)
        func passes(_ session: OperationSession) -> Bool {
            let decision = policy.decide(
                operation, grounds: ExemptionGrounds(), session: session, history: ExemptionHistory(), now: now)
            if case .exempt(nil, _) = decision { return true }
            return false
        }
        let two = ["pwd", "otp"]
        #expect(passes(session(methods: two)))
        #expect(!passes(session()))
        #expect(!passes(session(methods: two, age: .minutes(11))))
        #expect(!passes(session(methods: two, isOnTrustedDevice: false)))
        #expect(passes(session(methods: two, age: .seconds(-30))))
    }

    @Test(
        "attack: a clock that was set back makes a sign-in of hours ago one of the last ten minutes (operator's own rule)",
        .threat("Clocks, disks and crashes")
    )
    func ruleAfterClockSetBack() throws {
        let show = try WalletOperationType("SHOW_CARD")
        let decision = SCAPolicy(rules: [show: .init(maximumSignInAge: .minutes(10))]).decide(
            try WalletOperation(type: show), grounds: ExemptionGrounds(), session: session(age: .hours(-3)),
            history: ExemptionHistory(), now: now)
        guard case .required = decision else {
            Issue.record("it passed: \(decision)")
            return
        }
    }

    @Test("The operator's own rule moves no money but up to its amount, and never amends a list or begins a series")
    func rulesAndMoney() throws {
        let type = try WalletOperationType("DONATE")
        func passes(_ operation: WalletOperation, _ rule: SCAPolicy.Rule) -> Bool {
            let decision = SCAPolicy(rules: [operation.type: rule]).decide(
                operation, grounds: ExemptionGrounds(), session: session(), history: ExemptionHistory(), now: now)
            if case .exempt(nil, _) = decision { return true }
            return false
        }
        let limited = SCAPolicy.Rule(maximumAmount: try euro(5_00))
        let pounds = try WalletOperation(type: type, amount: Money(minorUnits: 1, currency: Currency("GBP")))
        #expect(try passes(WalletOperation(type: type), .init()))
        #expect(try !passes(WalletOperation(type: type, amount: euro(1)), .init()))
        #expect(try passes(WalletOperation(type: type, amount: euro(5_00)), limited))
        #expect(try passes(WalletOperation(type: type), limited))
        #expect(try !passes(WalletOperation(type: type, amount: euro(5_01)), limited))
        #expect(!passes(pounds, limited))
        for type in [WalletOperationType.trustPayee, .distrustPayee, .beginSeries] {
            #expect(try !passes(WalletOperation(type: type), .init()))
        }
    }

    @Test(
        "To end a series needs no consent, whatever is switched on; with an amount or a payee it ends none")
    func endOfSeries() throws {
        func decide(_ operation: WalletOperation) -> SCAPolicy.Decision {
            SCAPolicy().decide(
                operation, grounds: ExemptionGrounds(), session: session(), history: ExemptionHistory(), now: now)
        }
        let outcome = decide(try WalletOperation(endingSeries: WalletOperationID("rent")))
        guard case .exempt(nil, let findings) = outcome else {
            Issue.record("it needs consent: \(String(describing: outcome))")
            return
        }
        #expect(findings.map(\.isGranted) == [true])
        for operation in [
            try WalletOperation(type: .endSeries, amount: euro(1), details: ["series": "rent"]),
            try WalletOperation(
                type: .endSeries, payee: Payee(name: "Anna", account: "DE02"), details: ["series": "rent"]),
            try WalletOperation(type: .endSeries), try WalletOperation(type: .endSeries, details: ["series": "a b"]),
        ] {
            let found = decide(operation)
            guard case .required = found else {
                Issue.record("it passes: \(String(describing: found))")
                continue
            }
        }
    }

    @Test("What a sign-in proved counts while the session is not idle")
    func idle() {
        #expect(session(age: .minutes(5)).methods(at: now) == ["pwd"])
        #expect(session(age: .seconds(301)).methods(at: now).isEmpty)
    }

    @Test("However much is done, a sign-in counts for an hour and no longer, nor from before it was there")
    func longest() {
        var session = self.session(age: .hours(1))
        session.countsUntil = now + .minutes(5)
        #expect(session.methods(at: now) == ["pwd"])
        #expect(session.methods(at: now + .milliseconds(1)).isEmpty)
        #expect(session.methods(at: now - .days(1)).isEmpty)
    }

    @Test("A session counts from its sign-in; a session that starts by an old sign-in does not restart the count")
    func counting() {
        let policy = SCAPolicy(idleLimit: .minutes(5))
        #expect(policy.counting(from: now, at: now + .minutes(2)) == now + .minutes(7))
        #expect(policy.counting(from: now, at: now + .minutes(5)) == now + .minutes(10))
        #expect(policy.counting(from: now, at: now + .seconds(301)) == now + .minutes(5))
        #expect(policy.counting(from: now, at: now + .hours(6)) == now + .minutes(5))
    }

    @Test("attack: after a recovery by the mailbox no exemption applies but article 10, and no rule that moves money")
    func recoveredLately() throws {
        var session = self.session()
        session.isRecoveredLately = true
        let show = try WalletOperationType("SHOW_BALANCE")
        let donate = try WalletOperationType("DONATE")
        let policy = SCAPolicy(
            rules: [donate: .init(maximumAmount: try euro(5_00))],
            exemptions: ExemptionSettings(
                accountInformation: [show], trustedBeneficiaries: true, recurringPayments: true, ownAccounts: true,
                lowValue: try lowValue().lowValue,
                riskAnalysis: .init(instrument: .creditTransfer, fraudRate: 50)))
        let history = ExemptionHistory(
            informationConsentAt: now - .days(1), isTrustedBeneficiary: true,
            series: .init(amount: try euro(1_00), isSamePayee: true))
        let grounds = ExemptionGrounds(
            isOwnAccount: true, series: try WalletOperationID("rent"), isLowRisk: true)
        func decide(_ operation: WalletOperation) -> SCAPolicy.Decision {
            policy.decide(operation, grounds: grounds, session: session, history: history, now: now)
        }
        let answer = try decide(transfer(1_00))
        guard case .required(let findings) = answer else {
            Issue.record("it passed: \(String(describing: answer))")
            return
        }
        #expect(findings.count == 6)
        let outcome = try decide(WalletOperation(type: show))
        guard case .exempt(.accountInformation, _) = outcome else {
            Issue.record("account information was asked for: \(String(describing: outcome))")
            return
        }
        guard case .required = try decide(WalletOperation(type: donate, amount: euro(1_00))),
            case .exempt(nil, _) = try decide(WalletOperation(type: donate))
        else {
            Issue.record("the rule moved money, or nothing at all")
            return
        }
    }

    @Test("Article 10: a consent that lies ahead, from a clock that was wrong, is none")
    func informationAhead() throws {
        let show = try WalletOperationType("SHOW_BALANCE")
        let settings = ExemptionSettings(accountInformation: [show])
        func passes(_ at: Timestamp) throws -> Bool {
            try exemption(
                settings, WalletOperation(type: show), history: ExemptionHistory(informationConsentAt: at)) != nil
        }
        #expect(try passes(now))
        #expect(try passes(now + .minutes(1)))
        #expect(try !passes(now + .minutes(1) + .milliseconds(1)))
        #expect(try !passes(now + .days(2)))
    }

    @Test(
        "Amounts in words have the digits of their currency",
        arguments: [
            ("EUR", 1250, "12.50 EUR"), ("EUR", 5, "0.05 EUR"), ("JPY", 1250, "1250 JPY"), ("KWD", 1, "0.001 KWD"),
        ] as [(String, Int64, String)])
    func words(currency: String, units: Int64, text: String) throws {
        #expect(try Money(minorUnits: units, currency: Currency(currency)).words == text)
    }
}
