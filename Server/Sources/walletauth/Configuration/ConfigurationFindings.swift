import Core
import Kernel
import WalletAuthWire

/// Checks whether the server would start with this configuration.
enum ConfigurationFindings {
    static func of(_ configuration: ServerConfiguration, faults: [Fault]) -> [Finding] {
        var findings = faults.map { Finding.fail("configuration", $0.problem, $0.remedy) }
        if faults.isEmpty {
            let issuer = configuration.issuer.map { ", issuer \($0.rawValue)" } ?? ""
            findings.append(
                .ok(
                    "configuration",
                    "it is complete for \(configuration.environment == .production ? "production" : "the sandbox")\(issuer)"
                ))
        }
        if configuration.isPartial {
            findings.append(
                .warn("configuration", "nothing else was checked", "Fix the configuration, then run the doctor again"))
        }
        let variables = Settings.all.filter { $0.sources.contains(.environment) }.map(\.environmentVariable)
        findings += configuration.unknownVariables.map { variable in
            let suggestion = Spelling.correction(of: variable, among: variables).map { "Did you mean \($0)? " } ?? ""
            return Finding.warn(
                "configuration", "the variable \(variable) is not a setting",
                suggestion + "See `walletauth configuration` for the spelling")
        }
        return findings
    }
}

/// Lists everything that passes without the person's consent, so that an operator sees it in one place.
enum SCAFindings {
    static func of(_ configuration: ServerConfiguration) -> [Finding] {
        guard !configuration.isSCAFaulty else {
            return [
                .warn(
                    "sca", "cannot tell what would pass without consent, because the settings are invalid",
                    "Fix the configuration as reported")
            ]
        }
        let policy = configuration.sca.policy
        var findings = policy.rules.sorted { $0.key.rawValue < $1.key.rawValue }.map { type, rule -> Finding in
            let terms = terms(of: rule)
            guard let maximum = rule.maximumAmount else {
                return .ok("sca", "\(type) passes without consent while it moves no money\(terms), as you configured")
            }
            return .warn(
                "sca", "\(type) passes without consent up to \(maximum.words)\(terms), as you configured",
                "PSD2 article 97 requires SCA when a payment is initiated: make sure that this is not a payment")
        }
        findings += exemptions(policy.exemptions).map { .ok("sca", $0) }
        guard findings.isEmpty else { return findings }
        return [.ok("sca", "every wallet operation needs the person's consent")]
    }

    /// The conditions of a rule, in words; empty if it has none.
    private static func terms(of rule: SCAPolicy.Rule) -> String {
        var terms: [String] = []
        if let age = rule.maximumSignInAge { terms.append("within \(age.wholeSeconds) s of the sign-in") }
        if rule.needsTwoFactors { terms.append("after a sign-in with two factors") }
        if rule.needsTrustedDevice { terms.append("on an enrolled device past its cooling period") }
        return terms.map { ", \($0)" }.joined()
    }

    private static func exemptions(_ settings: ExemptionSettings) -> [String] {
        var lines: [String] = []
        if !settings.accountInformation.isEmpty {
            let types = settings.accountInformation.map(\.rawValue).sorted().joined(separator: ", ")
            let days = settings.accountInformationInterval.wholeSeconds / 86_400
            lines.append(
                "RTS article 10: \(types) \(settings.accountInformation.count == 1 ? "passes" : "pass") for"
                    + " \(days > 0 ? "\(days) days" : "less than a day") after the person agreed")
        }
        if settings.trustedBeneficiaries {
            lines.append("RTS article 13: payments to payees whom the person trusts pass")
        }
        if settings.recurringPayments {
            lines.append("RTS article 14: the payments of a series pass once the person has agreed to it")
        }
        if settings.ownAccounts {
            lines.append("RTS article 15: transfers between the person's own accounts pass, if the backend confirms it")
        }
        if let limits = settings.lowValue {
            lines.append(
                "RTS article 16: payments up to \(limits.single.words) pass, at most \(limits.count) in a row and"
                    + " \(limits.cumulative.words) together")
        }
        if let analysis = settings.riskAnalysis, let cents = analysis.threshold {
            lines.append(
                "RTS article 18: low-risk payments pass up to EUR \(cents / 100), at a fraud rate of"
                    + " \(analysis.fraudRate.percent)")
        }
        return lines
    }
}
