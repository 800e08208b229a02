import HTTP
import Kernel
import WalletAuthWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks that the certificate is for the issuer's host, who issued it, and how long it remains valid.
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
            findings += host(of: certificate, configuration).map { [$0] } ?? []
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

    /// What is wrong with the certificate's names; nil if it is for the issuer's host, or no issuer is configured.
    private static func host(of certificate: ServedCertificate, _ configuration: ServerConfiguration) -> Finding? {
        guard let host = configuration.issuer?.host, !certificate.covers(host) else { return nil }
        // A shared certificate may have a hundred.
        let (shown, more) = (certificate.names.prefix(3), certificate.names.count - 3)
        let names = shown.isEmpty ? "no host" : shown.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        let detail = "the certificate names \(names), not the issuer's host \(host)"
        guard configuration.trustedProxies.isEmpty else {
            return .warn("tls", detail, "Check that the trusted proxy accepts it, and has one for \(host) itself")
        }
        return .fail("tls", detail, "Use one for \(host); the server reloads it by itself")
    }
}
