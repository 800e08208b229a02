package import Kernel
package import Web

/// What Sign in with Apple adds to the server.
package enum AppleFeature: Feature {
    package static let events: [any SecurityEventKind] = AppleEvent.allCases

    package static func routes(_ edge: Edge) -> [Route] {
        AppleNotificationEndpoint(
            notifications: AppleFlows(context: edge.context).notifications, faults: edge.faults
        ).routes
    }
}
