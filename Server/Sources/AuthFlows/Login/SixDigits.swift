internal import AuthCore
internal import Crypto

/// Codes of six digits that nobody has to store: the MAC of what they are for.
enum SixDigits {
    /// The code for a use.
    /// - Parameters:
    ///   - parts: a label, and what distinguishes one use from every other; no part holds a zero byte.
    ///   - key: the server's key.
    static func code(of parts: [String], key: DataKey) -> String {
        let mac = HMAC<SHA256>.authenticationCode(for: Array(parts.joined(separator: "\0").utf8), using: key.key)
        let number = mac.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        let digits = String(number)
        return String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
}
