internal import Core
internal import Crypto
internal import Foundation
internal import Kernel
internal import SwiftASN1
@_spi(FixedExpiryValidationTime) internal import X509

/// A chain that leads to a trusted root. Its first certificate is that of the attested key.
struct CertificateChain: Sendable {
    let leaf: Certificate
    /// The others as they were sent, perhaps with the root.
    let issuers: [Certificate]

    /// - Parameters:
    ///   - certificates: in DER, the attested key's first.
    ///   - now: each certificate must be valid then.
    init(_ certificates: [[UInt8]], to roots: AttestationRoots, now: Timestamp) async throws(AttestationFault) {
        guard (1...8).contains(certificates.count) else { throw .malformed }
        let parsed: [Certificate]
        do { parsed = try certificates.map { try Certificate(derEncoded: $0) } } catch { throw .malformed }
        // Issuers are looked up by name. Eight certificates of one name have thousands of paths, and each would be verified: one key can be
        // every other's issuer, and keys of RSA can be made that all verify one signature.
        guard Set(parsed.map(\.subject)).count == parsed.count else { throw .malformed }
        leaf = parsed[0]
        issuers = Array(parsed.dropFirst())
        // A leaf that is trusted as a root would need no chain.
        guard !roots.certificates.contains(leaf) else { throw .untrustedChain }
        var verifier = Verifier(rootCertificates: CertificateStore(roots.certificates)) {
            RFC5280Policy(
                fixedExpiryValidationTime: Date(timeIntervalSince1970: Double(now.milliseconds) / 1000))
        }
        let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore(issuers))
        guard case .validCertificate = result else { throw .untrustedChain }
    }

    /// The attested key; `nil` if it is not of P-256.
    var key: P256.Signing.PublicKey? { P256.Signing.PublicKey(leaf.publicKey) }
}
