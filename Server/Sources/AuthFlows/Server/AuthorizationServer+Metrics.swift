internal import AuthCore
package import AuthEvents
package import AuthFoundation
internal import AuthStore

/// What operators and developers read of a running server.
extension AuthorizationServer {
    /// `nil` in production.
    package var messages: MessageReader? {
        context.settings.environment == .sandbox ? MessageReader(context: context) : nil
    }

    /// One entry for each channel.
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

    package var breachMetrics: [BreachMetrics] { context.breaches.metrics }

    /// One entry for each provider that was asked, by brand and name.
    package var providerMetrics: [ProviderMetrics] { context.providerActivity.metrics }
}
