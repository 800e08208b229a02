/// A backend's view of a transaction (`GET /v1/transactions/{transactionId}`).
public struct TransactionReport: Hashable, Sendable {
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

    /// Reads a report's JSON.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try self.init(
            transactionID: object.required("transactionId", object.value("transactionId")),
            origin: object.required("origin", object.named("origin")),
            clientID: object.required("clientId", object.value("clientId")),
            status: object.required("status", object.named("status")),
            createdAt: object.required("createdAt", object.date("createdAt")),
            expiresAt: object.required("expiresAt", object.date("expiresAt")))
        reason = try object.named("reason")
        cancellation = try object.named("cancellation")
        account = try object.value("accountId")
        deviceID = try object.value("deviceId")
        secondFactor = try object.named("secondFactor")
        reference = try object.string("reference")
        payload = try object.base64URL("payload")
        signature = try object.string("jws")
        data = try object.base64URL("data")
        clientState = try object.base64URL("clientState")
        clientAdditionalData = try object.base64URL("clientAdditionalData")
        endedAt = try object.date("endedAt")
    }

    /// The report's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("transactionId", transactionID)
        object.set("origin", origin.rawValue)
        object.set("clientId", clientID)
        object.set("status", status.rawValue)
        object.set("reason", reason?.rawValue)
        object.set("cancellation", cancellation?.rawValue)
        object.set("accountId", account)
        object.set("deviceId", deviceID)
        object.set("secondFactor", secondFactor?.rawValue)
        object.set("reference", reference)
        object.set("payload", payload.map { Base64URL.encode($0) })
        object.set("jws", signature)
        object.set("data", data.map { Base64URL.encode($0) })
        object.set("clientState", clientState.map { Base64URL.encode($0) })
        object.set("clientAdditionalData", clientAdditionalData.map { Base64URL.encode($0) })
        object.set("createdAt", createdAt)
        object.set("expiresAt", expiresAt)
        object.set("endedAt", endedAt)
        return object
    }
}

/// A page of transactions (`GET /v1/transactions`), oldest first.
public struct TransactionPage<Element: Hashable & Sendable>: Hashable, Sendable {
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

extension TransactionPage {
    init(_ object: JSONObject, _ element: (JSONObject) throws(MalformedValue) -> Element) throws(MalformedValue) {
        var transactions: [Element] = []
        for member in try object.required("transactions", object.objects("transactions")) {
            transactions.append(try element(member))
        }
        self.init(transactions: transactions, cursor: try object.value("cursor"))
    }

    func json(_ element: (Element) -> JSONObject) -> JSONObject {
        var object = JSONObject()
        object["transactions"] = .array(transactions.map { .object(element($0)) })
        object.set("cursor", cursor)
        return object
    }
}

extension TransactionPage where Element == TransactionReport {
    /// Reads a backend's page.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
    public init(_ object: JSONObject) throws(MalformedValue) { try self.init(object, TransactionReport.init) }

    /// The page's JSON.
    public var json: JSONObject { json(\.json) }
}

extension TransactionPage where Element == DeviceTransaction {
    /// Reads an app's page.
    /// - Parameter object: the body.
    /// - Throws: ``MalformedValue`` with the member that is missing or malformed.
    public init(_ object: JSONObject) throws(MalformedValue) { try self.init(object, DeviceTransaction.init) }

    /// The page's JSON.
    public var json: JSONObject { json(\.json) }
}
