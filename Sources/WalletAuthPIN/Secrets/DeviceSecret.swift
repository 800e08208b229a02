import Crypto
import Foundation
import WalletAuthWire

/// The device's own share of every PIN key, `ds` of docs/wpin-1.md: without this device, the server's keys and the right PIN
/// together make nothing.
struct DeviceSecret: Sendable {
    /// The enrollment that it belongs to.
    let enrollment: DeviceID
    let bytes: SecretBytes

    static let byteCount = 32

    /// Computes the secret: HKDF-SHA256(ikm = ECDH(ka, E) ‖ r, salt = "wpin1-ds", info = LP(enrollment id), 32 bytes).
    /// - Parameters:
    ///   - enrollment: the enrollment that it belongs to.
    ///   - agreement: what the device's key `ka` agrees with E.
    ///   - share: what the device keeps beside that key.
    init(enrollment: DeviceID, agreement: some ContiguousBytes, share: DeviceShare) throws {
        var info = LengthPrefixed()
        try info.append(Array(enrollment.rawValue.utf8))
        let input = agreement.withUnsafeBytes { agreement in
            SecretBytes.joining(SecretBytes(agreement), share.random)
        }
        let key = input.withBytes { bytes in
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: bytes), salt: Array("wpin1-ds".utf8), info: info.bytes,
                outputByteCount: Self.byteCount)
        }
        self.enrollment = enrollment
        bytes = key.withUnsafeBytes { SecretBytes($0) }
    }
}

/// What a device keeps in its secure store to find its secret again: E, the public half of a one-off key, and r.
struct DeviceShare: Sendable {
    /// E.
    let peer: P256.KeyAgreement.PublicKey
    /// r, 32 bytes.
    let random: SecretBytes

    static let randomByteCount = 32
    /// E in the uncompressed form of SEC 1, and r.
    static let byteCount = 65 + randomByteCount

    /// Creates a share. The private half of E is dropped here: from then on the key `ka` alone finds the secret.
    init() {
        peer = P256.KeyAgreement.PrivateKey().publicKey
        random = SymmetricKey(size: .bits256).withUnsafeBytes { SecretBytes($0) }
    }

    /// Takes what was stored.
    /// - Throws: ``PINFailure/storedShare`` where it is not a share.
    init(stored: Data) throws(PINFailure) {
        guard stored.count == Self.byteCount,
            let peer = try? P256.KeyAgreement.PublicKey(x963Representation: stored.prefix(65))
        else { throw .storedShare }
        self.peer = peer
        random = SecretBytes(stored.suffix(Self.randomByteCount))
    }

    /// What is to be stored, in a secure store.
    var stored: Data { peer.x963Representation + random.withBytes { Data($0) } }
}
