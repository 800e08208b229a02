extension JWSType {
    /// The proof of a transaction.
    public static let walletTransactionEvidence = JWSType("wallet-transaction-evidence+jwt")
}

/// The proof of a transaction: a compact JWS by the server's audit key, verifiable offline (``verified(by:)``).
///
/// It contains the signed bytes and the device's own signature over them, but not the signature by the PIN's key: with
/// a stolen device, that would confirm guesses.
public struct TransactionEvidence: WireValue {
    /// The form of its text.
    public static var form: TextForm { .visible(1...maximumBytes) }

    /// The compact JWS.
    public let rawValue: String

    /// The media type of the document.
    public static let mediaType = "application/wallet-transaction-evidence+jwt"
    /// The maximum length in bytes.
    public static let maximumBytes = 65_536

    /// Validates the form.
    /// - Parameter text: the received text.
    public init(_ text: String) throws(MalformedValue) {
        rawValue = try Self.checked(text, "evidence")
    }
}

/// The content of a ``TransactionEvidence``. Times are milliseconds since 1970.
public struct TransactionEvidenceClaims: Hashable, Sendable {
    /// `ver`: the version of the format.
    public static let version: Int64 = 1

    /// `iss`: the server's issuer when the transaction was created.
    public var issuer: Issuer
    /// `transactionId`.
    public var transactionID: TransactionID
    /// `origin`: which side began it.
    public var origin: TransactionOrigin
    /// `clientId`: the client that created it, or whose app began it.
    public var clientID: ClientID
    /// `accountId`: the signing account; nil until it has signed, if the backend did not name it.
    public var account: AccountID?
    /// `status`: the state when the document was created.
    public var status: TransactionStatus
    /// `reason`: the reason the person rejected it.
    public var reason: RejectionReason?
    /// `cancellation`: the reason it was cancelled. A transaction cancelled by a restore may have ended differently
    /// before: an earlier proof of its end stays valid.
    public var cancellation: CancellationReason?
    /// `payload`: the bytes to sign, once a device claimed the transaction and ``account`` is known.
    public var payload: [UInt8]?
    /// `createdAt`.
    public var createdAt: Int64
    /// `expiresAt`.
    public var expiresAt: Int64
    /// `endedAt`: when it reached its final state.
    public var endedAt: Int64?
    /// `secondFactor` and `device`: the signature; nil in all other states. The audit entry names a device that
    /// rejected it.
    public var signature: Signature?
    /// `steps`: its history, in order.
    public var steps: [Step]

    /// The signature of a transaction.
    public struct Signature: Hashable, Sendable {
        /// The second factor.
        public var secondFactor: TransactionFactor
        /// The device's own signature over the payload.
        public var device: OperationEvidenceClaims.Device

        /// Creates a value. Each parameter sets the property of the same name.
        public init(secondFactor: TransactionFactor, device: OperationEvidenceClaims.Device) {
            self.secondFactor = secondFactor
            self.device = device
        }
    }

    /// A step of a transaction.
    public struct Step: WireMessage {
        /// The resulting state.
        public var status: TransactionStatus
        /// The time.
        public var at: Int64
        /// The network address and program of the call; nil once the account is erased, and from the claim on without
        /// an account.
        public var circumstances: OperationEvidenceClaims.Circumstances?
        /// Its entry in the audit log; nil from the claim on without an account, because the log is divided by account.
        public var place: OperationEvidenceClaims.Place?

        /// Creates a value. Each parameter sets the property of the same name.
        public init(
            status: TransactionStatus, at: Int64, circumstances: OperationEvidenceClaims.Circumstances?,
            place: OperationEvidenceClaims.Place?
        ) {
            self.status = status
            self.at = at
            self.circumstances = circumstances
            self.place = place
        }

        enum CodingKeys: String, CodingKey {
            case status, at
            case circumstances = "from"
            case place = "audit"
        }

        /// Refuses a time that is none.
        public func validate() throws(MalformedValue) { try OperationEvidenceClaims.check(time: at, "at") }
    }

    /// Creates a transaction without its later parts. Each parameter sets the property of the same name.
    public init(
        issuer: Issuer, transactionID: TransactionID, origin: TransactionOrigin, clientID: ClientID,
        status: TransactionStatus, createdAt: Int64, expiresAt: Int64, steps: [Step]
    ) {
        self.issuer = issuer
        self.transactionID = transactionID
        self.origin = origin
        self.clientID = clientID
        self.status = status
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.steps = steps
    }
}

extension TransactionEvidenceClaims {
    /// The claims as JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("ver", Self.version)
        object.set("iss", issuer)
        object.set("transactionId", transactionID)
        object.set("origin", origin.rawValue)
        object.set("clientId", clientID)
        object.set("accountId", account)
        object.set("status", status.rawValue)
        object.set("reason", reason?.rawValue)
        object.set("cancellation", cancellation?.rawValue)
        object.set("payload", payload.map { Base64URL.encode($0) })
        object.set("payloadHash", payload.map { PayloadHash.transaction($0) })
        object.set("createdAt", createdAt)
        object.set("expiresAt", expiresAt)
        object.set("endedAt", endedAt)
        object.set("secondFactor", signature?.secondFactor.rawValue)
        if let signature { object["device"] = .object(signature.device.json) }
        object["steps"] = .array(steps.map { .object($0.json) })
        return object
    }

    /// Parses the claims.
    /// - Parameter bytes: their JSON.
    /// - Throws: ``MalformedValue`` for anything that ``json`` would write differently.
    public init(parsing bytes: [UInt8]) throws(MalformedValue) {
        let object = try JSONValue.object(
            parsing: bytes, limits: JSONLimits(bytes: TransactionEvidence.maximumBytes))
        guard try object.integer("ver") == Self.version else {
            throw MalformedValue(field: "ver", reason: "is not known here: update the verifier")
        }
        self.init(
            issuer: try object.required("iss", object.value("iss")),
            transactionID: try object.required("transactionId", object.value("transactionId")),
            origin: try object.required("origin", object.named("origin")),
            clientID: try object.required("clientId", object.value("clientId")),
            status: try object.required("status", object.named("status")), createdAt: try object.time("createdAt"),
            expiresAt: try object.time("expiresAt"),
            steps: try object.required("steps", object.objects("steps")).map(Step.init))
        account = try object.value("accountId")
        reason = try object.named("reason")
        cancellation = try object.named("cancellation")
        payload = try object.base64URL("payload")
        endedAt = object["endedAt"] == nil ? nil : try object.time("endedAt")
        if let factor: TransactionFactor = try object.named("secondFactor") {
            signature = Signature(
                secondFactor: factor,
                device: try object.required("device", object.object("device").map(OperationEvidenceClaims.Device.init)))
        }
        guard json.bytes == bytes else {
            throw MalformedValue(
                field: "evidence", reason: "has members that do not belong to it, or contradict others")
        }
    }
}
