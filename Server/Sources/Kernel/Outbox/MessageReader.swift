package import Core
package import Store

/// Shows developers the messages to people. Not in production, because messages contain codes.
package struct MessageReader: Sendable {
    package struct Message: Sendable, Hashable {
        package enum Delivery: Sendable, Hashable {
            /// Not delivered yet; with the error of the latest attempt, if one failed.
            case waiting(String?)
            /// Not due before this time. It may be withdrawn until then.
            case scheduled(Timestamp)
            case delivered
            /// Given up, with the reason.
            case failed(String)
        }

        package var id: UniqueID
        /// For example `email_code`, `session_ended_reuse`, `wallet_deactivated`.
        package var kind: String
        /// `email`, `sms`, `push`, or `none` if the account has no address and the message reaches no one.
        package var channel: String
        /// The address, the number or the device's id; the account's id if there is none of them.
        package var recipient: String
        package var createdAt: Timestamp
        /// Used by e-mail only.
        package var subject: String
        package var text: String
        package var code: String?
        package var delivery: Delivery
    }

    private let database: any Database
    private let rendering: MessageRendering
    private let clock: any Clock

    package init(database: any Database, rendering: MessageRendering, clock: any Clock) {
        self.database = database
        self.rendering = rendering
        self.clock = clock
    }

    /// The latest messages, newest first.
    package func recent(limit: Int) async throws -> [Message] {
        let now = clock.now()
        let found = try await database.read { [rendering] connection in
            try Outbox.recentToPeople(limit: limit, on: connection).map { record in
                (record, try rendering.facts(of: record, now: now, on: connection))
            }
        }
        return found.compactMap { record, facts in
            guard let message = rendering.render(record, facts) else { return nil }
            return Message(
                id: record.id, kind: record.kind, channel: record.channel.rawValue,
                recipient: message.push?.device.uuid ?? message.recipient ?? record.accountID?.uuid ?? "",
                createdAt: record.createdAt,
                subject: message.subject, text: message.text, code: message.code,
                delivery: Self.delivery(of: record, now: now))
        }
    }

    private static func delivery(of record: OutboxRecord, now: Timestamp) -> Message.Delivery {
        if record.deliveredAt != nil { return .delivered }
        if record.failedAt != nil { return .failed(record.failure ?? "") }
        if record.attempts == 0, record.dueAt > now { return .scheduled(record.dueAt) }
        return .waiting(record.failure)
    }
}
