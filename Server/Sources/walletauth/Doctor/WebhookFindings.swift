import Operations
import Store

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Checks that the receivers of webhooks accept them.
enum WebhookFindings {
    /// - Parameter database: a database that no server uses, with the current schema.
    static func of(_ database: any Database) async throws -> [Finding] {
        try await WebhookReport.reports(of: database).flatMap(findings)
    }

    /// The findings of the running server.
    static func of(_ server: AdminClient) async throws -> [Finding] {
        struct Answer: Decodable {
            var webhooks: [WebhookReport]
        }
        let answer = try await server.answer(to: ["webhook", "list"])
        guard answer.status == .done else { throw AdminClient.Unreachable.failed(answer.lines.joined(separator: " ")) }
        return try JSONDecoder().decode(Answer.self, from: Data(answer.json.utf8)).webhooks.flatMap(findings)
    }

    private static func findings(_ webhook: WebhookReport) -> [Finding] {
        [trouble(webhook), loss(webhook)].compactMap { $0 }
    }

    private static func place(_ webhook: WebhookReport) -> String { "\(webhook.id) (\(webhook.url))" }

    /// What it has lost stays lost, whatever its state.
    private static func loss(_ webhook: WebhookReport) -> Finding? {
        guard let dropped = webhook.dropped, let at = webhook.droppedAt else { return nil }
        return .warn(
            "webhooks",
            "\(place(webhook)) has lost \(dropped) events, the latest at \(at), because too many waited",
            "Have its backend ask the API, then clear this: walletauth webhook replay \(webhook.id)")
    }

    private static func trouble(_ webhook: WebhookReport) -> Finding? {
        let since = webhook.failingSince.map { " since \($0)" } ?? ""
        let failure = webhook.failure.map { ": \($0)" } ?? ""
        let place = Self.place(webhook)
        if webhook.isDisabled {
            return .fail(
                "webhooks", "\(place) was switched off, because every delivery failed\(since)\(failure)",
                "Fix the receiver, then deliver what waits: walletauth webhook replay \(webhook.id)")
        }
        guard webhook.isUnreachable else { return nil }
        return .warn(
            "webhooks", "\(place) accepts no events\(since)\(failure)",
            "Fix the receiver, then check it: walletauth webhook test \(webhook.id)")
    }
}
