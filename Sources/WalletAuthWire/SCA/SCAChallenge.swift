/// The app asks for one way of agreeing, or for its code once more (`POST /v1/sca/events/{eventId}/challenges`).
public struct SCAChallengeRequest: Hashable, Sendable {
    /// The operation, which has to be the event's.
    public var operationID: WalletOperationID
    /// In which way the person agrees.
    public var verification: SCAVerification
    /// Where a hosted page comes back to, for ``SCAChannel/redirect``: registered for the client to the letter.
    public var returnURL: RedirectURI?

    /// Asks. Each parameter is the property of its name.
    public init(operationID: WalletOperationID, verification: SCAVerification, returnURL: RedirectURI? = nil) {
        self.operationID = operationID
        self.verification = verification
        self.returnURL = returnURL
    }

    /// Reads a request's JSON. Members that are not known are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: ["walletOperationId", "verification", "action"])
        operationID = try object.required("walletOperationId", object.value("walletOperationId"))
        verification = try .member(of: object)
        if let action = try object.object("action") {
            try action.refuseMembers(otherThan: ["returnUrl"])
            returnURL = try action.value("returnUrl")
        }
        guard (returnURL != nil) == (verification.channel == .redirect) else {
            throw MalformedValue(
                field: "returnUrl", reason: returnURL == nil ? "is missing" : "is for the channel REDIRECT alone")
        }
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("walletOperationId", operationID)
        object["verification"] = .object(verification.json)
        if let returnURL {
            var action = JSONObject()
            action.set("returnUrl", returnURL)
            object["action"] = .object(action)
        }
        return object
    }
}

/// What the app is told of a challenge.
public struct SCAChallengeResponse: Hashable, Sendable {
    /// The event.
    public var eventID: SCAEventID
    /// The operation.
    public var operationID: WalletOperationID
    /// In which way the person agrees.
    public var verification: SCAVerification
    /// Where a code went, masked.
    public var destination: String?
    /// Until when the challenge can be answered.
    public var expiresAt: NumericDate
    /// After how many seconds a code can be sent once more; nil where none can.
    public var resendAfter: Int64?
    /// Whether this challenge had a code sent; nil where the way sends none. A code that was sent before still counts.
    public var sent: Bool?
    /// The hosted page, for ``SCAChannel/redirect``.
    public var redirectURL: WebURL?
    /// The bytes that the person agrees to (``OperationPayload``).
    public var payload: [UInt8]
    /// What the device signs an answer to, for ``SCAVerification/deviceBiometric``.
    public var deviceChallenge: DeviceChallenge?

    /// What a device signs an answer to.
    public struct DeviceChallenge: Hashable, Sendable {
        /// Names the challenge.
        public var id: ChallengeID
        /// Goes into the assertion.
        public var nonce: Nonce

        /// - Parameters:
        ///   - id: names the challenge.
        ///   - nonce: goes into the assertion.
        public init(id: ChallengeID, nonce: Nonce) {
            self.id = id
            self.nonce = nonce
        }
    }

    /// Each parameter is the property of its name.
    public init(
        eventID: SCAEventID, operationID: WalletOperationID, verification: SCAVerification, destination: String? = nil,
        expiresAt: NumericDate, resendAfter: Int64? = nil, redirectURL: WebURL? = nil, payload: [UInt8],
        deviceChallenge: DeviceChallenge? = nil, sent: Bool? = nil
    ) {
        self.eventID = eventID
        self.operationID = operationID
        self.verification = verification
        self.destination = destination
        self.expiresAt = expiresAt
        self.resendAfter = resendAfter
        self.redirectURL = redirectURL
        self.payload = payload
        self.deviceChallenge = deviceChallenge
        self.sent = sent
    }

    /// Reads an answer's JSON.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        eventID = try object.required("eventId", object.value("eventId"))
        operationID = try object.required("walletOperationId", object.value("walletOperationId"))
        verification = try SCAVerification(object.required("verification", object.object("verification")))
        destination = ShownText.destination(try object.string("destination"))
        expiresAt = try object.required("expiresAt", object.date("expiresAt"))
        resendAfter = try object.integer("resendAfter")
        sent = try object.bool("sent")
        redirectURL = try object.value("redirectUrl")
        guard let payload = Base64URL.decode(try object.required("operation", object.string("operation"))) else {
            throw MalformedValue(field: "operation", reason: "is not base64url")
        }
        self.payload = payload
        if let id: ChallengeID = try object.value("challengeId") {
            deviceChallenge = DeviceChallenge(id: id, nonce: try object.required("nonce", object.value("nonce")))
        }
    }

    /// The answer's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("eventId", eventID)
        object.set("walletOperationId", operationID)
        object["verification"] = .object(verification.json)
        object.set("destination", destination)
        object.set("expiresAt", expiresAt)
        object.set("resendAfter", resendAfter)
        object.set("sent", sent)
        object.set("redirectUrl", redirectURL)
        object.set("operation", Base64URL.encode(payload))
        object.set("challengeId", deviceChallenge?.id)
        object.set("nonce", deviceChallenge?.nonce)
        return object
    }
}
