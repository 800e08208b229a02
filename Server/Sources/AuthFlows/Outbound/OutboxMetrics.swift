internal import AuthCore
internal import AuthStore

/// How delivery stands, in numbers.
package struct OutboxMetrics: Sendable, Hashable {
    /// The channel's name: `email` or `sms`.
    package var channel: String
    /// Delivered since the start of this process.
    package var delivered: UInt64
    /// Attempts that failed and are repeated, since the start of this process.
    package var postponed: UInt64
    /// Given up since the start of this process.
    package var failed: UInt64
    /// Messages whose time has come and that wait now, whichever process wrote them.
    package var waiting: Int64
    /// How long the oldest of them has waited.
    package var oldest: Duration
    /// Messages whose time has not come, and may not: warnings that are taken back when what they warn of does not come to pass.
    package var scheduled: Int64
}

extension AuthorizationServer {
    /// How delivery stands, for each channel.
    /// - Throws: infrastructure errors.
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
