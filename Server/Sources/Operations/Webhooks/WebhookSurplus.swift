internal import Core
internal import Kernel
internal import Logging
internal import Store

/// Drops the oldest events of a receiver for which too many wait: one that accepts none must not fill the disk in its seven days.
///
/// The newest stay, since what they say of a transaction or an account includes what came before.
struct WebhookSurplus: Sendable {
    let database: any Database
    let webhooks: WebhookActivity
    let logger: Logger
    /// The events that may wait for one receiver.
    var limit = WebhookEndpoint.mostWaiting
    /// The rows of one write, so that others do not wait.
    var page = WebhookDeliveries.page

    /// The pages of one run. The next run, a minute later, goes on.
    private static let pages = 200

    /// - Returns: the number of events dropped.
    @discardableResult
    func drop(now: Timestamp) async throws -> Int {
        let endpoints = try await database.read { [limit] in
            try WebhookEndpoints.crowded(byMoreThan: limit, on: $0)
        }
        var all = 0
        for endpoint in endpoints {
            let dropped = try await drop(of: endpoint)
            guard dropped > 0 else { continue }
            all += dropped
            try await database.write(isolation: .guardedStatement) {
                try WebhookEndpoints.noteDropped(dropped, of: endpoint, now: now, on: $0)
            }
            webhooks.count { $0.dropped += UInt64(dropped) }
            logger.error(
                "too many events waited for a webhook; the oldest were dropped",
                metadata: [
                    "webhook": "\(endpoint.uuid)", "dropped": "\(dropped)", "limit": "\(limit)",
                    "remedy": "fix the receiver, or walletauth webhook remove \(endpoint.uuid)",
                ])
        }
        return all
    }

    private func drop(of endpoint: UniqueID) async throws -> Int {
        var dropped = 0
        for _ in 0..<Self.pages {
            let isOver = try await database.read { [limit] in
                try WebhookDeliveries.waitsMore(than: limit, for: endpoint, on: $0)
            }
            guard isOver else { break }
            dropped += try await database.write(isolation: .guardedStatement) { [page] in
                try WebhookDeliveries.discard(of: endpoint, limit: page, on: $0)
            }
        }
        return dropped
    }
}
