package import Crypto
package import Foundation
internal import SwiftASN1
package import WalletAuthWire

/// Apple's App Attest in software. A test may have it say wrong things.
package struct SoftwareAppAttest: Sendable {
    package var authority: AttestationAuthority
    /// Team id, dot, bundle id.
    package var appID: String
    package var key = P256.Signing.PrivateKey()
    /// The identifier of the environment.
    package var model = Self.production
    /// The latest assertion's.
    package var counter: UInt32 = 0
    /// The end of the key's certificate.
    package var until = AttestationAuthority.validity.upperBound
    package var format = "apple-appattest"

    package static let production = Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
    package static let development = Array("appattestdevelop".utf8)

    package init(_ authority: AttestationAuthority, appID: String) {
        self.authority = authority
        self.appID = appID
    }

    /// Attests the key.
    package func attestation(over clientDataHash: [UInt8]) throws -> AttestationStatement {
        let id = Array(SHA256.hash(data: key.publicKey.x963Representation))
        let point = Array(key.publicKey.rawRepresentation)
        var cose = CBORWriter()
        cose.map(5)
        for (label, value) in [(1, 2), (3, -7), (-1, 1)] as [(Int64, Int64)] {
            cose.integer(label)
            cose.integer(value)
        }
        for (label, value) in [(-2, Array(point[..<32])), (-3, Array(point[32...]))] as [(Int64, [UInt8])] {
            cose.integer(label)
            cose.bytes(value)
        }
        let data = authenticatorData(counter) + model + [0, 32] + id + cose.bytes
        let nonce = Array(SHA256.hash(data: data + clientDataHash))
        let chain = try authority.chain(
            for: key.publicKey, until: until, [1, 2, 840, 113_635, 100, 8, 2],
            HandDER.sequence(HandDER.tagged(1, HandDER.octets(nonce))))
        var object = CBORWriter()
        object.map(3)
        object.text("fmt")
        object.text(format)
        object.text("attStmt")
        object.map(2)
        object.text("x5c")
        object.array(chain.count)
        for certificate in chain { object.bytes(certificate) }
        object.text("receipt")
        object.bytes([1, 2, 3])
        object.text("authData")
        object.bytes(data)
        return AttestationStatement(.appleAttestation, object: object.bytes)
    }

    /// Asserts with the next counter.
    package mutating func assertion(over clientDataHash: [UInt8]) throws -> AttestationStatement {
        counter += 1
        let data = authenticatorData(counter)
        let nonce = Array(SHA256.hash(data: data + clientDataHash))
        var object = CBORWriter()
        object.map(2)
        object.text("signature")
        object.bytes(Array(try key.signature(for: nonce).derRepresentation))
        object.text("authenticatorData")
        object.bytes(data)
        return AttestationStatement(.appleAssertion, object: object.bytes)
    }

    private func authenticatorData(_ counter: UInt32) -> [UInt8] {
        Array(SHA256.hash(data: Array(appID.utf8))) + [0x40]
            + (0..<4).map { UInt8(truncatingIfNeeded: counter >> (24 - 8 * $0)) }
    }
}
