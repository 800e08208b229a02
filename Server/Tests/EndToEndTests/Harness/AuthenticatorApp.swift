import Crypto
import Foundation
import Synchronization

/// What an authenticator app shows (RFC 6238): written here once more, so that the server's own arithmetic is not its own
/// judge.
final class AuthenticatorApp: Sendable {
    /// The secret, in Base32.
    private let secret: String
    private let lastStep = Mutex(0)

    init(secret: String) { self.secret = secret }

    /// A code that was not used yet. The server takes codes of one step of 30 seconds ahead or behind, so there are 30 seconds or more to
    /// enter it.
    func nextCode() async throws -> String {
        let step = lastStep.withLock { last in
            last = max(last + 1, Self.currentStep)
            return last
        }
        try await eventually("the app to show the next code") { step <= Self.currentStep + 1 }
        return code(of: UInt64(step))
    }

    private static var currentStep: Int { Int(Date().timeIntervalSince1970) / 30 }

    private func code(of step: UInt64) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        let bits = secret.flatMap { letter in
            let value = alphabet.firstIndex(of: letter) ?? 0
            return (0..<5).map { value >> (4 - $0) & 1 }
        }
        let key = stride(from: 0, to: bits.count - bits.count % 8, by: 8).map { start in
            bits[start..<(start + 8)].reduce(UInt8(0)) { $0 << 1 | UInt8($1) }
        }
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * UInt64($0))) }
        let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: key)))
        let offset = Int(mac[19] & 15)
        let number = mac[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        return String(String(number % 1_000_000 + 1_000_000).suffix(6))
    }
}
