package import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// Reads the messages to people as a developer wants to see them. There is none in production: codes are among them.
package struct MessageReader: Sendable {
    /// One message.
    package struct Message: Sendable, Hashable {
        /// How its delivery stands.
        package enum Delivery: Sendable, Hashable {
            /// It has not been delivered yet; with the reason of the latest attempt, where one failed.
            case waiting(String?)
            /// It was delivered.
            case delivered
            /// It was given up.
            case failed(String)
        }

        /// What it is about: `email_code`, `session_ended_reuse`, `wallet_deactivated` …
        package var kind: String
        /// By which way it goes: `email`, `sms`, or `none` where the account has no address and nobody gets it.
        package var channel: String
        /// The address or number it goes to; the account's id where the account has none.
        package var recipient: String
        /// When it was written.
        package var createdAt: Timestamp
        /// The subject of an e-mail.
        package var subject: String
        /// What the person reads.
        package var text: String
        /// The code in it, where it carries one.
        package var code: String?
        /// How its delivery stands.
        package var delivery: Delivery
    }

    let context: ServerContext

    /// The latest messages to people, newest first.
    /// - Parameter limit: the most messages wanted.
    /// - Throws: infrastructure errors.
    package func recent(limit: Int) async throws -> [Message] {
        let found = try await context.database.read { connection in
            try Outbox.recentToPeople(limit: limit, on: connection).map { record in
                (record, try MessageRendering.Facts.of(record, on: connection))
            }
        }
        let rendering = MessageRendering(context: context)
        return found.compactMap { record, facts in
            guard let message = rendering.render(record, facts) else { return nil }
            return Message(
                kind: record.kind, channel: record.channel.rawValue,
                recipient: message.recipient ?? record.accountID?.uuid ?? "", createdAt: record.createdAt,
                subject: message.subject, text: message.text, code: message.code, delivery: Self.delivery(of: record))
        }
    }

    private static func delivery(of record: OutboxRecord) -> Message.Delivery {
        if record.deliveredAt != nil { return .delivered }
        if record.failedAt != nil { return .failed(record.failure ?? "") }
        return .waiting(record.failure)
    }
}

extension AuthorizationServer {
    /// The messages to people; `nil` in production.
    package var messages: MessageReader? {
        context.settings.environment == .sandbox ? MessageReader(context: context) : nil
    }
}
