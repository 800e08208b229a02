import AuthCore
import AuthHTTP
import Logging
import WalletAuthWire

extension ServerConfiguration {
    /// Additional rules for production.
    var productionFaults: [Fault] {
        var faults: [Fault] = []
        if let issuer, issuer.isInsecure {
            faults.append(
                Fault(
                    problem:
                        "the issuer \(issuer.rawValue) is not https: tokens and passwords would travel unencrypted",
                    remedy: "Give the public https URL with \(Settings.issuer.flag)"))
        }
        if trustedProxies.contains(where: { $0.description.hasSuffix("/0") }) {
            faults.append(
                Fault(
                    problem:
                        "\(Settings.trustedProxies.name) trusts every address, so any client could forge its address",
                    remedy: "Name the proxies' own addresses or networks"))
        }
        if coolingPeriod < .hours(1) {
            faults.append(
                Fault(
                    problem:
                        """
                        \(Settings.coolingPeriod.name) is so short that a new device could pay before its owner reads \
                        about it
                        """,
                    remedy: "Give \(Settings.coolingPeriod.flag) 1h or more; 24h if omitted"))
        }
        if logLevel < .info {
            faults.append(
                Fault(
                    problem: "the log level \(logLevel.rawValue) is for debugging",
                    remedy: "Give \(Settings.logLevel.flag) info or a less verbose one"))
        }
        return faults
    }
}
