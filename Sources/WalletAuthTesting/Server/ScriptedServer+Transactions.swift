import WalletAuth
public import WalletAuthWire

extension ScriptedServer {
    /// A transaction at the server.
    public struct Transaction: Sendable, Hashable {
        /// The transaction.
        public let id: TransactionID
        /// Its state.
        public let status: TransactionStatus
        /// Why the person rejected it.
        public let reason: RejectionReason?
        /// The app's data, of a transaction that the app began.
        public let clientAdditionalData: [UInt8]?
        /// How often a signature was handed in, repetitions included.
        public let signatures: Int
    }

    /// Creates a transaction, as a backend does.
    ///
    /// It is signed by the key behind the device's presence: the server offers no PIN, since no VOPRF is here.
    /// - Parameters:
    ///   - request: what is to be signed.
    ///   - changing: changes the bytes that the device gets, for a server that cannot be trusted.
    /// - Returns: the text of its QR code.
    /// - Throws: `MalformedValue`.
    public func createTransaction(
        _ request: TransactionRequest, changing: (@Sendable ([UInt8]) -> [UInt8])? = nil
    ) throws -> String {
        try core.withLock { try $0.createTransaction(request, changing: changing, now: clock.serverTime) }
    }

    /// Cancels a transaction, as its backend does.
    /// - Parameter id: the transaction.
    public func cancelTransaction(_ id: TransactionID) {
        core.withLock { $0.transactions[id]?.status = .cancelled }
    }

    /// Every transaction that is stored, in order.
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
