package import Core
package import Kernel
internal import SignIn
package import Store
package import Web

/// What transactions add to the server.
package enum TransactionFeature: Feature {
    package static let events: [any SecurityEventKind] = TransactionEvent.allCases
    package static let pages: [any PageValues.Type] = [TransactionValues.self]

    package static func routes(_ edge: Edge) -> [Route] {
        let transactions = TransactionFlows(context: edge.context)
        let answers = TransactionAnswers(pins: PINAnswers(edge))
        let devices = DeviceTransactionEndpoints(transactions: transactions, answers: answers)
        return BackendTransactionEndpoints(transactions: transactions, devices: devices, answers: answers).routes
            + devices.routes + TransactionPageEndpoint(pages: edge.pages).routes
    }
}

/// Transactions end with their device, and lose what identifies the person with the account.
package struct TransactionRows: DependentRows {
    package init() {}

    package func deviceRemoved(_ device: UniqueID, now: Timestamp, on connection: any SQLConnection) throws {
        try Transactions.cancelAll(onRemovedDevice: device, now: now, on: connection)
    }

    /// Signed transactions outlast the account, as evidence, but not the origins of the requests.
    package func accountErased(_ account: UniqueID, on connection: any SQLConnection) throws {
        try Transactions.eraseUnsigned(of: account, on: connection)
        try TransactionSteps.eraseCircumstances(of: account, on: connection)
    }
}
