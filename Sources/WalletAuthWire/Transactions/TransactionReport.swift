/// A backend's view of a transaction (`GET /v1/transactions/{transactionId}`).
public struct TransactionReport: WireMessage {
    /// The transaction.
    public var transactionID: TransactionID
    /// The side that began it.
    public var origin: TransactionOrigin
    /// The client that created it, or whose app began it.
    public var clientID: ClientID
    /// Its state.
    public var status: TransactionStatus
    /// The reason the person rejected it.
    public var reason: RejectionReason?
    /// The reason it was cancelled.
    public var cancellation: CancellationReason?
    /// The signing account; nil until it has signed, if the backend did not name it.
    public var account: AccountID?
    /// The device that claimed it; nil as long as ``account`` is.
    public var deviceID: DeviceID?
    /// The second factor that signed it.
    public var secondFactor: TransactionFactor?
    /// The backend's own name for it.
    public var reference: String?
    /// The bytes to sign, once a device has claimed it and ``account`` is known.
    public var payload: [UInt8]?
    /// The device's signature over them: a compact JWS, ``DeviceAssertion``.
    public var signature: String?
    /// The data whose hash is signed.
    public var data: [UInt8]?
    /// The app's state, of a transaction that the app began.
    public var clientState: [UInt8]?
    /// The app's data, of a transaction that the app began.
    public var clientAdditionalData: [UInt8]?
    /// When it was created.
    public var createdAt: NumericDate
    /// When it expires, unless it is signed before.
    public var expiresAt: NumericDate
    /// When it reached its final state; nil until then, and for one that expired.
    public var endedAt: NumericDate?

    /// Creates a report. Each parameter sets the property of the same name; the others can be set afterwards.
    public init(
        transactionID: TransactionID, origin: TransactionOrigin, clientID: ClientID, status: TransactionStatus,
        createdAt: NumericDate, expiresAt: NumericDate
    ) {
        self.transactionID = transactionID
        self.origin = origin
        self.clientID = clientID
        self.status = status
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    enum CodingKeys: String, CodingKey {
        case transactionID = "transactionId"
        case origin
        case clientID = "clientId"
        case status, reason, cancellation
        case account = "accountId"
        case deviceID = "deviceId"
        case secondFactor, reference, payload
        case signature = "jws"
        case data, clientState, clientAdditionalData, createdAt, expiresAt, endedAt
    }
}

/// A page of transactions (`GET /v1/transactions`), oldest first.
public struct TransactionPage<Element: WireMessage>: WireMessage {
    /// The transactions.
    public var transactions: [Element]
    /// The cursor of the next page; nil if there is none.
    public var cursor: TransactionID?

    /// Creates a page. Each parameter sets the property of the same name.
    public init(transactions: [Element], cursor: TransactionID?) {
        self.transactions = transactions
        self.cursor = cursor
    }
}
