import Crypto
import Foundation
import WalletAuthWire

/// The device's own share of every PIN key, `ds` in docs/wpin-1.md. Without this device, the server's keys and the
/// right PIN produce nothing.
struct DeviceSecret: Sendable {
    /// The enrollment.
    let enrollment: DeviceID
    let bytes: SecretBytes

    static let byteCount = 32

    /// Computes the secret: HKDF-SHA256(ikm = ECDH(ka, E) ‖ r, salt = "wpin1-ds", info = LP(enrollment id), 32 bytes).
    ///
    /// - Parameters:
    ///   - enrollment: the enrollment.
    ///   - agreement: the agreement between the device's key `ka` and E.
    ///   - share: the device's share in the secure store.
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

/// The share in the device's secure store that recovers its secret: E, the public half of a one-time key, and r.
struct DeviceShare: Sendable {
    /// E.
    let peer: P256.KeyAgreement.PublicKey
    /// r, 32 bytes.
    let random: SecretBytes

    static let randomByteCount = 32
    /// E in the uncompressed form of SEC 1, and r.
    static let byteCount = 65 + randomByteCount

    /// Creates a share. The private half of E is discarded here: from then on only the key `ka` can recover the secret.
    init() {
        peer = P256.KeyAgreement.PrivateKey().publicKey
        random = SymmetricKey(size: .bits256).withUnsafeBytes { SecretBytes($0) }
    }

    /// Decodes a stored share.
    ///
    /// - Throws: ``PINFailure/storedShare`` if the data is not a share.
    init(stored: Data) throws(PINFailure) {
        guard stored.count == Self.byteCount,
            let peer = try? P256.KeyAgreement.PublicKey(x963Representation: stored.prefix(65))
        else { throw .storedShare }
        self.peer = peer
        random = SecretBytes(stored.suffix(Self.randomByteCount))
    }

    /// The data to keep in a secure store.
    var stored: Data { peer.x963Representation + random.withBytes { Data($0) } }
}
