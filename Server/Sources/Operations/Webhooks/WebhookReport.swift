internal import Core
internal import Kernel
package import Store

/// A receiver with trouble, as `doctor` reports it.
package struct WebhookReport: Codable, Sendable {
    package var id: String
    /// Exactly one of client and brand is set.
    package var clientId: String?
    package var brand: String?
    /// Without its query.
    package var url: String
    package var state: String
    package var failingSince: String?
    package var failure: String?
    /// Absent if none was dropped.
    package var dropped: Int64?
    package var droppedAt: String?

    package var isDisabled: Bool { state == WebhookEndpoint.State.disabled.rawValue }
    package var isUnreachable: Bool { state == WebhookEndpoint.State.unreachable.rawValue }

    /// All receivers of a database.
    package static func reports(of database: any Database) async throws -> [WebhookReport] {
        let found = try await database.everyPage { last, limit, connection in
            try WebhookEndpoints.list(after: last?.id, limit: limit, on: connection)
        }
        return found.map { endpoint in
            WebhookReport(
                id: endpoint.id.uuid, clientId: endpoint.clientID, brand: endpoint.brandID, url: endpoint.shownURL,
                state: endpoint.state.rawValue, failingSince: endpoint.failingSince?.text, failure: endpoint.failure,
                dropped: endpoint.dropped > 0 ? endpoint.dropped : nil, droppedAt: endpoint.droppedAt?.text)
        }
    }
}
