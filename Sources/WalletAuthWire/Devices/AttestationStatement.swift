import Crypto

/// What a platform says about the app that asks, in the platform's own format.
///
/// The platform signs ``challenge(for:nonce:thumbprint:)``. The statement itself says nothing before a server has verified it.
public struct AttestationStatement: WireRequest {
    /// The format of a statement.
    public enum Format: String, Hashable, Sendable, Codable, CaseIterable {
        /// The attestation object of Apple's App Attest.
        case appleAttestation = "apple-appattest"
        /// An assertion by an App Attest key that was attested before.
        case appleAssertion = "apple-appattest-assertion"
        /// Android's key attestation: the certificate chain of the key.
        case androidKey = "android-key"
    }

    /// The key that an app vouches for.
    public enum Use: String, Hashable, Sendable, CaseIterable {
        /// The key of a device.
        case device
        /// The key with which a device signs only after it has recognized its holder.
        case biometric
    }

    /// The largest object, and the largest certificate.
    public static let maximumBytes = 16_384
    /// The longest chain.
    public static let maximumCertificates = 8

    /// The format.
    public var format: Format
    /// The object of the two formats of Apple.
    public var object: [UInt8]?
    /// The chain of ``Format/androidKey``, in DER, the key's own certificate first.
    public var certificates: [[UInt8]]?

    /// A statement of Apple's.
    /// - Parameters:
    ///   - format: which of the two.
    ///   - object: the object as Apple's framework returns it.
    public init(_ format: Format, object: [UInt8]) {
        self.format = format
        self.object = object
    }

    /// Android's attestation of a key.
    /// - Parameter certificates: the chain in DER, the key's own certificate first.
    public init(androidKey certificates: [[UInt8]]) {
        format = .androidKey
        self.certificates = certificates
    }

    /// Refuses what does not belong to the format, and what is too long.
    public func validate() throws(MalformedValue) {
        let parts: [[UInt8]]?
        switch format {
        case .appleAttestation, .appleAssertion:
            guard certificates == nil else {
                throw MalformedValue(field: "certificates", reason: "are not of the format")
            }
            parts = object.map { [$0] }
        case .androidKey:
            guard object == nil else { throw MalformedValue(field: "object", reason: "is not of the format") }
            parts = certificates
        }
        guard let parts, (1...Self.maximumCertificates).contains(parts.count) else {
            throw MalformedValue(field: "attestation", reason: "has nothing of its format, or too much")
        }
        guard parts.allSatisfy({ (1...Self.maximumBytes).contains($0.count) }) else {
            throw MalformedValue(field: "attestation", reason: "has a part that is empty or too long")
        }
    }

    /// What the platform signs: the `clientDataHash` of App Attest, the challenge of an Android key.
    ///
    /// SHA-256 of LP("wallet-attestation-v1") ‖ LP(use) ‖ LP(nonce) ‖ LP(thumbprint).
    /// - Parameters:
    ///   - use: the key's use.
    ///   - nonce: the server's. It is bound to the account already.
    ///   - thumbprint: the key's. `nil` for Android, where the challenge is needed to make the key, and the statement is about that
    ///     very key.
    /// - Throws: ``MalformedValue`` if the nonce is longer than 65,535 bytes.
    public static func challenge(
        for use: Use, nonce: Nonce, thumbprint: JWKThumbprint?
    ) throws(MalformedValue) -> [UInt8] {
        var fields = LengthPrefixed()
        for field in ["wallet-attestation-v1", use.rawValue, nonce.rawValue, thumbprint?.rawValue ?? ""] {
            try fields.append(Array(field.utf8))
        }
        return Array(SHA256.hash(data: fields.bytes))
    }
}
