package import Kernel
internal import SignIn
package import Web

/// What transactions add to the server.
package enum TransactionFeature: Feature {
    package static let events: [any SecurityEventKind] = TransactionEvent.allCases
    package static let templates: [PageTemplate] = [.transaction]

    package static func routes(_ edge: Edge) -> [Route] {
        let transactions = TransactionFlows(context: edge.context)
        let answers = TransactionAnswers(pins: PINAnswers(edge))
        let devices = DeviceTransactionEndpoints(transactions: transactions, answers: answers)
        return BackendTransactionEndpoints(transactions: transactions, devices: devices, answers: answers).routes
            + devices.routes + TransactionPageEndpoint(pages: edge.pages).routes
    }
}
