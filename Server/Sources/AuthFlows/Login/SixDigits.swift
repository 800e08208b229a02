internal import AuthCore
internal import Crypto
internal import WalletAuthWire

/// Codes of six digits that nobody has to store: the MAC of what they are for and of a span of time. One is good in the span
/// that it was made in and in the next.
struct SixDigits: Sendable {
    /// A label, and what distinguishes one use from every other; no part holds a zero byte.
    let parts: [String]
    /// Half of the longest time for which a code is good.
    let span: Duration

    /// The code of this moment.
    /// - Parameters:
    ///   - now: the present moment.
    ///   - key: the server's key.
    func code(at now: Timestamp, key: DataKey) -> String { code(of: number(at: now), key: key) }

    /// Whether what was typed is the code of this span or of the one before it.
    /// - Parameters:
    ///   - typed: as typed; white space in it does not count.
    ///   - now: the present moment.
    ///   - keys: the server's keys, those included that make no codes any more.
    func isRight(_ typed: String, at now: Timestamp, keys: [DataKey]) -> Bool {
        let current = number(at: now)
        let typed = typed.filter { !$0.isWhitespace }
        // Every candidate is compared, so that the time does not tell which span was near.
        return keys.reduce(false) { found, key in
            [current, current - 1].reduce(found) { ConstantTime.equal(code(of: $1, key: key), typed) || $0 }
        }
    }

    private func number(at now: Timestamp) -> Int64 { now.milliseconds / span.wholeMilliseconds }

    private func code(of span: Int64, key: DataKey) -> String {
        let message = Array((parts + [String(span)]).joined(separator: "\0").utf8)
        let mac = HMAC<SHA256>.authenticationCode(for: message, using: key.key)
        return CodeDigits.make(EmailCodes.digits, of: mac)
    }
}
