package import Core
internal import Crypto
internal import WalletAuthWire

/// Six-digit codes that need no storage: each is the MAC of its purpose and a time span. It is valid in its own span and the next.
package struct SixDigits: Sendable {
    /// A label, and the parts that distinguish this use from all others. No part contains a zero byte.
    package let parts: [String]
    /// Half of a code's maximum lifetime.
    package let span: Duration

    package init(parts: [String], span: Duration) {
        self.parts = parts
        self.span = span
    }

    package func code(at now: Timestamp, key: DataKey) -> String { code(of: number(at: now), key: key) }

    /// Whether the typed code belongs to this span or the previous one.
    /// - Parameters:
    ///   - typed: as typed.
    ///   - keys: the server's keys, including those that no longer make codes.
    package func isRight(_ typed: String, at now: Timestamp, keys: [DataKey]) -> Bool {
        let current = number(at: now)
        let typed = TypedCode.normalized(typed)
        // Compares every candidate, so that the timing does not reveal which span was close.
        return keys.reduce(false) { found, key in
            [current, current - 1].reduce(found) { ConstantTime.equal(code(of: $1, key: key), typed) || $0 }
        }
    }

    private func number(at now: Timestamp) -> Int64 { now.milliseconds / span.wholeMilliseconds }

    private func code(of span: Int64, key: DataKey) -> String {
        let message = Array((parts + [String(span)]).joined(separator: "\0").utf8)
        let mac = HMAC<SHA256>.authenticationCode(for: message, using: key.key)
        return CodeDigits.make(CodeDigits.sent, of: mac)
    }
}
