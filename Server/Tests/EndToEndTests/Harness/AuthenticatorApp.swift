import Crypto
import Foundation

/// What an authenticator app shows (RFC 6238): written here once more, so that the server's own arithmetic is not its own
/// judge.
struct AuthenticatorApp {
    /// The secret, in Base32.
    let secret: String

    /// The code of this moment, or of one so many steps of 30 seconds away.
    func code(stepsAway: Int = 0) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let bits = secret.flatMap { letter in
            let value = alphabet.firstIndex(of: letter) ?? 0
            return (0..<5).map { value >> (4 - $0) & 1 }
        }
        let key = stride(from: 0, to: bits.count - bits.count % 8, by: 8).map { start in
            bits[start..<(start + 8)].reduce(UInt8(0)) { $0 << 1 | UInt8($1) }
        }
        let step = UInt64(Int(Date().timeIntervalSince1970) / 30 + stepsAway)
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * UInt64($0))) }
        let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: key)))
        let offset = Int(mac[19] & 15)
        let number = mac[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        return String(String(number % 1_000_000 + 1_000_000).suffix(6))
    }
}
