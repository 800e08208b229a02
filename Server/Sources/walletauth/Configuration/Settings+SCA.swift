import Core
import Kernel

/// The operator's choices in strong customer authentication. "RTS" is Delegated Regulation (EU) 2018/389.
extension Settings {
    static let unchallenged = Setting(
        "sca.unchallenged", type: "list of operations", fallback: "none",
        """
        Kinds of wallet operation that pass without the person's consent, because PSD2 article 97 does not cover them. \
        `SHOW_CARD_DESIGN` passes if it moves no money, `DONATE_POINTS 5.00 EUR` also up to that amount, and \
        `SHOW_CARD_NUMBER signed-in 10m two-factors trusted-device` within ten minutes of a sign-in with two factors, \
        on an enrolled device past its cooling period. Each of these three conditions is optional; signed-in accepts 10s \
        to 90d. TRUST_PAYEE, DISTRUST_PAYEE and BEGIN_SERIES always need consent.
        """, parse: SettingTypes.unchallenged)

    static let accountInformationTypes = Setting(
        "sca.exemptions.accountInformation.types", type: "list of operations", fallback: "none",
        """
        RTS article 10: kinds of operation that show only the balance or the transactions of the last 90 days. Once \
        the person has agreed to one of them, they pass until sca.exemptions.accountInformation.interval is over.
        """, parse: SettingTypes.operationTypes)

    static let accountInformationInterval = Setting(
        "sca.exemptions.accountInformation.interval", type: "duration", default: SCALimits.longestInformationInterval,
        """
        RTS article 10(2)(b): how long until the person has to agree again to see account information; at most 180 \
        days.
        """,
        parse: SettingTypes.duration(
            .hours(1)...SCALimits.longestInformationInterval, as: "1h to 180d, as RTS article 10(2)(b) requires"))

    static let trustedBeneficiaries = Setting(
        "sca.exemptions.trustedBeneficiaries", type: "true or false", default: false,
        """
        RTS article 13: payments pass to payees whom the person has put on their list by agreeing to a TRUST_PAYEE \
        operation.
        """, parse: SettingTypes.truth)

    static let recurringPayments = Setting(
        "sca.exemptions.recurringPayments", type: "true or false", default: false,
        """
        RTS article 14: the payments of a series, all of one amount to one payee, pass once the person has agreed to \
        it with a BEGIN_SERIES operation.
        """, parse: SettingTypes.truth)

    static let ownAccounts = Setting(
        "sca.exemptions.ownAccounts", type: "true or false", default: false,
        """
        RTS article 15: credit transfers pass between accounts of the same person at the same provider, as confirmed \
        by the backend.
        """, parse: SettingTypes.truth)

    static let lowValueSingle = Setting(
        "sca.exemptions.lowValue.single", type: "amount", fallback: "none: off",
        "RTS article 16(a): payments up to this amount pass, at most EUR 30. This setting turns the exemption on.",
        parse: SettingTypes.money)

    static let lowValueCumulative = Setting(
        "sca.exemptions.lowValue.cumulative", type: "amount",
        fallback: "\(ExemptionSettings.LowValue.highestCumulative / 100).00 EUR",
        "RTS article 16(b): the maximum total of such payments since the person's last consent, at most EUR 100.",
        parse: SettingTypes.money)

    static let lowValueCount = Setting(
        "sca.exemptions.lowValue.count", type: "number", default: ExemptionSettings.LowValue.highestCount,
        """
        RTS article 16(c): the maximum number of such payments since the person's last consent, at most 5. The article \
        requires one of the two limits; here both apply.
        """, parse: SettingTypes.integer(1...1_000_000))

    static let riskAnalysisInstrument = Setting(
        "sca.exemptions.riskAnalysis.instrument", type: "card or credit_transfer", fallback: "none: off",
        """
        RTS article 18: how people pay here, by remote card payments or remote credit transfers. Together with the \
        fraud rate, it lets payments from an enrolled device pass if the backend's own real-time analysis finds a low \
        risk.
        """, parse: SettingTypes.choice(ExemptionSettings.RiskAnalysis.Instrument.self))

    static let riskAnalysisFraudRate = Setting(
        "sca.exemptions.riskAnalysis.fraudRate", type: "percentage", fallback: "none: off",
        """
        RTS articles 18 and 19: the fraud rate of the last 90 days for these payments, such as `0.06%`, which you \
        calculate and keep current. Together with the annex, it determines the maximum amount: EUR 500 at 0.01 % for \
        cards (0.005 % for credit transfers), EUR 250 at 0.06 % (0.01 %), EUR 100 at 0.13 % (0.015 %). A higher rate \
        is refused.
        """, parse: SettingTypes.fraudRate)

    static let idleLimit = Setting(
        "sca.idleLimit", type: "duration", default: SCAPolicy().idleLimit,
        """
        RTS article 4(3)(d): how long a session may be inactive before its sign-in no longer counts toward a consent, \
        whatever happens later; at most 5 minutes. An hour after the sign-in it stops counting in any case.
        """,
        parse: SettingTypes.duration(
            .seconds(10)...SCALimits.longestIdleLimit, as: "10s to 5m, as RTS article 4(3)(d) requires"))

    static let evidenceRetention = Setting(
        "sca.evidenceRetention", type: "duration", default: SCASettings().evidenceRetention,
        """
        How long an operation and its consent are kept as evidence. A payer can contest a payment for 13 months (PSD2 \
        article 71), so less than 397 days is refused.
        """,
        parse: SettingTypes.duration(
            SCALimits.shortestRetention ... .days(3660),
            as: "397d to 3660d, since PSD2 article 71 gives payers 13 months"))

    static let sca: [any DeclaredSetting] = [
        unchallenged, accountInformationTypes, accountInformationInterval, trustedBeneficiaries, recurringPayments,
        ownAccounts, lowValueSingle, lowValueCumulative, lowValueCount, riskAnalysisInstrument, riskAnalysisFraudRate,
        idleLimit, evidenceRetention,
    ]
}
