package import Crypto
package import Foundation
package import SwiftASN1
internal import X509

/// A test root with an intermediate, as a platform has them. No server trusts it before its operator says so.
package struct AttestationAuthority: Sendable {
    private let root: Certificate
    private let rootKey: P384.Signing.PrivateKey
    private let intermediate: Certificate
    private let intermediateKey: P384.Signing.PrivateKey

    /// Longer than any test's time.
    package static let validity = Date(timeIntervalSince1970: 946_684_800)...Date(timeIntervalSince1970: 2_524_607_999)

    /// Makes a root.
    package init(_ name: String = "Test Attestation Root") throws {
        let key = P384.Signing.PrivateKey()
        let name = try DistinguishedName { CommonName(name) }
        try self.init(root: Self.authority(key.publicKey, name, issuer: name, key), key: key)
    }

    /// Takes a root that was made before.
    /// - Parameters:
    ///   - certificate: in PEM.
    ///   - key: the root's private key, of P-384, in PEM.
    /// - Throws: ``OtherKey``, or an error of the libraries.
    package init(certificate: String, key: String) throws {
        let root = try Certificate(pemDocument: PEMDocument(pemString: certificate))
        let key = try P384.Signing.PrivateKey(pemRepresentation: key)
        guard root.publicKey == Certificate.PublicKey(key.publicKey) else { throw OtherKey() }
        try self.init(root: root, key: key)
    }

    /// The key is not the certificate's.
    package struct OtherKey: Error {}

    private init(root: Certificate, key: P384.Signing.PrivateKey) throws {
        self.root = root
        rootKey = key
        intermediateKey = P384.Signing.PrivateKey()
        intermediate = try Self.authority(
            intermediateKey.publicKey, try DistinguishedName { CommonName("Test Attestation CA 1") },
            issuer: root.subject, key)
    }

    private static func authority(
        _ key: P384.Signing.PublicKey, _ subject: DistinguishedName, issuer: DistinguishedName,
        _ issuerKey: P384.Signing.PrivateKey
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key),
            notValidBefore: validity.lowerBound, notValidAfter: validity.upperBound, issuer: issuer,
            subject: subject, signatureAlgorithm: .ecdsaWithSHA384,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            }, issuerPrivateKey: Certificate.PrivateKey(issuerKey))
    }

    /// What an operator configures to trust it.
    package var pem: String { get throws { try root.serializeAsPEM().pemString } }

    /// The root's private key, in PEM.
    package var key: String { rootKey.pemRepresentation }

    /// The intermediate's serial number, as Google's list would have it.
    package var intermediateSerial: String {
        let digits = intermediate.serialNumber.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return String(digits.drop(while: { $0 == "0" }))
    }

    /// A chain for an attested key, without the root.
    /// - Parameters:
    ///   - until: the end of the key's own certificate.
    ///   - oid: the extension that has the platform's words.
    package func chain(
        for key: P256.Signing.PublicKey, until: Date = Self.validity.upperBound, _ oid: ASN1ObjectIdentifier,
        _ value: [UInt8]
    ) throws -> [[UInt8]] {
        let leaf = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key),
            notValidBefore: Self.validity.lowerBound, notValidAfter: until, issuer: intermediate.subject,
            subject: DistinguishedName { CommonName("Attested Key") }, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions([
                Certificate.Extension(KeyUsage(digitalSignature: true), critical: true),
                Certificate.Extension(oid: oid, critical: false, value: value[...]),
            ]),
            issuerPrivateKey: Certificate.PrivateKey(intermediateKey))
        return try [leaf, intermediate].map { certificate in
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return serializer.serializedBytes
        }
    }
}

/// DER by hand, so that the certificates do not rest on what reads them.
enum HandDER {
    static func value(_ tag: [UInt8], _ content: [UInt8]) -> [UInt8] {
        let length =
            switch content.count {
            case ..<128: [UInt8(content.count)]
            case ..<256: [0x81, UInt8(content.count)]
            default: [0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
            }
        return tag + length + content
    }

    static func sequence(_ parts: [UInt8]...) -> [UInt8] { value([0x30], parts.flatMap(\.self)) }
    static func set(_ parts: [[UInt8]]) -> [UInt8] { value([0x31], parts.flatMap(\.self)) }
    static func octets(_ bytes: [UInt8]) -> [UInt8] { value([0x04], bytes) }
    static func enumerated(_ number: UInt8) -> [UInt8] { value([0x0A], [number]) }
    static func bool(_ value: Bool) -> [UInt8] { Self.value([0x01], [value ? 0xFF : 0]) }
    static let null: [UInt8] = [0x05, 0x00]

    /// - Parameter number: below 2^15.
    static func integer(_ number: Int) -> [UInt8] {
        value([0x02], number < 128 ? [UInt8(number)] : [UInt8(number >> 8), UInt8(number & 0xFF)])
    }

    /// An explicit tag of the context: below 31, or from 128 up in the long form.
    static func tagged(_ number: Int, _ content: [UInt8]) -> [UInt8] {
        value(
            number < 31 ? [0xA0 | UInt8(number)] : [0xBF, 0x80 | UInt8(number >> 7), UInt8(number & 0x7F)], content)
    }
}
