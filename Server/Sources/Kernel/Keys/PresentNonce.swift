package import Core
internal import Synchronization

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
