internal import Crypto
internal import CryptoExtras
package import WalletAuthWire

// The only file of the server that touches P384._VOPRF, which swift-crypto underscores: it may change in any release. In
// 4.5.2 it stops the process for what is no point or no scalar in places; what comes here was checked by its type.

/// The server's VOPRF key of one enrollment and one epoch (RFC 9497, P384-SHA384, verifiable mode). Kept sealed, and
/// deleted with its epoch.
package struct VOPRFKey: Sendable {
    /// How many bytes the private half has.
    package static let byteCount = 48

    /// What the device pins.
    package let publicKey: VOPRFElement
    private let scalar: SymmetricKey

    /// Takes the private half.
    /// - Parameter privateBytes: a scalar of 48 bytes, big-endian: what was sealed, or fresh random bytes. Random bytes are
    ///   no scalar with a probability of 2⁻¹⁹⁴; whoever draws them draws again.
    /// - Returns: `nil` for 0 and for what is not below the order of P-384.
    package init?(privateBytes: [UInt8]) {
        guard privateBytes.count == Self.byteCount,
            let key = try? P384._VOPRF.PrivateKey(rawRepresentation: privateBytes),
            let publicKey = try? VOPRFElement(bytes: Array(key.publicKey.compressedRepresentation))
        else { return nil }
        scalar = SymmetricKey(data: privateBytes)
        self.publicKey = publicKey
    }

    /// The private half, to be sealed.
    package var privateBytes: [UInt8] { scalar.withUnsafeBytes { Array($0) } }

    /// Evaluates a blinded input, with the proof that this key was used. The element follows from the input; the proof is
    /// another each time, made with a scalar of the cryptographic library's own generator.
    /// - Parameter blinded: the input.
    /// - Throws: only what the cryptographic library throws when it fails by itself.
    package func evaluate(_ blinded: VOPRFElement) throws -> VOPRFEvaluation {
        let key = try P384._VOPRF.PrivateKey(rawRepresentation: privateBytes)
        let element = try P384._VOPRF.BlindedElement(oprfRepresentation: blinded.bytes)
        return try VOPRFEvaluation(bytes: Array(key.evaluate(element).rawRepresentation))
    }
}

extension VOPRFKey: CustomStringConvertible, CustomReflectable {
    /// Always `<redacted>`.
    package var description: String { "<redacted>" }

    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
