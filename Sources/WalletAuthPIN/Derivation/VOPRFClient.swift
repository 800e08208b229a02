import Crypto
import CryptoExtras
import Foundation
import WalletAuthWire

// The only file in this package that uses P384._VOPRF, which swift-crypto underscores: it may change in any release. In
// 4.5.2 it crashes if an intermediate point is at infinity; the checks here reject every such input.

/// The client side of VOPRF(P-384, SHA-384), RFC 9497 §3.3.2.
enum VOPRFClient {
    /// An input and its blind, which is random and lives no longer than this value.
    ///
    /// Unchecked: the library's type is immutable after creation.
    struct Blinded: @unchecked Sendable {
        /// The element to send.
        let element: VOPRFElement
        fileprivate let input: P384._VOPRF.BlindedInput

        init(_ input: P384._VOPRF.BlindedInput) throws {
            element = try VOPRFElement(bytes: Array(input.blindedElement.oprfRepresentation))
            self.input = input
        }
    }

    /// Blinds an input. The server's key is not involved.
    static func blind(_ input: SecretBytes) throws(PINFailure) -> Blinded {
        do {
            let anyKey = try P384._VOPRF.PublicKey(compressedRepresentation: generator)
            // The library keeps the input, so it gets a copy: borrowed memory must not outlive the closure.
            return try Blinded(try input.withBytes { try anyKey.blind(Data($0)) })
        } catch { throw .cryptography }
    }

    /// Checks the server's proof and removes the blind.
    ///
    /// - Parameters:
    ///   - blinded: the blinded input that was sent.
    ///   - evaluation: the server's answer.
    ///   - publicKey: the server's pinned key.
    /// - Returns: the output, 48 bytes.
    static func finalize(
        _ blinded: Blinded, evaluation: VOPRFEvaluation, publicKey: VOPRFElement
    ) throws(PINFailure) -> SecretBytes {
        guard try isRegular(evaluation, for: blinded.element, publicKey: publicKey) else { throw .wrongServerKey }
        do {
            let key = try P384._VOPRF.PublicKey(compressedRepresentation: publicKey.bytes)
            let parsed = try P384._VOPRF.BlindEvaluation(rawRepresentation: evaluation.bytes)
            return SecretBytes(try key.finalize(blinded.input, using: parsed))
        } catch {
            // The types guarantee well-formed values, so only the proof can fail.
            throw .wrongServerKey
        }
    }

    /// Whether none of the points that verify a proof is at infinity.
    ///
    /// They are s·G + c·B and s·M + c·Z, where M and Z are the same multiple of the blinded and the evaluated element
    /// (RFC 9497 §2.2.2). A sum is at infinity if its two terms are each other's negatives, and the holder of the
    /// server's key can create such a proof. Negatives share their x coordinate, which is the result of a key
    /// agreement. An honest proof has equal coordinates with a probability of about 2⁻³⁸³.
    private static func isRegular(
        _ evaluation: VOPRFEvaluation, for blinded: VOPRFElement, publicKey: VOPRFElement
    ) throws(PINFailure) -> Bool {
        do {
            let challenge = try P384.KeyAgreement.PrivateKey(rawRepresentation: evaluation.challenge)
            let response = try P384.KeyAgreement.PrivateKey(rawRepresentation: evaluation.response)
            func x(_ scalar: P384.KeyAgreement.PrivateKey, _ point: [UInt8]) throws -> SharedSecret {
                try scalar.sharedSecretFromKeyAgreement(
                    with: P384.KeyAgreement.PublicKey(compressedRepresentation: point))
            }
            return try x(response, generator) != x(challenge, publicKey.bytes)
                && x(response, blinded.bytes) != x(challenge, evaluation.element)
        } catch { throw .wrongServerKey }
    }

    /// The base point of P-384 (SP 800-186 section 3.2.1.4), compressed.
    private static let generator: [UInt8] = [
        0x03, 0xAA, 0x87, 0xCA, 0x22, 0xBE, 0x8B, 0x05, 0x37, 0x8E, 0xB1, 0xC7, 0x1E, 0xF3, 0x20, 0xAD, 0x74,
        0x6E, 0x1D, 0x3B, 0x62, 0x8B, 0xA7, 0x9B, 0x98, 0x59, 0xF7, 0x41, 0xE0, 0x82, 0x54, 0x2A, 0x38,
        0x55, 0x02, 0xF2, 0x5D, 0xBF, 0x55, 0x29, 0x6C, 0x3A, 0x54, 0x5E, 0x38, 0x72, 0x76, 0x0A, 0xB7,
    ]
}
