extension JWSType {
    /// The proof of a transaction.
    public static let walletTransactionEvidence = JWSType("wallet-transaction-evidence+jwt")
}

/// The proof of a transaction: a compact JWS by the server's audit key, verified without the server (``verified(by:)``).
///
/// It holds the bytes that were signed and the device's own signature over them. The signature by the PIN's key is not in it: with
/// a stolen device it would confirm guesses.
public struct TransactionEvidence: WireValue {
    /// The compact JWS.
    public let rawValue: String

    /// The media type of the document.
    public static let mediaType = "application/wallet-transaction-evidence+jwt"
    /// The longest document, in bytes.
    public static let maximumBytes = 65_536

    /// Checks the form.
    /// - Parameter text: what was received.
    public init(_ text: String) throws(MalformedValue) {
        if let reason = TextRule.visible(text, 1...Self.maximumBytes) {
            throw MalformedValue(field: "evidence", reason: reason)
        }
        rawValue = text
    }
}

/// The content of a ``TransactionEvidence``. Times are milliseconds since 1970.
public struct TransactionEvidenceClaims: Hashable, Sendable {
    /// `ver`: the version of the format.
    public static let version: Int64 = 1

    /// `iss`: the server, by the issuer that it had when the transaction was created.
    public var issuer: Issuer
    /// `transactionId`.
    public var transactionID: TransactionID
    /// `origin`: who began it.
    public var origin: TransactionOrigin
    /// `clientId`: the client that created it, or whose app began it.
    public var clientID: ClientID
    /// `accountId`: the account that signs; nil until it has signed, where the backend did not name it.
    public var account: AccountID?
    /// `status`: the state when the document was made.
    public var status: TransactionStatus
    /// `reason`: why the person rejected it.
    public var reason: RejectionReason?
    /// `cancellation`: why it was cancelled. A transaction that a restore cancelled may have ended otherwise before: an earlier proof
    /// of its end stands.
    public var cancellation: CancellationReason?
    /// `payload`: the bytes to sign, once a device claimed the transaction and ``account`` is there.
    public var payload: [UInt8]?
    /// `createdAt`.
    public var createdAt: Int64
    /// `expiresAt`.
    public var expiresAt: Int64
    /// `endedAt`: when it reached its final state.
    public var endedAt: Int64?
    /// `secondFactor` and `device`: how it was signed; nil in every other state. The device that rejected is in the audit entry.
    public var signature: Signature?
    /// `steps`: its history, in order.
    public var steps: [Step]

    /// How a transaction was signed.
    public struct Signature: Hashable, Sendable {
        /// The second factor.
        public var secondFactor: TransactionFactor
        /// The device's own signature over the payload.
        public var device: OperationEvidenceClaims.Device

        /// Each parameter is the property of its name.
        public init(secondFactor: TransactionFactor, device: OperationEvidenceClaims.Device) {
            self.secondFactor = secondFactor
            self.device = device
        }
    }

    /// A step of a transaction.
    public struct Step: Hashable, Sendable {
        /// The state that it led to.
        public var status: TransactionStatus
        /// When.
        public var at: Int64
        /// The network address and program it came from; nil once the account is erased, and from the claim on without an account.
        public var circumstances: OperationEvidenceClaims.Circumstances?
        /// Its entry of the audit log; nil from the claim on without an account, by whose number the log is divided.
        public var place: OperationEvidenceClaims.Place?

        /// Each parameter is the property of its name.
        public init(
            status: TransactionStatus, at: Int64, circumstances: OperationEvidenceClaims.Circumstances?,
            place: OperationEvidenceClaims.Place?
        ) {
            self.status = status
            self.at = at
            self.circumstances = circumstances
            self.place = place
        }
    }

    /// A transaction without what came later. Each parameter is the property of its name.
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
        object["steps"] = .array(
            steps.map { step in
                var member = JSONObject()
                member.set("status", step.status.rawValue)
                member.set("at", step.at)
                if let circumstances = step.circumstances { member["from"] = .object(circumstances.json) }
                if let place = step.place { member["audit"] = .object(place.json) }
                return .object(member)
            })
        return object
    }

    /// Reads the claims.
    /// - Parameter bytes: their JSON.
    /// - Throws: ``MalformedValue`` for anything that ``json`` would write differently.
    public init(parsing bytes: [UInt8]) throws(MalformedValue) {
        let object = try JSONValue.object(
            parsing: bytes, limits: JSONLimits(bytes: TransactionEvidence.maximumBytes))
        guard try object.integer("ver") == Self.version else {
            throw MalformedValue(field: "ver", reason: "is not known here: update the verifier")
        }
        var steps: [Step] = []
        for element in try object.required("steps", object.objects("steps")) {
            steps.append(
                Step(
                    status: try element.required("status", element.named("status")), at: try element.time("at"),
                    circumstances: try OperationEvidenceClaims.Circumstances(in: element),
                    place: try OperationEvidenceClaims.Place(in: element)))
        }
        self.init(
            issuer: try object.required("iss", object.value("iss")),
            transactionID: try object.required("transactionId", object.value("transactionId")),
            origin: try object.required("origin", object.named("origin")),
            clientID: try object.required("clientId", object.value("clientId")),
            status: try object.required("status", object.named("status")), createdAt: try object.time("createdAt"),
            expiresAt: try object.time("expiresAt"), steps: steps)
        account = try object.value("accountId")
        reason = try object.named("reason")
        cancellation = try object.named("cancellation")
        payload = try object.base64URL("payload")
        endedAt = object["endedAt"] == nil ? nil : try object.time("endedAt")
        if let factor: TransactionFactor = try object.named("secondFactor") {
            signature = Signature(
                secondFactor: factor,
                device: try object.required("device", OperationEvidenceClaims.Device(in: object)))
        }
        guard json.bytes == bytes else {
            throw MalformedValue(
                field: "evidence", reason: "has members that do not belong to it, or contradict others")
        }
    }
}
