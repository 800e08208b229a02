import AuthCore
import AuthFoundation
import WalletAuthWire

/// The configuration of strong customer authentication. A setting that the RTS does not allow is a fault that names the
/// article.
extension SCASettings {
    static func configured(in text: ConfiguredText, faults: inout [Fault]) -> SCASettings {
        let rules = text.value(of: Settings.unchallenged, faults: &faults) ?? [:]
        let information = text.value(of: Settings.accountInformation, faults: &faults) ?? []
        let (interval, longest) = (
            text.value(of: Settings.accountInformationInterval, faults: &faults), SCALimits.longestInformationInterval
        )
        if text.isGiven(Settings.accountInformationInterval), !text.isGiven(Settings.accountInformation) {
            faults.append(.missing(Settings.accountInformation, besides: Settings.accountInformationInterval, in: text))
        }
        for type in information.sorted(by: { $0.rawValue < $1.rawValue }) where rules[type] != nil {
            faults.append(
                Fault(
                    problem:
                        "\(type) appears in \(text.origin(of: Settings.unchallenged)) as well, and would never need "
                        + "the consent that RTS article 10(2) starts with",
                    remedy: "Keep it in \(Settings.unchallenged.name) or \(Settings.accountInformation.name), not both")
            )
        }
        let exemptions = ExemptionSettings(
            accountInformation: information,
            accountInformationInterval: information.isEmpty ? longest : interval ?? longest,
            trustedBeneficiaries: text.value(of: Settings.trustedBeneficiaries, faults: &faults) ?? false,
            recurringPayments: text.value(of: Settings.recurringPayments, faults: &faults) ?? false,
            ownAccounts: text.value(of: Settings.ownAccounts, faults: &faults) ?? false,
            lowValue: lowValue(in: text, faults: &faults), riskAnalysis: riskAnalysis(in: text, faults: &faults))
        let idleLimit = text.value(of: Settings.idleLimit, faults: &faults) ?? SCALimits.longestIdleLimit
        let policy = SCAPolicy(rules: rules, exemptions: exemptions, idleLimit: idleLimit)
        guard let retention = text.value(of: Settings.evidenceRetention, faults: &faults) else {
            return SCASettings(policy: policy)
        }
        return SCASettings(policy: policy, evidenceRetention: retention)
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
            let limit = if let cumulative { cumulative } else { try Money(minorUnits: 100_00, currency: .euro) }
            return try ExemptionSettings.LowValue(single: single, cumulative: limit, count: count ?? 5)
        } catch {
            let setting: any DeclaredSetting =
                switch error.field {
                case "cumulative": Settings.lowValueCumulative
                case "count": Settings.lowValueCount
                default: Settings.lowValueSingle
                }
            faults.append(
                Fault(
                    problem: "\(text.origin(of: setting)) \(error.reason)",
                    remedy: "Lower it, or leave \(Settings.lowValueSingle.name) out: then each payment needs consent"))
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
            faults.append(
                Fault(
                    problem:
                        "\(text.origin(of: Settings.riskAnalysisFraudRate)) is above \(instrument.highestFraudRate.percent),"
                        + " the highest fraud rate that RTS article 18 and its annex allow the exemption with",
                    remedy: "Leave both settings of riskAnalysis out until the rate is lower"))
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
