/// The app's request for one way of agreeing, or for its code again (`POST /v1/sca/events/{eventId}/challenges`).
public struct SCAChallengeRequest: Hashable, Sendable {
    /// The operation; must be the event's.
    public var operationID: WalletOperationID
    /// The way to agree.
    public var verification: SCAVerification
    /// Where a hosted page returns to, for ``SCAChannel/redirect``; must be registered for the client exactly.
    public var returnURL: RedirectURI?

    /// Creates a request. Each parameter sets the property of the same name.
    public init(operationID: WalletOperationID, verification: SCAVerification, returnURL: RedirectURI? = nil) {
        self.operationID = operationID
        self.verification = verification
        self.returnURL = returnURL
    }

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: Self.shape)
        operationID = try object.required("walletOperationId", object.value("walletOperationId"))
        verification = try .member(of: object)
        let action = try object.object("action") { (action) throws(MalformedValue) in
            try action.refuseMembers(otherThan: ["returnUrl"])
            return try action.value("returnUrl", as: RedirectURI.self)
        }
        returnURL = action ?? nil
        guard (returnURL != nil) == (verification.channel == .redirect) else {
            throw MalformedValue(
                field: "action.returnUrl", reason: returnURL == nil ? "is missing" : "is for the channel REDIRECT only")
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

/// A challenge for the app.
public struct SCAChallengeResponse: WireMessage {
    /// The event.
    public var eventID: SCAEventID
    /// The operation.
    public var operationID: WalletOperationID
    /// The way to agree.
    public var verification: SCAVerification
    /// The masked destination of a code.
    public var destination: String?
    /// When the challenge expires.
    public var expiresAt: NumericDate
    /// Seconds until a code can be sent again; nil if none can be.
    public var resendAfter: Int64?
    /// Whether this challenge sent a code; nil if the way sends none. A code sent before is still valid.
    public var sent: Bool?
    /// The hosted page, for ``SCAChannel/redirect``.
    public var redirectURL: WebURL?
    /// The bytes that the person agrees to (``OperationPayload``).
    public var payload: [UInt8]
    /// What a passkey signs, for ``SCAVerification/devicePasskey``: its challenge is bound to ``payload``.
    public var passkey: PasskeyRequestOptions?
    private var challengeID: ChallengeID?
    private var nonce: Nonce?

    /// The challenge for the device's signature, for ``SCAVerification/deviceBiometric``.
    public var deviceChallenge: DeviceChallenge? {
        if let challengeID, let nonce { DeviceChallenge(id: challengeID, nonce: nonce) } else { nil }
    }

    /// A challenge for a device's signature.
    public struct DeviceChallenge: Hashable, Sendable {
        /// Identifies the challenge.
        public var id: ChallengeID
        /// Goes into the assertion.
        public var nonce: Nonce

        /// Creates a challenge.
        /// - Parameters:
        ///   - id: identifies the challenge.
        ///   - nonce: goes into the assertion.
        public init(id: ChallengeID, nonce: Nonce) {
            self.id = id
            self.nonce = nonce
        }
    }

    /// Creates a value. Each parameter sets the property of the same name.
    public init(
        eventID: SCAEventID, operationID: WalletOperationID, verification: SCAVerification, destination: String? = nil,
        expiresAt: NumericDate, resendAfter: Int64? = nil, redirectURL: WebURL? = nil, payload: [UInt8],
        deviceChallenge: DeviceChallenge? = nil, passkey: PasskeyRequestOptions? = nil, sent: Bool? = nil
    ) {
        self.eventID = eventID
        self.operationID = operationID
        self.verification = verification
        self.destination = destination
        self.expiresAt = expiresAt
        self.resendAfter = resendAfter
        self.redirectURL = redirectURL
        self.payload = payload
        self.passkey = passkey
        challengeID = deviceChallenge?.id
        nonce = deviceChallenge?.nonce
        self.sent = sent
    }

    enum CodingKeys: String, CodingKey {
        case eventID = "eventId"
        case operationID = "walletOperationId"
        case verification, destination, expiresAt, resendAfter, sent
        case redirectURL = "redirectUrl"
        case payload = "operation"
        case passkey
        case challengeID = "challengeId"
        case nonce
    }

    /// Leaves out a destination that would steer the screen.
    public mutating func validate() throws(MalformedValue) {
        destination = ShownText.destination(destination)
        guard challengeID == nil || nonce != nil else { throw MalformedValue(field: "nonce", reason: "is missing") }
    }
}

extension SCAChallengeRequest: WireShaped {
    /// Its members.
    public static let shape = WireShape.request(
        SCAChallengeRequest.self,
        [
            .required("walletOperationId", .of(WalletOperationID.self)),
            .required("verification", SCAVerification.shape),
            .optional(
                "action",
                .object(WireObject(members: [.optional("returnUrl", .of(RedirectURI.self))], isOpen: false))),
        ])
}
