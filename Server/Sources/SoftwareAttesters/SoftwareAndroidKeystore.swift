package import Crypto
package import Foundation
internal import SwiftASN1
package import WalletAuthWire

/// The keystore of an Android phone in software. A test may have it attest wrong things.
package struct SoftwareAndroidKeystore: Sendable {
    package var authority: AttestationAuthority
    package var package: String
    /// The SHA-256 of the app's signing certificate.
    package var digest: [UInt8]
    /// Of the attestation and of the key: 0 software, 1 trusted environment, 2 a chip of its own.
    package var level: UInt8 = 1
    package var isLocked = true
    /// 0 is verified.
    package var bootState: UInt8 = 0
    package var purposes = [2]
    package var curve = 1
    /// 0 is generated in the phone.
    package var origin = 0
    /// The bits of the holder's checks; `nil` for a key that needs none.
    package var holderChecks: Int?
    package var checkLifetime: Int?
    /// The end of the key's certificate.
    package var until = AttestationAuthority.validity.upperBound

    package init(_ authority: AttestationAuthority, package: String, digest: [UInt8]) {
        self.authority = authority
        self.package = package
        self.digest = digest
    }

    /// Attests a key.
    package func attestation(
        of key: P256.Signing.PublicKey, over challenge: [UInt8]
    ) throws -> AttestationStatement {
        typealias Tag = HandDER
        let application = Tag.sequence(
            Tag.set([Tag.sequence(Tag.octets(Array(package.utf8)), Tag.integer(1))]), Tag.set([Tag.octets(digest)]))
        var hardware =
            Tag.tagged(1, Tag.set(purposes.map(Tag.integer))) + Tag.tagged(2, Tag.integer(3))
            + Tag.tagged(3, Tag.integer(256)) + Tag.tagged(10, Tag.integer(curve))
        if let holderChecks {
            hardware += Tag.tagged(504, Tag.integer(holderChecks))
            if let checkLifetime { hardware += Tag.tagged(505, Tag.integer(checkLifetime)) }
        } else {
            hardware += Tag.tagged(503, Tag.null)
        }
        hardware += Tag.tagged(702, Tag.integer(origin))
        hardware += Tag.tagged(
            704,
            Tag.sequence(
                Tag.octets([UInt8](repeating: 7, count: 32)), Tag.bool(isLocked), Tag.enumerated(bootState),
                Tag.octets([UInt8](repeating: 8, count: 32))))
        let description = Tag.sequence(
            Tag.integer(300), Tag.enumerated(level), Tag.integer(300), Tag.enumerated(level), Tag.octets(challenge),
            Tag.octets([]), Tag.sequence(Tag.tagged(709, Tag.octets(application))), Tag.sequence(hardware))
        return AttestationStatement(
            androidKey: try authority.chain(
                for: key, until: until, [1, 3, 6, 1, 4, 1, 11_129, 2, 1, 17], description))
    }
}
