/// What an approval is for.
public enum ApprovalKind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A transaction, which this device claims and signs.
    case transaction
    /// A wallet operation that another session of the account requested.
    case operation
}

/// Something that waits for the person's approval on one of their devices (`GET /v1/approvals`).
public struct ApprovalEntry: WireMessage, WireAlternative {
    /// Its kind, which decides which other members there are.
    public var kind: ApprovalKind
    /// The transaction's id, or that of the operation's event: the `id` of a push message.
    public var id: TransactionID
    /// When it expires.
    public var expiresAt: NumericDate
    /// The link with which this device claims the transaction; nil once it has.
    public var link: String?
    /// The transaction that this device has claimed.
    public var transaction: DeviceTransaction?
    /// The operation.
    public var operationID: WalletOperationID?
    /// The bytes that the person agrees to (``OperationPayload``).
    public var payload: [UInt8]?
    /// Who asked for the operation.
    public var requester: ApprovalRequester?
    /// The second factors that this device has for the operation, the PIN first.
    public var allowedSecondFactors: [TransactionFactor]
    /// The challenge for a signature by the biometric key. A signature with the PIN answers that of its evaluation.
    public var challenge: ChallengeResponse?

    /// Creates an entry for a transaction.
    /// - Parameters:
    ///   - transactionID: the transaction.
    ///   - expiresAt: when it expires.
    ///   - link: the link with which a device claims it; nil once one has.
    ///   - claimed: the transaction as the device that claimed it sees it; nil before.
    public init(
        transactionID: TransactionID, expiresAt: NumericDate, link: TransactionLink?, claimed: DeviceTransaction?
    ) {
        kind = .transaction
        id = transactionID
        self.expiresAt = expiresAt
        self.link = link?.reveal()
        transaction = claimed
        allowedSecondFactors = []
    }

    /// Creates an entry for an operation.
    /// - Parameters:
    ///   - event: the event of its consent.
    ///   - operationID: the operation.
    ///   - payload: the bytes that the person agrees to.
    ///   - requester: who asked for it.
    ///   - allowedSecondFactors: the second factors that the device has.
    ///   - challenge: the challenge for the biometric key, if that is among them.
    ///   - expiresAt: when the event expires.
    public init(
        event: SCAEventID, operationID: WalletOperationID, payload: [UInt8], requester: ApprovalRequester?,
        allowedSecondFactors: [TransactionFactor], challenge: ChallengeResponse?, expiresAt: NumericDate
    ) throws(MalformedValue) {
        kind = .operation
        id = try TransactionID(event.rawValue)
        self.expiresAt = expiresAt
        self.operationID = operationID
        self.payload = payload
        self.requester = requester
        self.allowedSecondFactors = allowedSecondFactors
        self.challenge = challenge
    }

    enum CodingKeys: String, CodingKey {
        case kind, id, expiresAt
        case link = "qrData"
        case transaction
        case operationID = "walletOperationId"
        case payload = "operation"
        case requester = "requestedBy"
        case allowedSecondFactors, challenge
    }

    /// No second factor.
    public static var defaults: [String: JSONValue] { ["allowedSecondFactors": []] }

    /// Refuses an entry without the members of its kind.
    public func validate() throws(MalformedValue) {
        let isWhole =
            switch kind {
            case .transaction: link != nil || transaction != nil
            case .operation: operationID != nil && payload != nil
            }
        guard isWhole else {
            throw MalformedValue(field: "approvals", reason: "has an entry that lacks what its kind needs")
        }
    }
}

/// The session that asked for an operation, in the words of the account's page, so that a person can tell two equal payments apart. It
/// proves nothing: the person decides by amount and payee.
public struct ApprovalRequester: WireMessage {
    /// The name of the app or site.
    public var service: String
    /// The name of its device; nil if the session was not opened on a linked one.
    public var device: DeviceName?
    /// The browser, by what it says of itself; nil if it is not known.
    public var browser: String?
    /// The browser's system; nil if it is not known.
    public var system: String?

    /// Creates a value. Each parameter sets the property of the same name.
    public init(service: String, device: DeviceName? = nil, browser: String? = nil, system: String? = nil) {
        self.service = service
        self.device = device
        self.browser = browser
        self.system = system
    }
}

/// A page of what waits for the person's approval, oldest first.
public struct ApprovalPage: WireMessage {
    /// What waits.
    public var approvals: [ApprovalEntry]
    /// The cursor of the next page; nil if there is none.
    public var cursor: TransactionID?

    /// Creates a page. Each parameter sets the property of the same name.
    public init(approvals: [ApprovalEntry], cursor: TransactionID?) {
        self.approvals = approvals
        self.cursor = cursor
    }
}

/// A device's approval of an operation that another session requested (`POST /v1/approvals/{eventId}/attempts`).
public struct ApprovalAttempt: WireRequest {
    /// The operation; must be the event's.
    public let operationID: WalletOperationID
    /// A ``DeviceAssertion`` of the act `sca`, signed by the device and its second factor.
    public let assertion: SignedAssertion

    /// Approves an operation. Each parameter sets the property of the same name.
    public init(operationID: WalletOperationID, assertion: SignedAssertion) {
        self.operationID = operationID
        self.assertion = assertion
    }

    enum CodingKeys: String, CodingKey {
        case operationID = "walletOperationId"
        case assertion = "jws"
    }
}

/// What a push message says: that something waits, and nothing of what it is.
public struct ApprovalHint: WireMessage {
    /// The kind of what waits.
    public var kind: ApprovalKind
    /// The id of what waits (``ApprovalEntry/id``).
    public var id: TransactionID

    /// Creates a hint. Each parameter sets the property of the same name.
    public init(kind: ApprovalKind, id: TransactionID) {
        self.kind = kind
        self.id = id
    }
}
