import WalletAuth
import WalletAuthTransport
public import WalletAuthWire

extension ScriptedServer {
    /// A transaction at the server.
    public struct Transaction: Sendable, Hashable {
        /// The transaction's id.
        public let id: TransactionID
        /// Its state.
        public let status: TransactionStatus
        /// The person's reason for rejecting it.
        public let reason: RejectionReason?
        /// The app's data, for a transaction that the app started.
        public let clientAdditionalData: [UInt8]?
        /// The number of signatures received, including repeated ones.
        public let signatures: Int
    }

    /// Creates a transaction, as a backend does.
    ///
    /// It can be signed with the device's presence key only: this server has no VOPRF and offers no PIN.
    ///
    /// - Parameters:
    ///   - request: the content to sign.
    ///   - changing: changes the bytes for the device, to simulate a dishonest server.
    /// - Returns: the text of its QR code.
    /// - Throws: `MalformedValue`.
    public func createTransaction(
        _ request: TransactionRequest, changing: (@Sendable ([UInt8]) -> [UInt8])? = nil
    ) throws -> String {
        try core.withLock { try $0.createTransaction(request, changing: changing, now: clock.serverTime) }
    }

    /// Cancels a transaction, as its backend does.
    ///
    /// - Parameter id: the transaction.
    public func cancelTransaction(_ id: TransactionID) {
        core.withLock { $0.transactions[id]?.status = .cancelled }
    }

    /// Every stored transaction, in order.
    public var transactions: [Transaction] {
        core.withLock { core in
            core.transactions.values.sorted { $0.number < $1.number }.map {
                Transaction(
                    id: $0.id, status: $0.status, reason: $0.reason,
                    clientAdditionalData: $0.draft?.clientAdditionalData, signatures: $0.signatures)
            }
        }
    }
}
