internal import AuthCore
internal import AuthStore

/// The delivery metrics of one channel.
package struct OutboxMetrics: Sendable, Hashable {
    /// `email` or `sms`.
    package var channel: String
    /// Since the start of this process.
    package var delivered: UInt64
    /// Failed attempts that are repeated, since the start of this process.
    package var postponed: UInt64
    /// Messages given up, since the start of this process.
    package var failed: UInt64
    /// Due messages that wait now, from any process.
    package var waiting: Int64
    /// How long the oldest due message has waited.
    package var oldest: Duration
    /// Messages that are not due yet and may be withdrawn, such as warnings.
    package var scheduled: Int64
}

extension AuthorizationServer {
    package func outboxMetrics() async throws -> [OutboxMetrics] {
        let now = context.clock.now()
        let channels: [OutboxChannel] = [.email, .sms]
        let waiting = try await context.database.read { connection in
            try channels.map { try Outbox.waiting(in: $0, now: now, on: connection) }
        }
        return zip(channels, waiting).map { channel, waiting in
            let counts = context.outbox.counts(of: channel)
            return OutboxMetrics(
                channel: channel.rawValue, delivered: counts.delivered, postponed: counts.postponed,
                failed: counts.failed, waiting: waiting.count,
                oldest: waiting.since.map { max(.zero, now - $0) } ?? .zero, scheduled: waiting.later)
        }
    }
}
