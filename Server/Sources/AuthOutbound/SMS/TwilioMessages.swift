package import AuthCore
internal import Foundation
internal import WalletAuthWire

/// SMS by Twilio's Messages API, or by a service that speaks it.
package struct TwilioMessages: MessageTransport {
    /// An account of the service; no description shows its token.
    package struct Account: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        let sid: String
        let token: String

        /// - Parameters:
        ///   - sid: the account's id, `AC…`.
        ///   - token: its token.
        package init(sid: String, token: String) {
            self.sid = sid
            self.token = token
        }

        /// Not the token.
        package var description: String { "<redacted>" }
        /// Not the token.
        package var debugDescription: String { "<redacted>" }
        /// Not the token.
        package var customMirror: Mirror { Mirror(self, children: []) }
    }

    private let base: String
    private let account: Account
    private let sender: String
    private let http: GuardedHTTP

    /// - Parameters:
    ///   - base: the service's URL without a path, `https://api.twilio.com`.
    ///   - account: whose messages they are.
    ///   - sender: a telephone number, a name that the operators of networks allow, or a messaging service, `MG…`.
    ///   - http: how the service is reached.
    package init(base: String, account: Account, sender: String, http: GuardedHTTP) {
        self.base = base
        self.account = account
        self.sender = sender
        self.http = http
    }

    private var url: String { "\(base)/2010-04-01/Accounts/\(account.sid)/Messages.json" }

    /// Hands the message to the service.
    /// - Parameters:
    ///   - message: what and to whom.
    ///   - now: the present.
    /// - Returns: what came of it.
    /// - Throws: `CancellationError`.
    package func deliver(_ message: OutgoingMessage, now: Timestamp) async throws -> DeliveryOutcome {
        // The service drops what it could not hand on in time, so that no code comes after it is void.
        let validity = min(14_400, max(1, (message.expiresAt - now).wholeSeconds))
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
                    // Twilio itself has no such header; services that speak its interface do, and it harms nowhere.
                    ("Idempotency-Key", message.id),
                ],
                body: Array(form.encoded.utf8)),
            named: "twilio")
    }

    /// Finds the service's address, and posts nothing.
    /// - Returns: what is wrong; `nil` where nothing is.
    package func examine() async -> String? {
        await http.fault(of: url)
    }
}
