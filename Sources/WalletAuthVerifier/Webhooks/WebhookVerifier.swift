internal import Crypto
internal import Foundation
public import WalletAuthWire

/// Verifies webhooks, which the server signs as in the Standard Webhooks specification.
///
/// ```swift
/// let webhooks = WebhookVerifier([try WebhookSecret(text)])
///
/// let event = try webhooks.verify(body) { request.headers[$0] }
/// if event.type == .transactionSigned, let id = event.transactionID { try await ship(id) }
/// ```
///
/// Verify the bytes of the body as they arrived: JSON that was parsed and written again has another signature. Answer with a status
/// from 200 to 299 once the event is stored. The server delivers each event **at least once**, under the same ``WebhookEvent/id``:
/// store the id in the transaction that acts on the event, under a unique key, and answer 204 to one that is there already. A memory
/// that is filled before would lose the event if the backend failed in between.
public struct WebhookVerifier: Sendable {
    /// The longest body, in bytes. The server's are much shorter.
    public static let maximumBytes = 256 * 1024

    private let secrets: [WebhookSecret]
    private let tolerance: Duration
    private let clock: any BackendClock

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - secrets: the secret of the webhook; during a rotation the new one and the former one.
    ///   - tolerance: how far the time of a signature may be from now, in either direction. An older request may be a recorded one.
    ///   - clock: the source of time.
    public init(
        _ secrets: [WebhookSecret], tolerance: Duration = .seconds(300), clock: any BackendClock = SystemBackendClock()
    ) {
        self.secrets = secrets
        self.tolerance = tolerance
        self.clock = clock
    }

    /// Verifies a request.
    ///
    /// - Parameters:
    ///   - body: the body as it arrived.
    ///   - header: the value of a header, by its name in lower case; nil if there is none. A header that came twice has no value.
    /// - Returns: the event.
    /// - Throws: ``WebhookFault``. Answer with 401 or 400; the server repeats the request.
    public func verify(_ body: [UInt8], header: (String) -> String?) throws(WebhookFault) -> WebhookEvent {
        guard body.count <= Self.maximumBytes else { throw .malformed("the body is too long") }
        guard let id = header("webhook-id"), !id.isEmpty, !id.contains("."),
            let timestamp = header("webhook-timestamp"), let signatures = header("webhook-signature")
        else { throw .missingHeader }
        // Only one spelling, so that what is signed is what is compared.
        guard let seconds = Int64(timestamp), String(seconds) == timestamp else {
            throw .malformed("the header webhook-timestamp is not a number of seconds")
        }
        let age = clock.now().secondsSince1970.subtractingReportingOverflow(seconds)
        guard !age.overflow, Duration.seconds(age.partialValue.magnitude) <= tolerance else { throw .tooOld }
        let signed = Array("\(id).\(timestamp).".utf8) + body
        // There are two during a rotation; more are not worth the work.
        let offered = signatures.split(separator: " ").prefix(8).compactMap { signature -> Data? in
            guard signature.hasPrefix("v1,") else { return nil }
            return Data(base64Encoded: String(signature.dropFirst(3)))
        }
        guard secrets.contains(where: { secret in offered.contains { secret.hasSigned(signed, $0) } }) else {
            throw .wrongSignature
        }
        return try WebhookEvent(id: id, body)
    }
}

/// The secret of a webhook, as `walletauth webhook add` and `webhook rotate-secret` print it.
public struct WebhookSecret: Sendable {
    private let key: SymmetricKey

    /// Creates a secret.
    ///
    /// - Parameter text: `whsec_` and base64 of 24 to 64 bytes; the prefix may be missing.
    /// - Throws: `MalformedValue` for any other text.
    public init(_ text: String) throws(MalformedValue) {
        let encoded = text.hasPrefix("whsec_") ? String(text.dropFirst(6)) : text
        guard let bytes = Data(base64Encoded: encoded), (24...64).contains(bytes.count) else {
            throw MalformedValue(field: "secret", reason: "is not base64 of 24 to 64 bytes")
        }
        key = SymmetricKey(data: bytes)
    }

    fileprivate func hasSigned(_ bytes: [UInt8], _ code: Data) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: bytes, using: key)
    }
}

extension WebhookSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never the secret.
    public var description: String { "<redacted>" }
    /// Never the secret.
    public var debugDescription: String { description }
    /// No children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The reason a webhook was refused.
public enum WebhookFault: Error, Hashable, Sendable {
    /// A header of the signature is missing.
    case missingHeader
    /// The signature was made too long ago, or in the future: a recorded request, or a clock that is wrong.
    case tooOld
    /// No signature is by any of the secrets: another sender, another secret, or a body that was changed.
    case wrongSignature
    /// The request has another form; the text is for the backend's log.
    case malformed(String)
}
