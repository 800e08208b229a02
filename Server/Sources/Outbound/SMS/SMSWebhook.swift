package import Core
internal import Foundation
internal import WalletAuthWire

/// Sends SMS through the operator's receiver, with a signed POST for each message.
package struct SMSWebhook: MessageTransport {
    private let url: String
    private let signature: WebhookSignature
    private let http: GuardedHTTP

    package init(url: String, signature: WebhookSignature, http: GuardedHTTP) {
        self.url = url
        self.signature = signature
        self.http = http
    }

    /// - Throws: `CancellationError`.
    package func deliver(_ message: OutgoingMessage, now: Timestamp) async throws -> DeliveryOutcome {
        var data = JSONObject()
        data.set("to", message.recipient)
        data.set("text", message.text)
        data.set("kind", message.kind)
        data.set("expires_at", message.expiresAt.seconds)
        var event = JSONObject()
        event.set("type", "sms.message")
        event.set("timestamp", Date(timeIntervalSince1970: TimeInterval(message.createdAt.seconds)).formatted(.iso8601))
        event["data"] = .object(data)
        let body = event.bytes
        return try await http.outcome(
            of: GuardedHTTP.Request(
                method: "POST", url: url,
                headers: [("Content-Type", "application/json")]
                    + signature.headers(id: "msg_\(message.id)", time: now.seconds, body: body),
                body: body),
            named: "webhook")
    }

    /// Resolves the receiver's address, without sending anything.
    /// - Returns: the fault; `nil` if there is none.
    package func examine() async -> String? {
        await http.fault(of: url)
    }
}
