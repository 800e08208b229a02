import AuthFoundation
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
