/// A browser's response after creating a passkey: `RegistrationResponseJSON` (WebAuthn §5.1).
public struct PasskeyRegistrationResponse: Hashable, Sendable {
    /// The new key's identifier.
    public var id: [UInt8]
    /// The exact bytes of the client data's JSON, whose hash was signed.
    public var clientData: [UInt8]
    /// The attestation object, CBOR.
    public var attestationObject: [UInt8]
    /// The transports of its authenticator: `internal`, `hybrid`, `usb` …
    public var transports: [String]

    /// Creates a value. Each parameter sets the property of the same name.
    public init(id: [UInt8], clientData: [UInt8], attestationObject: [UInt8], transports: [String] = []) {
        self.id = id
        self.clientData = clientData
        self.attestationObject = attestationObject
        self.transports = transports
    }

    /// Reads the JSON of `PublicKeyCredential.toJSON()`. Unknown members are ignored, because browsers add some.
    /// - Parameter object: the credential.
    public init(_ object: JSONObject) throws(MalformedValue) {
        let response = try object.credentialResponse()
        id = try object.credentialID()
        clientData = try response.binary("clientDataJSON", 1...PasskeyLimits.clientData)
        attestationObject = try response.binary("attestationObject", 1...PasskeyLimits.attestation)
        // An unsigned hint for later ceremonies: unknown values are left out.
        let known = Set(PasskeyLimits.transports)
        transports = (try response.strings("transports") ?? []).filter(known.contains)
    }

    /// The credential's JSON.
    public var json: JSONObject {
        var response = JSONObject()
        response.set("clientDataJSON", Base64URL.encode(clientData))
        response.set("attestationObject", Base64URL.encode(attestationObject))
        response.set("transports", transports)
        return JSONObject(credential: id, response: response)
    }
}

/// A browser's response after using a passkey: `AuthenticationResponseJSON` (WebAuthn §5.1).
public struct PasskeyAssertionResponse: Hashable, Sendable {
    /// The key's identifier.
    public var id: [UInt8]
    /// The exact bytes of the client data's JSON, whose hash was signed.
    public var clientData: [UInt8]
    /// The authenticator's signed data.
    public var authenticatorData: [UInt8]
    /// The signature.
    public var signature: [UInt8]
    /// The account's 16 bytes, as the authenticator stored them.
    public var userHandle: [UInt8]?

    /// Creates a value. Each parameter sets the property of the same name.
    public init(
        id: [UInt8], clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8], userHandle: [UInt8]?
    ) {
        self.id = id
        self.clientData = clientData
        self.authenticatorData = authenticatorData
        self.signature = signature
        self.userHandle = userHandle
    }

    /// Reads the JSON of `PublicKeyCredential.toJSON()`. Unknown members are ignored, because browsers add some.
    /// - Parameter object: the credential.
    public init(_ object: JSONObject) throws(MalformedValue) {
        let response = try object.credentialResponse()
        id = try object.credentialID()
        clientData = try response.binary("clientDataJSON", 1...PasskeyLimits.clientData)
        authenticatorData = try response.binary("authenticatorData", 1...PasskeyLimits.authenticatorData)
        signature = try response.binary("signature", 1...PasskeyLimits.signature)
        switch response["userHandle"] {
        case nil, .null?: userHandle = nil
        default: userHandle = try response.binary("userHandle", 1...64)
        }
    }

    /// Reads the JSON's text.
    /// - Parameter text: the value of the form's field.
    public init(text: String) throws(MalformedValue) {
        try self.init(JSONValue.object(parsing: Array(text.utf8), limits: PasskeyLimits.json))
    }

    /// The text of ``json``, for a form's field.
    public var text: String { JSONValue.object(json).text }

    /// The credential's JSON.
    public var json: JSONObject {
        var response = JSONObject()
        response.set("clientDataJSON", Base64URL.encode(clientData))
        response.set("authenticatorData", Base64URL.encode(authenticatorData))
        response.set("signature", Base64URL.encode(signature))
        response.set("userHandle", userHandle.map { Base64URL.encode($0) })
        return JSONObject(credential: id, response: response)
    }
}

/// The limits of the parts: generous for authenticators, small for attackers.
enum PasskeyLimits {
    static let clientData = 8_192
    static let challenge = 1_024
    static let attestation = 32_768
    static let authenticatorData = 4_096
    static let signature = 1_024
    /// A COSE_Key: an RSA modulus of 8,192 bits, with some room.
    static let publicKey = 2_048
    static let json = JSONLimits(bytes: 65_536, depth: 6)
    /// WebAuthn §5.8.4.
    static let transports = ["usb", "nfc", "ble", "smart-card", "hybrid", "internal"]
}

extension JSONObject {
    fileprivate init(credential id: [UInt8], response: JSONObject) {
        self.init()
        set("id", Base64URL.encode(id))
        set("rawId", Base64URL.encode(id))
        set("type", "public-key")
        self["response"] = .object(response)
        self["clientExtensionResults"] = .object(JSONObject())
    }

    fileprivate func credentialResponse() throws(MalformedValue) -> JSONObject {
        guard try string("type") == "public-key" else {
            throw MalformedValue(field: "type", reason: "is not public-key")
        }
        return try required("response", self["response"]?.object)
    }

    /// The id, which must be the same under both names (WebAuthn §5.1).
    fileprivate func credentialID() throws(MalformedValue) -> [UInt8] {
        let id = try binary("rawId", 1...1023)
        guard try string("id") == string("rawId") else { throw MalformedValue(field: "id", reason: "is not rawId") }
        return id
    }

    func binary(_ name: String, _ length: ClosedRange<Int>) throws(MalformedValue) -> [UInt8] {
        guard let bytes = Base64URL.decode(try required(name, string(name))) else {
            throw MalformedValue(field: name, reason: "is not base64url")
        }
        guard length.contains(bytes.count) else { throw MalformedValue(field: name, reason: "is too long") }
        return bytes
    }
}
