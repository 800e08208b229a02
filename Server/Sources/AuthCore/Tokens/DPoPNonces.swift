internal import Crypto
internal import WalletAuthWire

/// Nonces for DPoP proofs (RFC 9449 §8): a span of time under a MAC, so that nothing is stored and every process agrees.
package enum DPoPNonces {
    /// Each nonce is given out for so long …
    package static let span = Duration.minutes(2)

    /// … and taken for one span more: the longest time between a nonce's first appearance and its end.
    package static let life = Duration.minutes(4)

    /// The nonce of a moment.
    /// - Parameters:
    ///   - now: the present moment.
    ///   - key: the server's key.
    package static func nonce(at now: Timestamp, key: DataKey) -> String {
        nonce(ofSpan: spanNumber(now), key: key)
    }

    /// Whether a nonce is one that was given out in this span or the one before; the span to come is taken as well, from
    /// a process whose clock is a little ahead.
    /// - Parameters:
    ///   - nonce: as the proof names it.
    ///   - now: the present moment.
    ///   - keys: the server's keys, those included that make no nonces any more.
    package static func isGood(_ nonce: String, at now: Timestamp, keys: [DataKey]) -> Bool {
        let current = spanNumber(now)
        return keys.contains { key in
            // The likeliest first: each costs a MAC.
            [0, -1, 1].contains { ConstantTime.equal(Self.nonce(ofSpan: current + $0, key: key), nonce) }
        }
    }

    /// Which span of time a moment lies in: the nonce of a key is the same for all of it.
    package static func spanNumber(_ now: Timestamp) -> Int64 {
        now.milliseconds / span.wholeMilliseconds
    }

    private static func nonce(ofSpan number: Int64, key: DataKey) -> String {
        var writer = ByteWriter()
        writer.text("dpop-nonce")
        writer.integer(number)
        let mac = Array(HMAC<SHA256>.authenticationCode(for: writer.bytes, using: key.key))
        return Base64URL.encode(mac.prefix(16))
    }
}
