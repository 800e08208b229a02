import HTTP
import Kernel
import WalletAuthWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks that the certificate is for the hosts at which the server is reached, who issued it, and how long it remains valid.
enum TLSFindings {
    /// Certificates are due for renewal in the last third of their life: 30 of the usual 90 days.
    private static let notice: TimeInterval = 30 * 86_400
    private static let renewal = "Renew it; the server reloads it by itself"

    static func of(_ configuration: ServerConfiguration, now: Date = Date()) -> [Finding] {
        guard let tls = configuration.tls else {
            guard configuration.environment == .production else { return [] }
            // The configuration's faults already report that there is neither TLS nor a proxy.
            return configuration.trustedProxies.isEmpty ? [] : [.ok("tls", "a trusted proxy terminates TLS")]
        }
        // The configuration's faults already name unreadable files.
        guard let expiry = tls.expiry else { return [] }
        var findings: [Finding] = []
        if let certificate = tls.certificate {
            findings += otherHosts(than: certificate, configuration)
            // The sandbox is often tried with a certificate of one's own.
            if certificate.isSelfSigned, configuration.environment == .production {
                findings.append(
                    .warn(
                        "tls", "the certificate is self-signed, so apps and browsers refuse it",
                        "Use one of an authority that they trust; the server reloads it by itself"))
            }
        }
        if expiry <= now {
            findings.append(.fail("tls", "the certificate expired on \(expiry.day)", renewal))
        } else if expiry.timeIntervalSince(now) < notice {
            findings.append(.warn("tls", "the certificate expires on \(expiry.day)", renewal))
        } else if findings.isEmpty {
            findings.append(.ok("tls", "the certificate is valid until \(expiry.day)"))
        }
        return findings
    }

    /// The hosts that clients know and the certificate does not name.
    private static func otherHosts(
        than certificate: ServedCertificate, _ configuration: ServerConfiguration
    ) -> [Finding] {
        // A shared certificate may have a hundred.
        let (shown, more) = (certificate.names.prefix(3), certificate.names.count - 3)
        let names = shown.isEmpty ? "no host" : shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        // Both listeners have the same certificate.
        var hosts = configuration.issuer.map { [(host: $0.host, role: "the issuer's host")] } ?? []
        if let host = configuration.adminOrigin?.host, !hosts.contains(where: { $0.host == host }) {
            hosts.append((host: host, role: "the host of \(Settings.adminOrigin.name)"))
        }
        return hosts.filter { !certificate.covers($0.host) }.map { host, role -> Finding in
            let detail = "the certificate names \(names), not \(role) \(host)"
            guard configuration.trustedProxies.isEmpty else {
                return .warn("tls", detail, "Check that the trusted proxy accepts it, and has one for \(host) itself")
            }
            return .fail("tls", detail, "Use one that names \(host); the server reloads it by itself")
        }
    }
}
