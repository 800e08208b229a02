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

    /// Shows a sign-in page to scan, as another device's browser does. The number that it shows is the first of `numbers`; the app gets
    /// them in ascending order.
    ///
    /// It can be approved with the device's presence key only, as any transaction here.
    ///
    /// - Parameters:
    ///   - service: the name of the app or site to sign in to.
    ///   - browser: what the browser says of itself.
    ///   - system: its system.
    ///   - isOnSameNetwork: whether browser and app reach the server from one network.
    ///   - numbers: three numbers.
    /// - Returns: the text of its code.
    /// - Throws: `MalformedValue`.
    public func showSignInCode(
        service: String = "Shop", browser: String? = "Firefox", system: String? = "Windows",
        isOnSameNetwork: Bool = true, numbers: [Int] = [47, 12, 83]
    ) throws -> String {
        let shown = Int64(numbers.first ?? 0)
        let signIn = ServerCore.SignInElsewhere(
            service: service, browser: browser, system: system, isOnSameNetwork: isOnSameNetwork, number: shown,
            numbers: numbers.map(Int64.init).sorted())
        return try core.withLock { try $0.createSignIn(signIn, now: clock.serverTime) }
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
