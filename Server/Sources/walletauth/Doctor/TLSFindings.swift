import AuthFoundation
import AuthHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks how long the certificate remains valid.
enum TLSFindings {
    /// Certificates are due for renewal in the last third of their life: 30 of the usual 90 days.
    private static let notice: TimeInterval = 30 * 86_400

    static func of(_ configuration: ServerConfiguration, now: Date = Date()) -> [Finding] {
        guard let tls = configuration.tls else {
            guard configuration.environment == .production else { return [] }
            // The configuration's faults already report that there is neither TLS nor a proxy.
            return configuration.trustedProxies.isEmpty ? [] : [.ok("tls", "a trusted proxy ends TLS")]
        }
        // The configuration's faults already name unreadable files.
        guard let expiry = tls.expiry else { return [] }
        if expiry <= now {
            return [
                .fail(
                    "tls", "the certificate expired on \(expiry.day)", "Renew it; the server reloads it by itself")
            ]
        }
        if expiry.timeIntervalSince(now) < notice {
            return [
                .warn(
                    "tls", "the certificate expires on \(expiry.day)", "Renew it; the server reloads it by itself")
            ]
        }
        return [.ok("tls", "the certificate is valid until \(expiry.day)")]
    }
}
