import Kernel
import WalletAuthWire

/// The configuration of strong customer authentication. A setting that the RTS does not allow is a fault that names the
/// article.
extension SCASettings {
    static func configured(in text: ConfiguredText, faults: inout [Fault]) -> SCASettings {
        let rules = text.value(of: Settings.unchallenged, faults: &faults) ?? [:]
        let information = text.value(of: Settings.accountInformationTypes, faults: &faults) ?? []
        let interval = text.value(of: Settings.accountInformationInterval, faults: &faults)
        if text.isGiven(Settings.accountInformationInterval), !text.isGiven(Settings.accountInformationTypes) {
            faults.append(
                .missing(Settings.accountInformationTypes, besides: Settings.accountInformationInterval, in: text))
        }
        for type in information.sorted(by: { $0.rawValue < $1.rawValue }) where rules[type] != nil {
            faults.add(
                "\(type) appears in \(text.origin(of: Settings.unchallenged)) as well, and would never need "
                    + "the consent that RTS article 10(2) starts with",
                "Keep it in \(Settings.unchallenged.name) or \(Settings.accountInformationTypes.name), not both")
        }
        let exemptions = ExemptionSettings(
            accountInformation: information,
            accountInformationInterval: information.isEmpty
                ? Settings.accountInformationInterval.defaultValue : interval,
            trustedBeneficiaries: text.value(of: Settings.trustedBeneficiaries, faults: &faults),
            recurringPayments: text.value(of: Settings.recurringPayments, faults: &faults),
            ownAccounts: text.value(of: Settings.ownAccounts, faults: &faults),
            lowValue: lowValue(in: text, faults: &faults), riskAnalysis: riskAnalysis(in: text, faults: &faults))
        return SCASettings(
            policy: SCAPolicy(
                rules: rules, exemptions: exemptions, idleLimit: text.value(of: Settings.idleLimit, faults: &faults)),
            evidenceRetention: text.value(of: Settings.evidenceRetention, faults: &faults))
    }

    private static func lowValue(in text: ConfiguredText, faults: inout [Fault]) -> ExemptionSettings.LowValue? {
        let single = text.value(of: Settings.lowValueSingle, faults: &faults)
        let cumulative = text.value(of: Settings.lowValueCumulative, faults: &faults)
        let count = text.value(of: Settings.lowValueCount, faults: &faults)
        let limits: [any DeclaredSetting] = [Settings.lowValueCumulative, Settings.lowValueCount]
        if !text.isGiven(Settings.lowValueSingle), let lonely = limits.first(where: { text.isGiven($0) }) {
            faults.append(.missing(Settings.lowValueSingle, besides: lonely, in: text))
        }
        guard let single else { return nil }
        do throws(MalformedValue) {
            let highest = ExemptionSettings.LowValue.highestCumulative
            let limit = if let cumulative { cumulative } else { try Money(minorUnits: highest, currency: .euro) }
            return try ExemptionSettings.LowValue(single: single, cumulative: limit, count: count)
        } catch {
            let setting: any DeclaredSetting =
                switch error.field {
                case "cumulative": Settings.lowValueCumulative
                case "count": Settings.lowValueCount
                default: Settings.lowValueSingle
                }
            faults.add(
                "\(text.origin(of: setting)) \(error.reason)",
                "Lower it, or leave \(Settings.lowValueSingle.name) out: then each payment needs consent")
            return nil
        }
    }

    private static func riskAnalysis(
        in text: ConfiguredText, faults: inout [Fault]
    ) -> ExemptionSettings.RiskAnalysis? {
        let instrument = text.value(of: Settings.riskAnalysisInstrument, faults: &faults)
        let rate = text.value(of: Settings.riskAnalysisFraudRate, faults: &faults)
        faults += text.halves(
            (Settings.riskAnalysisInstrument, text.isGiven(Settings.riskAnalysisInstrument)),
            (Settings.riskAnalysisFraudRate, text.isGiven(Settings.riskAnalysisFraudRate)))
        guard let instrument, let rate else { return nil }
        let analysis = ExemptionSettings.RiskAnalysis(instrument: instrument, fraudRate: rate)
        guard analysis.threshold != nil else {
            faults.add(
                "\(text.origin(of: Settings.riskAnalysisFraudRate)) is above \(instrument.highestFraudRate.percent),"
                    + " the highest fraud rate that RTS article 18 and its annex allow the exemption with",
                "Leave both settings of riskAnalysis out until the rate is lower")
            return nil
        }
        return analysis
    }
}

extension Int64 {
    /// Parts per million as a percentage: 600 is `0.06 %`.
    var percent: String {
        let decimals = String(self % 10_000 + 10_000).dropFirst()
        let kept = decimals.reversed().drop { $0 == "0" }.reversed()
        return "\(self / 10_000)" + (kept.isEmpty ? "" : ".\(String(kept))") + " %"
    }
}
