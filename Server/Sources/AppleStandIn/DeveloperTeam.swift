internal import Crypto

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The team that owns the apps, and its key. The key is derived from the IDs, so it is the same after every start. Anyone can
/// compute it.
package struct DeveloperTeam: Sendable {
    /// Ten characters.
    package let id: String
    /// Ten characters.
    package let keyID: String

    package static let sandbox = DeveloperTeam(id: "SANDBOXTM1", keyID: "SANDBOXKEY")

    /// The key in the form of Apple's console: PKCS #8 in PEM, a `.p8` file.
    package var privateKeyPEM: String { privateKey?.pemRepresentation ?? "" }

    var privateKey: P256.Signing.PrivateKey? {
        // About one value in four billion is not a scalar of the curve.
        for counter in UInt8(0)..<8 {
            let seed = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: Array("walletauth sandbox developer".utf8)),
                info: Array("\(id)\0\(keyID)".utf8) + [counter], outputByteCount: 32)
            let bytes = seed.withUnsafeBytes { Array($0) }
            if let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) { return key }
        }
        return nil
    }
}
