import AuthFlows
import AuthHTTP
import NIOSSL

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TLSFiles {
    /// What is wrong with the files: a server that starts with TLS must be able to answer with it.
    ///
    /// An expired certificate is let through in the sandbox, where somebody may want to see what a client says of it.
    func faults(in environment: ServerSettings.Environment) -> [Fault] {
        var faults: [Fault] = []
        if let status = FileStatus(path: privateKey), status.mode & 0o007 != 0 {
            // A group is let through: certificate tools hand keys to servers by one (Debian's is called ssl-cert).
            faults.append(
                Fault(
                    problem: "the TLS key \(privateKey) has mode \(status.octalMode), so everybody can read it",
                    remedy: "chmod o= \(privateKey), and replace the key if others have accounts on this machine"))
        }
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificateChain)
            let key = try NIOSSLPrivateKey(file: privateKey, format: .pem)
            _ = try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key)))
            if environment == .production, let expiry = Self.expiry(of: chain), expiry <= Date() {
                faults.append(
                    Fault(
                        problem: "the TLS certificate \(certificateChain) expired on \(expiry.day)",
                        remedy: "Renew it"))
            }
        } catch {
            faults.append(
                Fault(
                    problem: "the TLS files \(certificateChain) and \(privateKey) cannot be used: "
                        + "\(error)".escapedForOneLine,
                    remedy: "Give a PEM certificate chain, leaf first, and the unencrypted PEM key that belongs to it"))
        }
        return faults
    }

    /// When the first certificate of the chain ends to be valid; nil where the file cannot be read.
    var expiry: Date? {
        (try? NIOSSLCertificate.fromPEMFile(certificateChain)).flatMap(Self.expiry)
    }

    private static func expiry(of chain: [NIOSSLCertificate]) -> Date? {
        chain.map { Date(timeIntervalSince1970: TimeInterval($0.notValidAfter)) }.min()
    }
}

extension Date {
    /// The day in UTC: `2026-03-01`.
    var day: String {
        String(formatted(.iso8601).prefix(10))
    }
}
