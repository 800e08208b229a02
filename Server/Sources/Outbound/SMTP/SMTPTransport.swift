// Sends one mail over SMTP (RFC 5321).

package import Core

/// Sends mail through the operator's server, with one connection for each message.
///
/// The operator chose the address, so ``AddressPolicy`` is not applied: mail servers are often in private networks.
package struct SMTPTransport: MessageTransport {
    private let settings: SMTPSettings
    private let resolver: HostResolver

    package init(_ settings: SMTPSettings, resolver: HostResolver = .system) {
        self.settings = settings
        self.resolver = resolver
    }

    /// - Throws: `CancellationError`.
    package func deliver(_ message: OutgoingMessage, now: Timestamp) async throws -> DeliveryOutcome {
        let recipient: Mailbox
        do {
            recipient = try Mailbox(message.recipient)
        } catch {
            return .refused("smtp: the address cannot be written in a command")
        }
        let mail = MailText(sender: settings.sender, recipient: recipient, message: message)
        do {
            try await inSession { try await $0.transfer(mail) }
            return .delivered
        } catch {
            try Task.checkCancellation()
            return Self.outcome(of: error)
        }
    }

    /// Greets the server, begins TLS and signs in, without sending anything.
    /// - Returns: the fault; `nil` if there is none.
    package func examine() async -> String? {
        do {
            try await inSession { _ in }
            return nil
        } catch {
            return Self.explanation(of: error)
        }
    }

    private func inSession(_ body: @escaping @Sendable (SMTPSession) async throws -> Void) async throws {
        let deadline = ContinuousClock.now + settings.timeout
        let (connection, session) = try await within(deadline) {
            [self] () async throws -> (SMTPConnection, SMTPSession) in
            let tls = try SMTPClientTLS(trustRoots: settings.trustRoots, host: settings.host)
            let connection = try await connect(tls, until: deadline)
            do {
                let session = try await SMTPSession.begin(on: connection, settings, tls: tls)
                try await body(session)
                return (connection, session)
            } catch {
                connection.close()
                throw error
            }
        } discard: {
            $0.0.close()
        }
        // The message has been transferred, so the result of QUIT does not matter.
        await session.end()
        connection.close()
    }

    private func connect(_ tls: SMTPClientTLS, until deadline: ContinuousClock.Instant) async throws -> SMTPConnection {
        var addresses = try await resolver.addresses(of: settings.host)
        if settings.security == .none {
            addresses = addresses.filter(\.isLoopback)
            guard !addresses.isEmpty else { throw OutboundFault.plainText }
        }
        var fault = OutboundFault.unreachable
        for address in addresses {
            try Task.checkCancellation()
            do {
                return try await SMTPConnection.open(
                    address, port: settings.port, tls: settings.security == .tls ? tls : nil,
                    timeout: min(.seconds(10), deadline - .now))
            } catch let error as OutboundFault {
                fault = error
            }
        }
        throw fault
    }

    /// Only a reply to this message can refuse it permanently. A reply about this server (no TLS, a wrong password, an
    /// unknown host) is for the operator to fix, and the message waits until it expires.
    private static func outcome(of error: any Error) -> DeliveryOutcome {
        let reason = "smtp: \(explanation(of: error))"
        switch error {
        case let refusal as SMTPSession.Refusal:
            let isOfMessage = ["MAIL", "RCPT", "DATA", "message"].contains(refusal.step)
            // 530 and 535 ask for a sign-in, in any step (RFC 4954 §6).
            let isOfUs = [530, 534, 535, 538].contains(refusal.reply.code)
            guard isOfMessage, !isOfUs else { return .unavailable(reason) }
            if refusal.reply.code >= 500 { return .refused(reason) }
            // MAIL names no recipient. What comes later may be this one's, even 421 and x.3 (RFC 3463 §2.2), as relays answer for others.
            return refusal.step == "MAIL" ? .unavailable(reason) : .postponed(reason)
        case SMTPSession.MissingCapability.internationalAddresses:
            return .refused(reason)
        default:
            return .unavailable(reason)
        }
    }

    private static func explanation(of error: any Error) -> String {
        switch error {
        case let refusal as SMTPSession.Refusal:
            "\(refusal.reply.summary) to \(refusal.step)" + (refusal.reply.meaning.map { " (\($0))" } ?? "")
        case SMTPSession.MissingCapability.startTLS: "the server does not offer STARTTLS"
        case SMTPSession.MissingCapability.authentication: "the server offers neither AUTH PLAIN nor AUTH LOGIN"
        case SMTPSession.MissingCapability.internationalAddresses:
            "the server does not support internationalized addresses"
        case let fault as OutboundFault: fault.description
        default: "the attempt was cancelled"
        }
    }
}
