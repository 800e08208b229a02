package import Kernel
internal import SignIn
package import Web

/// What consent to wallet operations adds to the server.
package enum ConsentFeature: Feature {
    package static let events: [any SecurityEventKind] = OperationEvent.allCases
    package static let messages: [any SecurityMessageKind] = ConsentMessage.Kind.allCases
    package static let pages: [any PageValues.Type] = [ConsentValues.self]

    package static func routes(_ edge: Edge) -> [Route] {
        WalletOperationEndpoints(operations: RequestedOperations(context: edge.context), faults: edge.faults).routes
            + SCAEventEndpoints(events: ConsentEvents(context: edge.context), faults: edge.faults).routes
            + ConsentPageEndpoint(
                consentPages: ConsentPages(context: edge.context), authorize: AuthorizeEndpoint(edge)
            ).routes
    }
}
