internal import Crypto
internal import CryptoExtras
package import WalletAuthWire

// The only file of the server that uses P384._VOPRF, which swift-crypto underscores and may change in any release.
// Version 4.5.2 sometimes traps on bytes that are no point or scalar; the types used here have checked them.

/// The server's VOPRF key of one enrollment and one epoch (RFC 9497, P384-SHA384, verifiable mode). It is stored sealed
/// and deleted with its epoch.
package struct VOPRFKey: Sendable {
    package static let byteCount = 48

    /// The key that the device pins.
    package let publicKey: VOPRFElement
    private let scalar: SymmetricKey

    /// - Parameter privateBytes: a scalar of 48 bytes, big-endian: unsealed, or fresh random bytes. Random bytes are no
    ///   scalar with a probability of 2⁻¹⁹⁴; draw again then.
    /// - Returns: `nil` for 0 and for values not below the order of P-384.
    package init?(privateBytes: [UInt8]) {
        guard privateBytes.count == Self.byteCount,
            let key = try? P384._VOPRF.PrivateKey(rawRepresentation: privateBytes),
            let publicKey = try? VOPRFElement(bytes: Array(key.publicKey.compressedRepresentation))
        else { return nil }
        scalar = SymmetricKey(data: privateBytes)
        self.publicKey = publicKey
    }

    /// To be sealed.
    package var privateBytes: [UInt8] { scalar.withUnsafeBytes { Array($0) } }

    /// Evaluates a blinded input and proves that this key was used. The element is determined by the input; the proof
    /// differs each time, since the cryptographic library draws a random scalar for it.
    /// - Throws: only failures of the cryptographic library.
    package func evaluate(_ blinded: VOPRFElement) throws -> VOPRFEvaluation {
        let key = try P384._VOPRF.PrivateKey(rawRepresentation: privateBytes)
        let element = try P384._VOPRF.BlindedElement(oprfRepresentation: blinded.bytes)
        return try VOPRFEvaluation(bytes: Array(key.evaluate(element).rawRepresentation))
    }
}

extension VOPRFKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }

    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
