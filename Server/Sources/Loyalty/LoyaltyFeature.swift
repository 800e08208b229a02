package import Kernel
package import Web

/// What the loyalty API adds to the server.
package enum LoyaltyFeature: Feature {
    package static let events: [any SecurityEventKind] = LoyaltyEvent.allCases

    package static func routes(_ edge: Edge) -> [Route] {
        LoyaltyEndpoints(
            loyalty: LoyaltyFlows(context: edge.context), isSandbox: edge.context.settings.environment == .sandbox
        ).routes
    }
}
