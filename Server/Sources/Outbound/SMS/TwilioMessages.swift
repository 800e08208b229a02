package import Core
internal import Foundation
internal import WalletAuthWire

/// Sends SMS with Twilio's Messages API, or a service that implements it.
package struct TwilioMessages: MessageTransport {
    /// An account of the service.
    package struct Account: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        let sid: String
        let token: String

        /// - Parameters:
        ///   - sid: the account's id, `AC…`.
        ///   - token: its secret.
        package init(sid: String, token: String) {
            self.sid = sid
            self.token = token
        }

        package var description: String { "<redacted>" }
        package var debugDescription: String { "<redacted>" }
        package var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// Twilio's maximum, in seconds.
    private static let longestValidity: Int64 = 14_400

    private let base: String
    private let account: Account
    private let sender: String
    private let http: GuardedHTTP

    /// - Parameters:
    ///   - base: the service's URL without a path, such as `https://api.twilio.com`.
    ///   - sender: a telephone number, a name that the network operators allow, or a messaging service, `MG…`.
    package init(base: String, account: Account, sender: String, http: GuardedHTTP) {
        self.base = base
        self.account = account
        self.sender = sender
        self.http = http
    }

    private var url: String { "\(base)/2010-04-01/Accounts/\(account.sid)/Messages.json" }

    /// - Throws: `CancellationError`.
    package func deliver(_ message: OutgoingMessage, now: Timestamp) async throws -> DeliveryOutcome {
        // The service drops a message that it could not deliver in time, so that no code arrives after its expiry.
        let validity = min(Self.longestValidity, max(1, (message.expiresAt - now).wholeSeconds))
        var form = FormParameters()
        form.append("To", message.recipient)
        form.append(sender.hasPrefix("MG") ? "MessagingServiceSid" : "From", sender)
        form.append("Body", message.text)
        form.append("ValidityPeriod", String(validity))
        let credentials = Data("\(account.sid):\(account.token)".utf8).base64EncodedString()
        return try await http.outcome(
            of: GuardedHTTP.Request(
                method: "POST", url: url,
                headers: [
                    ("Authorization", "Basic \(credentials)"), ("Content-Type", "application/x-www-form-urlencoded"),
                    // Twilio itself ignores this header; other services with its API use it.
                    ("Idempotency-Key", message.id),
                ],
                body: Array(form.encoded.utf8)),
            named: "twilio")
    }

    /// Resolves the service's address, without sending anything.
    /// - Returns: the fault; `nil` if there is none.
    package func examine() async -> String? {
        await http.fault(of: url)
    }
}
