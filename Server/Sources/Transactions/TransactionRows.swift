package import Core
internal import Kernel
package import Store

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
