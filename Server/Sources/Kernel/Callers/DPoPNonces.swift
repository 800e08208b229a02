package import Core
internal import Crypto
internal import Synchronization
internal import WalletAuthWire

/// Nonces for DPoP proofs (RFC 9449 §8). A nonce is a MAC over a period of time, so that nothing is stored and all
/// processes agree.
package enum DPoPNonces {
    /// The period in which a nonce is issued.
    package static let span = Duration.minutes(2)

    /// The longest time for which a process accepts a nonce: its span, one more, and one before, since another process whose clock
    /// is ahead may have issued it.
    package static let life = Duration.minutes(6)

    package static func nonce(at now: Timestamp, key: DataKey) -> String {
        nonce(ofSpan: spanNumber(now), key: key)
    }

    /// Whether a nonce was issued in this span or the one before. The next span is accepted as well, because another
    /// process's clock may be slightly ahead.
    /// - Parameter keys: the server's keys, including retired ones.
    package static func isGood(_ nonce: String, at now: Timestamp, keys: [DataKey]) -> Bool {
        let current = spanNumber(now)
        return keys.contains { key in
            // The likeliest first, since each costs a MAC.
            [0, -1, 1].contains { ConstantTime.equal(Self.nonce(ofSpan: current + $0, key: key), nonce) }
        }
    }

    /// The number of the span that contains a moment.
    package static func spanNumber(_ now: Timestamp) -> Int64 {
        now.milliseconds / span.wholeMilliseconds
    }

    private static func nonce(ofSpan number: Int64, key: DataKey) -> String {
        var writer = ByteWriter()
        writer.label("dpop-nonce")
        writer.integer(number)
        let mac = Array(HMAC<SHA256>.authenticationCode(for: writer.bytes, using: key.key))
        return Base64URL.encode(mac.prefix(16))
    }
}

/// Caches the current nonce, which would otherwise be computed twice for every request with a proof.
package final class PresentNonce: Sendable {
    private struct Made: Sendable {
        var span: Int64
        var key: KeyID
        var text: String
    }

    private let made = Mutex<Made?>(nil)

    package func nonce(at now: Timestamp, key: DataKey) -> String {
        let span = DPoPNonces.spanNumber(now)
        return made.withLock { made in
            if let made, made.span == span, made.key == key.id { return made.text }
            let text = DPoPNonces.nonce(at: now, key: key)
            made = Made(span: span, key: key.id, text: text)
            return text
        }
    }
}
