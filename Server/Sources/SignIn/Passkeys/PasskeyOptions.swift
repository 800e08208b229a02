package import WalletAuthWire

/// The request to create a passkey: `PublicKeyCredentialCreationOptionsJSON` (WebAuthn §5.1.9).
///
/// It asks for a discoverable key that requires user verification, and for no attestation.
package struct PasskeyCreationOptions: Hashable, Sendable {
    /// The site's id: a domain.
    var relyingPartyID: String
    /// The site's name.
    var relyingPartyName: String
    /// The account's 16 bytes, without name or address.
    var userHandle: [UInt8]
    /// The user name shown for choosing.
    var userName: String
    var challenge: [UInt8]
    /// The account's existing keys: an authenticator that has one creates no second.
    var exclude: [PasskeyDescriptor]
    /// How long the browser waits for the person, in milliseconds.
    var timeout: Int64

    /// The options' JSON, for `PublicKeyCredential.parseCreationOptionsFromJSON()`.
    package var json: JSONObject {
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
package struct PasskeyRequestOptions: Hashable, Sendable {
    /// The site's id: a domain.
    package var relyingPartyID: String
    package var challenge: [UInt8]
    /// How long the browser waits for the person, in milliseconds.
    package var timeout: Int64

    package init(relyingPartyID: String, challenge: [UInt8], timeout: Int64) {
        self.relyingPartyID = relyingPartyID
        self.challenge = challenge
        self.timeout = timeout
    }

    /// The options' JSON, for `PublicKeyCredential.parseRequestOptionsFromJSON()`.
    package var json: JSONObject {
        var object = JSONObject()
        object.set("challenge", Base64URL.encode(challenge))
        object.set("timeout", timeout)
        object.set("rpId", relyingPartyID)
        object.set("userVerification", "required")
        return object
    }
}

/// A key's description for a browser (WebAuthn §5.8.3).
struct PasskeyDescriptor: Hashable, Sendable {
    /// The key's identifier.
    var id: [UInt8]
    /// The transports of its authenticator.
    var transports: [String]

    var json: JSONObject {
        var object = JSONObject()
        object.set("type", "public-key")
        object.set("id", Base64URL.encode(id))
        object.set("transports", transports)
        return object
    }
}
