import Crypto
import CryptoExtras
import Foundation
import WalletAuthWire

/// Derives the PIN key from the VOPRF's output, as docs/wpin-1.md specifies.
struct PINDerivation: Sendable {
    /// The cost parameters of scrypt (RFC 7914). One evaluation uses 128 · rounds · blockSize bytes of memory.
    struct Cost: Hashable, Sendable {
        var rounds: Int
        var blockSize: Int
        var parallelism: Int

        /// The cost of WPIN-1: 32 MiB. Only tests use another.
        static let wpin1 = Cost(rounds: 1 << 15, blockSize: 8, parallelism: 1)
    }

    var cost = Cost.wpin1

    /// s = scrypt(y ‖ pin, salt = SHA-256(ds ‖ enrollment id), 32 bytes).
    func stretched(_ output: SecretBytes, pin: PIN, secret: DeviceSecret) throws(PINFailure) -> SecretBytes {
        let salt = SecretBytes.joining(secret.bytes, SecretBytes(secret.enrollment.rawValue.utf8))
            .withBytes { Array(SHA256.hash(data: $0)) }
        do {
            let key = try SecretBytes.joining(output, pin.digits).withData { password in
                try KDF.Scrypt.deriveKey(
                    from: password, salt: salt, outputByteCount: 32, rounds: cost.rounds, blockSize: cost.blockSize,
                    parallelism: cost.parallelism)
            }
            return key.withUnsafeBytes { SecretBytes($0) }
        } catch { throw .cryptography }
    }

    /// The key of an epoch: HKDF-SHA256(ikm = s ‖ ds, salt = "wpin1", info = LP(enrollment id) ‖ u32be epoch ‖ u8
    /// counter, 32 bytes), for the first counter that produces a scalar.
    func key(_ stretched: SecretBytes, secret: DeviceSecret, epoch: PINEpoch) throws(PINFailure) -> PINKey {
        var info = LengthPrefixed()
        do { try info.append(Array(secret.enrollment.rawValue.utf8)) } catch { throw .cryptography }
        let input = SecretBytes.joining(stretched, secret.bytes).withBytes { SymmetricKey(data: $0) }
        let prefix = info.bytes + epoch.bytes
        let (_, scalar) = try PINScalar.first { counter in
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: input, salt: Array("wpin1".utf8), info: prefix + [counter],
                outputByteCount: PINScalar.byteCount
            ).withUnsafeBytes { SecretBytes($0) }
        }
        return try PINKey(scalar)
    }

    /// Stretches the output and derives the key.
    func key(
        _ output: SecretBytes, pin: PIN, secret: DeviceSecret, epoch: PINEpoch
    ) throws(PINFailure) -> PINKey {
        try key(try stretched(output, pin: pin, secret: secret), secret: secret, epoch: epoch)
    }
}

/// Selects the private scalar of a P-256 key from candidates.
enum PINScalar {
    static let byteCount = 32

    /// The order of P-256 (FIPS 186-5), big-endian.
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]

    /// Returns the first candidate from 1 up to the order, with counters from 0 upward. A candidate fails with a
    /// probability of 2⁻³², so the second is rarely needed, and the 256th never.
    static func first(
        _ candidate: (UInt8) -> SecretBytes
    ) throws(PINFailure) -> (counter: UInt8, scalar: SecretBytes) {
        for counter in UInt8.min ... .max {
            let scalar = candidate(counter)
            if scalar.withBytes(isScalar) { return (counter, scalar) }
        }
        throw .noScalar
    }

    /// Subtracts the order across all bytes, so that the time does not depend on the first difference.
    private static func isScalar(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count == byteCount else { return false }
        var borrow = 0
        var any: UInt8 = 0
        for index in (0..<byteCount).reversed() {
            borrow = (Int(bytes[index]) - Int(order[index]) - borrow) >> 8 & 1
            any |= bytes[index]
        }
        return borrow == 1 && any != 0
    }
}

/// The input of the VOPRF: x = LP("wpin1") ‖ LP(enrollment id) ‖ LP(ds) ‖ LP(pin).
enum PINInput {
    static func bytes(_ pin: PIN, secret: DeviceSecret) -> SecretBytes {
        SecretBytes.joining(
            field(SecretBytes("wpin1".utf8)), field(SecretBytes(secret.enrollment.rawValue.utf8)),
            field(secret.bytes), field(pin.digits))
    }

    /// LP of a field. No type here exceeds 64 bytes.
    private static func field(_ field: SecretBytes) -> SecretBytes {
        SecretBytes.joining(SecretBytes([UInt8(field.count >> 8), UInt8(field.count & 0xFF)]), field)
    }
}
