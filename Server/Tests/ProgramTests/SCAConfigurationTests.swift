import Core
import Kernel
import Testing
import WalletAuthWire

@testable import walletauth

@Suite("Configuration of strong customer authentication")
struct SCAConfigurationTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("With nothing configured every operation needs consent, and evidence is kept for thirteen months and more")
    func defaults() async throws {
        let (configuration, faults) = try await folder.read([])
        #expect(faults.isEmpty)
        #expect(configuration.sca == SCASettings())
        #expect(configuration.sca.policy.rules.isEmpty)
        #expect(configuration.sca.policy.exemptions == ExemptionSettings())
        #expect(configuration.sca.evidenceRetention >= SCALimits.shortestRetention)
    }

    @Test("A file can switch each exemption on, with its limits")
    func everything() async throws {
        let file = try folder.write(
            """
            sca:
              unchallenged:
                - SHOW_CARD_DESIGN
                - DONATE_POINTS 5.00 EUR
                - SHOW_CARD_NUMBER signed-in 10m two-factors trusted-device
                - SHOW_PIN trusted-device 1 EUR
              idleLimit: 2m
              evidenceRetention: 3650d
              exemptions:
                accountInformation:
                  types: SHOW_BALANCE, SHOW_TRANSACTIONS
                  interval: 90d
                trustedBeneficiaries: true
                recurringPayments: true
                ownAccounts: true
                lowValue:
                  single: 25.50 EUR
                  cumulative: 90 EUR
                  count: 3
                riskAnalysis:
                  instrument: card
                  fraudRate: 0.06%

            """, to: "c.yaml")
        let (configuration, faults) = try await folder.read(["--config", file])
        #expect(faults == [])
        func euro(_ cents: Int64) throws -> Money { try Money(minorUnits: cents, currency: .euro) }
        func type(_ word: String) throws -> WalletOperationType { try WalletOperationType(word) }
        let exemptions = ExemptionSettings(
            accountInformation: [try type("SHOW_BALANCE"), try type("SHOW_TRANSACTIONS")],
            accountInformationInterval: .days(90), trustedBeneficiaries: true, recurringPayments: true,
            ownAccounts: true,
            lowValue: try .init(single: euro(25_50), cumulative: euro(90_00), count: 3),
            riskAnalysis: .init(instrument: .card, fraudRate: 600))
        let rules: [WalletOperationType: SCAPolicy.Rule] = [
            try type("SHOW_CARD_DESIGN"): .init(), try type("DONATE_POINTS"): .init(maximumAmount: try euro(5_00)),
            try type("SHOW_CARD_NUMBER"): .init(
                maximumSignInAge: .minutes(10), needsTwoFactors: true, needsTrustedDevice: true),
            try type("SHOW_PIN"): .init(maximumAmount: try euro(1_00), needsTrustedDevice: true),
        ]
        let policy = SCAPolicy(rules: rules, exemptions: exemptions, idleLimit: .minutes(2))
        #expect(configuration.sca == SCASettings(policy: policy, evidenceRetention: .days(3650)))
    }

    @Test("A first amount switches low values on, with the limits of article 16")
    func lowValueDefaults() async throws {
        let (configuration, faults) = try await folder.read(["--sca-exemptions-low-value-single", "30.00 EUR"])
        #expect(faults == [])
        let limits = try #require(configuration.sca.policy.exemptions.lowValue)
        #expect(limits.cumulative.words == "100.00 EUR")
        #expect(limits.count == 5)
    }

    @Test(
        "What the RTS or PSD2 does not allow is refused at start, with its article",
        arguments: [
            (["--sca-exemptions-low-value-single", "30.01 EUR"], "RTS article 16"),
            (["--sca-exemptions-low-value-single", "30.00 GBP"], "RTS article 16"),
            (
                ["--sca-exemptions-low-value-single", "1 EUR", "--sca-exemptions-low-value-cumulative", "100.01 EUR"],
                "RTS article 16"
            ),
            (
                ["--sca-exemptions-low-value-single", "1 EUR", "--sca-exemptions-low-value-count", "6"],
                "RTS article 16"
            ),
            (
                [
                    "--sca-exemptions-risk-analysis-instrument", "card", "--sca-exemptions-risk-analysis-fraud-rate",
                    "0.1301%",
                ], "RTS article 18"
            ),
            (
                [
                    "--sca-exemptions-risk-analysis-instrument", "credit_transfer",
                    "--sca-exemptions-risk-analysis-fraud-rate", "0.0151 %",
                ], "RTS article 18"
            ),
            (["--sca-idle-limit", "301s"], "RTS article 4(3)(d)"),
            (["--sca-evidence-retention", "396d"], "PSD2 article 71"),
            (["--sca-unchallenged", "SHOW_CARD,TRUST_PAYEE"], "RTS article 13(1)"),
            (["--sca-unchallenged", "DISTRUST_PAYEE"], "RTS article 13(1)"),
            (["--sca-unchallenged", "BEGIN_SERIES 1 EUR"], "RTS article 14(1)"),
            (["--sca-exemptions-account-information-types", "BEGIN_SERIES"], "RTS article 14(1)"),
            (
                [
                    "--sca-exemptions-account-information-types", "BALANCE",
                    "--sca-exemptions-account-information-interval", "181d",
                ], "RTS article 10(2)(b)"
            ),
            (
                ["--sca-exemptions-account-information-types", "BALANCE", "--sca-unchallenged", "BALANCE"],
                "RTS article 10(2)"
            ),
        ] as [([String], String)])
    func refused(arguments: [String], article: String) async throws {
        let (configuration, faults) = try await folder.read(arguments)
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.allSatisfy { $0.line.contains(article) && !$0.remedy.isEmpty }, "\(faults)")
        #expect(configuration.sca.policy.exemptions.lowValue == nil)
        #expect(configuration.sca.policy.exemptions.riskAnalysis == nil)
        #expect(try await folder.read(arguments, for: .administering).faults.isEmpty)
    }

    @Test(
        "What is half said, said twice or spelled wrongly is refused, and nothing is switched on by it",
        arguments: [
            ["--sca-exemptions-low-value-count", "3"], ["--sca-exemptions-low-value-cumulative", "90 EUR"],
            ["--sca-exemptions-low-value-single", "30"], ["--sca-exemptions-low-value-single", "30.0 EUR"],
            ["--sca-exemptions-low-value-single", "-1 EUR"], ["--sca-exemptions-low-value-single", "1e1 EUR"],
            ["--sca-exemptions-low-value-single", "30,00 EUR"], ["--sca-exemptions-low-value-single", ".50 EUR"],
            ["--sca-exemptions-risk-analysis-instrument", "card"],
            ["--sca-exemptions-risk-analysis-fraud-rate", "0.01%"],
            [
                "--sca-exemptions-risk-analysis-instrument", "card", "--sca-exemptions-risk-analysis-fraud-rate",
                "0.0001",
            ],
            [
                "--sca-exemptions-risk-analysis-instrument", "cash", "--sca-exemptions-risk-analysis-fraud-rate",
                "0.1%",
            ],
            ["--sca-exemptions-account-information-interval", "90d"], ["--sca-exemptions-own-accounts", "yes"],
            ["--sca-exemptions-trusted-beneficiaries", "TRUE"], ["--sca-unchallenged", "SHOW CARD"],
            ["--sca-unchallenged", "SHOW_CARD,SHOW_CARD 1 EUR"], ["--sca-unchallenged", ","],
            ["--sca-unchallenged", "SHOW_CARD signed-in"], ["--sca-unchallenged", "SHOW_CARD signed-in 10"],
            ["--sca-unchallenged", "SHOW_CARD signed-in 91d"], ["--sca-unchallenged", "SHOW_CARD two_factors"],
            ["--sca-unchallenged", "SHOW_CARD two-factors two-factors"],
            ["--sca-unchallenged", "SHOW_CARD 1 EUR 2 EUR"],
            ["--sca-exemptions-account-information-types", "A,A"], ["--sca-idle-limit", "300"],
        ])
    func faults(arguments: [String]) async throws {
        let (configuration, faults) = try await folder.read(arguments)
        #expect(faults.count == 1, "\(faults)")
        #expect(configuration.sca == SCASettings())
    }

    @Test(
        "A fault in a rule names the kind, the part of it that is wrong, and what would be right",
        arguments: [
            ("SHOW signed-in", "after SHOW, signed-in needs a time from 10s to 90d"),
            ("SHOW signed-in two-factors", "after SHOW, signed-in needs a time from 10s to 90d"),
            ("SHOW signed-in 91d", "signed-in needs a time with its unit, from 10s to 90d, not \"91d\""),
            ("SHOW signed-in 10m signed-in 5m", "after SHOW, signed-in appears twice"),
            ("SHOW two-factors two-factors", "two-factors appears twice"),
            ("PEEK, SHOW trusted-device trusted-device", "after SHOW, trusted-device appears twice"),
            ("SHOW two-factor", "\"two-factor\" is not signed-in, two-factors or trusted-device"),
            ("SHOW 2fa", "\"2fa\" is not signed-in, two-factors or trusted-device"),
            ("SHOW 5,00 EUR", "\"5\" is not an amount with its currency"),
            ("SHOW 5", "\"5\" is not an amount with its currency"),
            ("SHOW 5 euro", "\"5 euro\" is not an amount with its currency"),
            ("SHOW 1 EUR 2 EUR", "after SHOW, there are two amounts"),
        ] as [(String, String)])
    func namesTheWrongPart(rules: String, told: String) async throws {
        let (configuration, faults) = try await folder.read(["--sca-unchallenged", rules])
        #expect(faults.count == 1, "\(faults)")
        #expect(faults.first?.remedy.contains(told) == true, "\(faults)")
        #expect(configuration.sca == SCASettings())
    }

    @Test(
        "A fraud rate is a percentage, kept in parts per million and shown as it was",
        arguments: [
            ("0.005%", 50, "0.005 %"), ("0.06 %", 600, "0.06 %"), ("0%", 0, "0 %"), ("1.5%", 15_000, "1.5 %"),
            ("100%", 1_000_000, "100 %"),
        ] as [(String, Int64, String)])
    func rates(text: String, rate: Int64, shown: String) throws {
        #expect(try SettingTypes.fraudRate(text) == rate)
        #expect(rate.percent == shown)
        for wrong in ["", "%", "0.%", ".1%", "-0.1%", "0.00001%", "0.1", "1,5%", "0.1.1%", "1000%"] {
            #expect(throws: InvalidValue.self, "\(wrong)") { try SettingTypes.fraudRate(wrong) }
        }
    }

    @Test("Amounts have the decimals of their currency, or none")
    func amounts() throws {
        #expect(try SettingTypes.money("12.50 EUR").words == "12.50 EUR")
        #expect(try SettingTypes.money("12 EUR").minorUnits == 1200)
        #expect(try SettingTypes.money("1250 JPY").minorUnits == 1250)
        #expect(throws: InvalidValue.self) { try SettingTypes.money("12.50 JPY") }
        #expect(try SettingTypes.money("0.001 KWD").minorUnits == 1)
    }

    @Test("The doctor says what passes without consent, and warns where it may move money")
    func doctor() async throws {
        func findings(_ arguments: [String]) async throws -> [Finding] {
            await Doctor(flags: try folder.flags(arguments), environment: [:]).examine().filter { $0.subject == "sca" }
        }
        #expect(try await findings([]) == [.ok("sca", "every wallet operation needs the person's consent")])
        let some = try await findings([
            "--sca-unchallenged",
            "SHOW_CARD,DONATE 5 EUR,SHOW_NUMBER signed-in 10m two-factors trusted-device",
            "--sca-exemptions-low-value-single", "20 EUR",
            "--sca-exemptions-risk-analysis-instrument", "credit_transfer",
            "--sca-exemptions-risk-analysis-fraud-rate", "0.01%", "--sca-exemptions-account-information-types",
            "BALANCE", "--sca-exemptions-own-accounts", "true", "--sca-exemptions-recurring-payments", "true",
            "--sca-exemptions-trusted-beneficiaries", "true",
        ])
        #expect(some.map(\.status) == [.warn] + Array(repeating: .ok, count: 8))
        let text = some.map(\.detail).joined(separator: "\n")
        for part in [
            "DONATE passes without consent up to 5.00 EUR", "SHOW_CARD passes without consent while it moves no money,",
            "SHOW_NUMBER passes without consent while it moves no money, within 600 s of the sign-in, after a sign-in with two"
                + " factors, on an enrolled device past its cooling period, as you configured",
            "article 10: BALANCE passes for 180 days", "article 13", "article 14", "article 15",
            "article 16: payments up to 20.00 EUR pass, at most 5 in a row and 100.00 EUR together",
            "article 18: low-risk payments pass up to EUR 250, at a fraud rate of 0.01 %",
        ] {
            #expect(text.contains(part), "missing: \(part)")
        }
    }
}
