internal import Crypto
internal import Foundation

/// Signs requests to a receiver as in the Standard Webhooks specification: HMAC-SHA256 over id, time and body.
package struct WebhookSignature: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let key: SymmetricKey

    /// - Parameter secret: base64 of 24 to 64 bytes, with or without the prefix `whsec_`; `nil` is returned for
    ///   anything else.
    package init?(secret: String) {
        let text = secret.hasPrefix("whsec_") ? secret.dropFirst(6) : secret[...]
        guard let bytes = Data(base64Encoded: String(text)), (24...64).contains(bytes.count) else { return nil }
        key = SymmetricKey(data: bytes)
    }

    /// - Parameters:
    ///   - id: the same for each attempt; without a dot.
    ///   - time: seconds since 1970, of this attempt.
    package func headers(id: String, time: Int64, body: [UInt8]) -> [(name: String, value: String)] {
        Self.headers(id: id, time: time, body: body, by: [self])
    }

    /// The headers with a signature for each secret of the receiver, which accepts any of them.
    package static func headers(
        id: String, time: Int64, body: [UInt8], by signatures: [WebhookSignature]
    ) -> [(name: String, value: String)] {
        let signed = Array("\(id).\(time).".utf8) + body
        let codes = signatures.map { signature in
            "v1," + Data(HMAC<SHA256>.authenticationCode(for: signed, using: signature.key)).base64EncodedString()
        }
        return [
            ("webhook-id", id), ("webhook-timestamp", String(time)),
            ("webhook-signature", codes.joined(separator: " ")),
        ]
    }

    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
