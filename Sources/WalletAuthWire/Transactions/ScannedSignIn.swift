/// A device claims the sign-in of a page's code (`POST /v1/sign-ins/claim`).
public struct ScannedSignInClaim: Hashable, Sendable {
    /// The scanned code.
    public let code: SignInCode
    /// The device.
    public let deviceID: DeviceID

    /// Claims a sign-in. Each parameter sets the property of the same name.
    public init(code: SignInCode, deviceID: DeviceID) {
        self.code = code
        self.deviceID = deviceID
    }

    /// Reads a request's JSON. Unknown members are refused.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) throws(MalformedValue) {
        try object.refuseMembers(otherThan: Self.shape)
        code = try SignInCode(object.required("qrData", object.string("qrData")))
        deviceID = try object.required("deviceId", object.value("deviceId"))
    }

    /// The request's JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("qrData", code.reveal())
        object.set("deviceId", deviceID)
        return object
    }
}

extension ScannedSignInClaim: WireShaped {
    /// Its members.
    public static let shape = WireShape.request(
        ScannedSignInClaim.self, [.required("qrData", SignInCode.shape), .required("deviceId", .of(DeviceID.self))])
}

/// A sign-in as the device that claimed its code sees it, before the person chooses a number.
public struct ScannedSignIn: WireMessage {
    /// The sign-in.
    public var transactionID: TransactionID
    /// The account that would sign in.
    public var account: AccountID
    /// The name of the app or site to sign in to.
    public var service: String
    /// The browser, by what it says of itself; nil if it is not known.
    public var browser: String?
    /// The browser's system; nil if it is not known.
    public var system: String?
    /// Whether browser and device reach the server from one network.
    public var sameNetwork: Bool
    /// Three numbers, one of which the page shows.
    public var numbers: [Int64]
    /// When the sign-in expires, unless it is approved before.
    public var expiresAt: NumericDate

    /// Creates an answer. Each parameter sets the property of the same name.
    public init(
        transactionID: TransactionID, account: AccountID, service: String, browser: String?, system: String?,
        sameNetwork: Bool, numbers: [Int64], expiresAt: NumericDate
    ) {
        self.transactionID = transactionID
        self.account = account
        self.service = service
        self.browser = browser
        self.system = system
        self.sameNetwork = sameNetwork
        self.numbers = numbers
        self.expiresAt = expiresAt
    }

    enum CodingKeys: String, CodingKey {
        case transactionID = "transactionId"
        case account = "accountId"
        case service, browser, system, sameNetwork, numbers, expiresAt
    }
}

/// The number that the person says is on the page (`POST /v1/sign-ins/{transactionId}/choice`). A wrong one ends the sign-in.
public struct ScannedSignInChoice: WireRequest {
    /// The device.
    public let deviceID: DeviceID
    /// The number.
    public let number: Int64

    /// Chooses a number. Each parameter sets the property of the same name.
    public init(deviceID: DeviceID, number: Int64) {
        self.deviceID = deviceID
        self.number = number
    }

    enum CodingKeys: String, CodingKey {
        case deviceID = "deviceId"
        case number
    }
}

/// "This is not me" (`POST /v1/sign-ins/{transactionId}/reject`). No one signs in by this code any more, and a browser that did is signed out.
public struct ScannedSignInRefusal: WireRequest {
    /// The device.
    public let deviceID: DeviceID

    /// Refuses a sign-in. The parameter sets the property of the same name.
    public init(deviceID: DeviceID) { self.deviceID = deviceID }

    enum CodingKeys: String, CodingKey {
        case deviceID = "deviceId"
    }
}

/// The bytes that a person signs to sign in elsewhere, in canonical JSON (RFC 8785).
///
/// They have a version and a hash of their own, so that they can never pass for a payment, nor a payment for them.
public struct SignInPayload: Hashable, Sendable {
    /// The version of the format; differs from those of ``TransactionPayload`` and ``ClientTransactionPayload``.
    public static let version: Int64 = 3
    /// The type, which no backend may create.
    public static let type = "LOGIN"
    /// The maximum length in bytes.
    public static let maximumBytes = 2_048

    /// The sign-in, as the device saw it. Its numbers are not signed.
    public let signIn: ScannedSignIn
    /// The client that the browser signs in to.
    public let clientID: ClientID
    /// The number that the person chose.
    public let number: Int64
    /// Random bytes unique to this sign-in.
    public let nonce: Nonce

    /// Creates a payload. Each parameter sets the property of the same name.
    public init(signIn: ScannedSignIn, clientID: ClientID, number: Int64, nonce: Nonce) {
        var signIn = signIn
        signIn.numbers = []
        self.signIn = signIn
        self.clientID = clientID
        self.number = number
        self.nonce = nonce
    }

    /// The bytes. Names are ASCII and sorted, and strings and integers are written as RFC 8785 requires.
    public var bytes: [UInt8] {
        var object = JSONObject()
        object.set("account", signIn.account)
        object.set("browser", signIn.browser)
        object.set("clientId", clientID)
        object.set("expiresAt", signIn.expiresAt)
        object.set("id", signIn.transactionID)
        object.set("nonce", nonce)
        object.set("number", number)
        object.set("origin", TransactionOrigin.server.rawValue)
        object.set("sameNetwork", signIn.sameNetwork)
        object.set("service", signIn.service)
        object.set("system", signIn.system)
        object.set("type", Self.type)
        object.set("ver", Self.version)
        return object.bytes
    }

    private static let members: Set = [
        "account", "browser", "clientId", "expiresAt", "id", "nonce", "number", "origin", "sameNetwork", "service",
        "system", "type", "ver",
    ]

    /// Parses the received bytes.
    /// - Parameter bytes: the payload.
    /// - Throws: ``MalformedValue`` for another version or type, duplicate or unknown members, and bytes that are not canonical.
    public init(parsing bytes: [UInt8]) throws(MalformedValue) {
        let object = try JSONValue.object(parsing: bytes, limits: JSONLimits(bytes: Self.maximumBytes, depth: 2))
        guard try object.integer("ver") == Self.version else {
            throw MalformedValue(field: "ver", reason: "is not known here: update the app")
        }
        guard try object.string("type") == Self.type else {
            throw MalformedValue(field: "type", reason: "is not \(Self.type)")
        }
        try object.refuseMembers(otherThan: Self.members)
        self.init(
            signIn: ScannedSignIn(
                transactionID: try object.required("id", object.value("id")),
                account: try object.required("account", object.value("account")),
                service: try object.required("service", object.string("service")),
                browser: try object.string("browser"), system: try object.string("system"),
                sameNetwork: try object.required("sameNetwork", object.bool("sameNetwork")), numbers: [],
                expiresAt: try object.required("expiresAt", object.date("expiresAt"))),
            clientID: try object.required("clientId", object.value("clientId")),
            number: try object.required("number", object.integer("number")),
            nonce: try object.required("nonce", object.value("nonce")))
        guard self.bytes == bytes else {
            throw MalformedValue(field: "payload", reason: "is not in canonical form")
        }
    }
}
