package import Kernel
internal import SignIn
package import Web

/// What consent to wallet operations adds to the server.
package enum ConsentFeature: Feature {
    package static let events: [any SecurityEventKind] = OperationEvent.allCases
    package static let messages: [any SecurityMessageKind] = ConsentMessage.Kind.allCases
    package static let pages: [any PageValues.Type] = [ConsentValues.self]

    package static func routes(_ edge: Edge) -> [Route] {
        let flows = ConsentFlows(context: edge.context)
        return WalletOperationEndpoints(operations: flows.operations, faults: edge.faults).routes
            + SCAEventEndpoints(events: flows.events, faults: edge.faults).routes
            + ConsentPageEndpoint(consentPages: flows.pages, authorize: AuthorizeEndpoint(edge)).routes
    }
}
