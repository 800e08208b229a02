/// The offered algorithms of passkeys with their COSE numbers (RFC 9053, RFC 8812), in order of preference.
public enum PasskeyAlgorithm: Int64, Hashable, Sendable, CaseIterable {
    /// ECDSA on P-256 with SHA-256.
    case es256 = -7
    /// Ed25519.
    case edDSA = -8
    /// RSASSA-PKCS1-v1_5 with SHA-256: used by some Windows machines.
    case rs256 = -257
}

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
    /// The challenge.
    public var challenge: [UInt8]
    /// The account's existing keys: an authenticator that has one creates no second.
    public var exclude: [PasskeyDescriptor]
    /// How long the browser waits for the person, in milliseconds.
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

    /// The options' JSON, for `PublicKeyCredential.parseCreationOptionsFromJSON()`.
    public var json: JSONObject {
        var party = JSONObject()
        party.set("id", relyingPartyID)
        party.set("name", relyingPartyName)
        var user = JSONObject()
        user.set("id", Base64URL.encode(userHandle))
        user.set("name", userName)
        user.set("displayName", userName)
        var selection = JSONObject()
        selection.set("residentKey", "required")
        selection["requireResidentKey"] = .bool(true)
        selection.set("userVerification", "required")
        var object = JSONObject()
        object["rp"] = .object(party)
        object["user"] = .object(user)
        object.set("challenge", Base64URL.encode(challenge))
        object["pubKeyCredParams"] = .array(
            PasskeyAlgorithm.allCases.map { algorithm in
                var parameter = JSONObject()
                parameter.set("type", "public-key")
                parameter.set("alg", algorithm.rawValue)
                return .object(parameter)
            })
        object.set("timeout", timeout)
        object["excludeCredentials"] = .array(exclude.map { .object($0.json) })
        object["authenticatorSelection"] = .object(selection)
        object.set("attestation", "none")
        return object
    }
}

/// The request to use a passkey: `PublicKeyCredentialRequestOptionsJSON` (WebAuthn §5.1.10). It names no key: the
/// authenticator finds those of the site, and no one learns which accounts have one.
public struct PasskeyRequestOptions: Hashable, Sendable {
    /// The site's id: a domain.
    public var relyingPartyID: String
    /// The challenge.
    public var challenge: [UInt8]
    /// How long the browser waits for the person, in milliseconds.
    public var timeout: Int64

    /// Creates a value. Each parameter sets the property of the same name.
    public init(relyingPartyID: String, challenge: [UInt8], timeout: Int64) {
        self.relyingPartyID = relyingPartyID
        self.challenge = challenge
        self.timeout = timeout
    }

    /// The options' JSON, for `PublicKeyCredential.parseRequestOptionsFromJSON()`.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("challenge", Base64URL.encode(challenge))
        object.set("timeout", timeout)
        object.set("rpId", relyingPartyID)
        object.set("userVerification", "required")
        return object
    }
}

/// A key's description for a browser (WebAuthn §5.8.3).
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

    var json: JSONObject {
        var object = JSONObject()
        object.set("type", "public-key")
        object.set("id", Base64URL.encode(id))
        object.set("transports", transports)
        return object
    }
}
