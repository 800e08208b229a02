internal import Core
internal import Crypto
internal import Kernel
internal import WalletAuthWire
internal import X509

/// Verifies what an Android phone says about a key in its hardware.
struct AndroidKeyAttestation: Sendable {
    let roots: AttestationRoots
    /// The serial numbers of certificates that count no more, in lower-case hexadecimal without leading zeros.
    let revoked: Set<String>
    let apps: [AndroidApp]

    /// A verified key.
    struct Verified: Sendable {
        let app: AppAttestation
        /// Whether hardware lets the key sign only after it has recognized its holder, each time.
        let recognizesHolder: Bool
    }

    /// Verifies the attestation of a key.
    /// - Parameters:
    ///   - certificates: the chain in DER, the key's own certificate first.
    ///   - key: the key that must be attested: the two coordinates of P-256.
    ///   - challenge: what the app had the platform attest.
    func verified(
        _ certificates: [[UInt8]], of key: [UInt8], over challenge: [UInt8], now: Timestamp
    ) async throws(AttestationFault) -> Verified {
        let chain = try await CertificateChain(certificates, to: roots, now: now)
        guard ([chain.leaf] + chain.issuers).allSatisfy({ !revoked.contains(Self.serial(of: $0)) }) else {
            throw .revoked
        }
        // An app may have the phone certify a key with which it then issues certificates itself.
        guard chain.issuers.allSatisfy({ $0.extensions[oid: AndroidKeyDescription.oid] == nil }),
            let found = chain.leaf.extensions[oid: AndroidKeyDescription.oid],
            let description = try? AndroidKeyDescription(found.value)
        else { throw .malformed }
        guard let attested = chain.key else { throw .unsuitableKey }
        guard Array(attested.rawRepresentation) == key else { throw .wrongKey }
        guard ConstantTime.equal(description.challenge, challenge) else { throw .wrongChallenge }
        let level: AppAttestation.KeyLevel
        switch (description.attestationLevel, description.keyLevel) {
        case (.software, _), (_, .software): throw .notHardware
        case (.strongBox, .strongBox): level = .strongBox
        default: level = .trustedEnvironment
        }
        let hardware = description.hardware
        guard let root = hardware.rootOfTrust, root.isLocked, root.isVerified else { throw .unverifiedBoot }
        // Signing (2), perhaps also verifying (3); elliptic curves (3), P-256 (1); generated in the hardware (0).
        guard hardware.purposes.contains(2), hardware.purposes.isSubset(of: [2, 3]), hardware.algorithm == 3,
            hardware.curve == 1, hardware.origin == 0
        else { throw .unsuitableKey }
        guard let application = description.application,
            let app = apps.first(where: {
                application.packages.contains($0.name) && application.signatureDigests.contains($0.certificate)
            })
        else { throw .wrongApp }
        // A fingerprint or face (2) and no passcode (1), which another person may know.
        let checks = hardware.holderChecks ?? 0
        return Verified(
            app: AppAttestation(
                platform: .android, environment: .production, app: app.name, keyLevel: level,
                attestedAt: NumericDate(clamping: now.seconds)),
            recognizesHolder: !hardware.needsNoOne && checks & 2 != 0 && checks & 1 == 0
                && hardware.checkLifetime == nil)
    }

    /// As in Google's list of revoked certificates.
    private static func serial(of certificate: Certificate) -> String {
        let digits = certificate.serialNumber.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return String(digits.drop { $0 == "0" })
    }
}
