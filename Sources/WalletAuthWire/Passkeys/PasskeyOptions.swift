/// The request to create a passkey: `PublicKeyCredentialCreationOptionsJSON` (WebAuthn §5.1.9).
///
/// It asks for a discoverable key that requires user verification, and for no attestation.
public struct PasskeyCreationOptions: Hashable, Sendable {
    /// The site's id: a domain.
    public var relyingPartyID: String
    /// The site's name.
    public var relyingPartyName: String
    /// The account's 16 bytes, without name or address.
    public var userHandle: [UInt8]
    /// The user name shown for choosing.
    public var userName: String
    /// What the new key's registration states.
    public var challenge: [UInt8]
    /// The account's existing keys: an authenticator that has one creates no second.
    public var exclude: [PasskeyDescriptor]
    /// How long to wait for the person, in milliseconds.
    public var timeout: Int64

    /// Creates a value. Each parameter sets the property of the same name.
    public init(
        relyingPartyID: String, relyingPartyName: String, userHandle: [UInt8], userName: String, challenge: [UInt8],
        exclude: [PasskeyDescriptor], timeout: Int64
    ) {
        self.relyingPartyID = relyingPartyID
        self.relyingPartyName = relyingPartyName
        self.userHandle = userHandle
        self.userName = userName
        self.challenge = challenge
        self.exclude = exclude
        self.timeout = timeout
    }

    /// Reads the options' JSON. What every server of this project asks for is not read: algorithms, verification, attestation.
    /// - Parameter object: the options.
    public init(_ object: JSONObject) throws(MalformedValue) {
        let party = try object.required("rp", object["rp"]?.object)
        let user = try object.required("user", object["user"]?.object)
        relyingPartyID = try party.required("id", party.string("id"))
        relyingPartyName = try party.required("name", party.string("name"))
        userHandle = try user.binary("id", 1...64)
        userName = try user.required("name", user.string("name"))
        challenge = try object.binary("challenge", 1...PasskeyLimits.challenge)
        exclude = []
        for key in try object.objects("excludeCredentials") ?? [] { exclude.append(try PasskeyDescriptor(key)) }
        timeout = try object.required("timeout", object.integer("timeout"))
    }

    /// The options' JSON, for `PublicKeyCredential.parseCreationOptionsFromJSON()`.
    public var json: JSONObject {
        let options: JSONValue = [
            "rp": ["id": .string(relyingPartyID), "name": .string(relyingPartyName)],
            "user": [
                "id": .string(Base64URL.encode(userHandle)), "name": .string(userName),
                "displayName": .string(userName),
            ],
            "challenge": .string(Base64URL.encode(challenge)),
            "pubKeyCredParams": .array(
                PasskeyAlgorithm.allCases.map { ["type": "public-key", "alg": .integer($0.rawValue)] }),
            "timeout": .integer(timeout), "excludeCredentials": .array(exclude.map { .object($0.json) }),
            "authenticatorSelection": [
                "residentKey": "required", "requireResidentKey": true, "userVerification": "required",
            ],
            "attestation": "none",
        ]
        return options.object ?? JSONObject()
    }
}

/// The request to use a passkey: `PublicKeyCredentialRequestOptionsJSON` (WebAuthn §5.1.10). It names no key: the
/// authenticator finds those of the site, and no one learns which accounts have one.
public struct PasskeyRequestOptions: WireMessage {
    /// `challenge`: what the assertion states.
    public var challenge: [UInt8]
    /// `timeout`: how long to wait for the person, in milliseconds.
    public var timeout: Int64
    /// `rpId`: the site's id, a domain.
    public var relyingPartyID: String
    private var userVerification = "required"

    /// Creates a value. Each parameter sets the property of the same name.
    public init(relyingPartyID: String, challenge: [UInt8], timeout: Int64) {
        self.relyingPartyID = relyingPartyID
        self.challenge = challenge
        self.timeout = timeout
    }

    enum CodingKeys: String, CodingKey {
        case challenge, timeout
        case relyingPartyID = "rpId"
        case userVerification
    }
}

/// A key's description (WebAuthn §5.8.3).
public struct PasskeyDescriptor: Hashable, Sendable {
    /// The key's identifier.
    public var id: [UInt8]
    /// The transports of its authenticator.
    public var transports: [String]

    /// Creates a value. Each parameter sets the property of the same name.
    public init(id: [UInt8], transports: [String]) {
        self.id = id
        self.transports = transports
    }

    init(_ object: JSONObject) throws(MalformedValue) {
        id = try object.binary("id", 1...1023)
        transports = try object.strings("transports") ?? []
    }

    var json: JSONObject {
        var object = JSONObject()
        object.set("type", "public-key")
        object.set("id", Base64URL.encode(id))
        object.set("transports", transports)
        return object
    }
}

extension PasskeyCreationOptions: WireShaped {
    /// Its members, as WebAuthn has them.
    public static let shape = WireShape.answer(
        PasskeyCreationOptions.self,
        [
            .required("rp", .names(.text(nil))), .required("user", .names(.text(nil))),
            .required("challenge", .bytes()), .required("pubKeyCredParams", .array(.names(.anything))),
            .required("timeout", .integer()), .required("excludeCredentials", .array(.names(.anything))),
            .required("authenticatorSelection", .names(.anything)), .required("attestation", .choice(["none"])),
        ])
}
