internal import Core
package import Kernel
internal import Store

/// What operators and developers read of a running server.
extension AuthorizationServer {
    /// `nil` in production.
    package var messages: MessageReader? {
        context.settings.environment == .sandbox
            ? MessageReader(database: context.database, rendering: context.rendering, clock: context.clock) : nil
    }

    /// The messages of each channel, without asking the database: what waits there is as old as the last count.
    package var outboxReport: OutboxReport {
        let backlog = context.outbox.backlog
        let now = context.clock.now()
        let channels = Self.channels.map { channel -> OutboxMetrics in
            let counts = context.outbox.counts(of: channel)
            let messages = backlog?.messages[channel]
            return OutboxMetrics(
                channel: channel.rawValue, delivered: counts.delivered, postponed: counts.postponed,
                failed: counts.failed, waiting: messages?.due ?? 0,
                oldest: messages?.oldest.map { max(.zero, now - $0) } ?? .zero, scheduled: messages?.scheduled ?? 0)
        }
        return OutboxReport(channels: channels, age: backlog.map { ContinuousClock.now - $0.countedAt })
    }

    /// Counts what waits in the outbox, for ``outboxReport``, and for the receivers of webhooks. Call it every few seconds.
    /// - Returns: one entry for each channel.
    @discardableResult
    package func countOutbox() async throws -> [OutboxMetrics] {
        let now = context.clock.now()
        let (messages, webhooks) = try await context.database.read { connection in
            let messages = try Self.channels.map { channel -> (OutboxChannel, OutboxActivity.Backlog.Messages) in
                let waiting = try Outbox.waiting(in: channel, now: now, on: connection)
                return (
                    channel,
                    OutboxActivity.Backlog.Messages(
                        due: waiting.count, oldest: waiting.since, scheduled: waiting.later)
                )
            }
            return (messages, try WebhookEndpoints.backlog(now: now, on: connection))
        }
        context.webhooks.note(webhooks)
        context.outbox.note(
            OutboxActivity.Backlog(messages: Dictionary(messages, uniquingKeysWith: { first, _ in first })))
        return outboxReport.channels
    }

    private static let channels: [OutboxChannel] = [.email, .sms, .push]
}
