internal import Crypto

/// A passkey's signature over one operation, with everything that it takes to verify it without asking anybody (WebAuthn
/// §7.2): a member of ``OperationEvidenceClaims/Attempt``.
public struct PasskeySignature: Hashable, Sendable {
    /// `credentialId`: what the key is called by. Nothing signs it: that this key is called so, and is the account's, is the
    /// word of its registration.
    public var credentialID: [UInt8]
    /// `publicKey`: the key, a COSE_Key.
    public var publicKey: [UInt8]
    /// `rpId`: the site that the key is made for.
    public var relyingPartyID: String
    /// `origin`: the one page that may ask.
    public var origin: String
    /// `browser`: what the browser was known by, for this event alone (``PasskeyConsent/browser``).
    public var browser: [UInt8]
    /// `clientDataJSON`, byte by byte: the authenticator signed its hash.
    public var clientData: [UInt8]
    /// `authenticatorData`: what the authenticator says.
    public var authenticatorData: [UInt8]
    /// `signature`, as the authenticator made it: over ``authenticatorData`` and SHA-256 of ``clientData``.
    public var signature: [UInt8]

    /// Each parameter is the property of its name.
    public init(
        credentialID: [UInt8], publicKey: [UInt8], relyingPartyID: String, origin: String, browser: [UInt8],
        clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8]
    ) {
        self.credentialID = credentialID
        self.publicKey = publicKey
        self.relyingPartyID = relyingPartyID
        self.origin = origin
        self.browser = browser
        self.clientData = clientData
        self.authenticatorData = authenticatorData
        self.signature = signature
    }

    /// Reads what ``json`` made.
    /// - Parameter object: the object.
    public init(_ object: JSONObject) throws(MalformedValue) {
        func bytes(_ name: String, _ length: ClosedRange<Int>) throws(MalformedValue) -> [UInt8] {
            guard let bytes = Base64URL.decode(try object.required(name, object.string(name))),
                length.contains(bytes.count)
            else { throw MalformedValue(field: "passkey.\(name)", reason: "is no base64url, or too short or too long") }
            return bytes
        }
        credentialID = try bytes("credentialId", AuthenticatorData.credentialIDs)
        publicKey = try bytes("publicKey", 1...PasskeyLimits.publicKey)
        relyingPartyID = try object.required("rpId", object.string("rpId"))
        origin = try object.required("origin", object.string("origin"))
        browser = try bytes("browser", PasskeyConsent.hashLength...PasskeyConsent.hashLength)
        clientData = try bytes("clientDataJSON", 1...PasskeyLimits.clientData)
        authenticatorData = try bytes("authenticatorData", 1...PasskeyLimits.authenticatorData)
        signature = try bytes("signature", 1...PasskeyLimits.signature)
    }

    /// As JSON.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("credentialId", Base64URL.encode(credentialID))
        object.set("publicKey", Base64URL.encode(publicKey))
        object.set("rpId", relyingPartyID)
        object.set("origin", origin)
        object.set("browser", Base64URL.encode(browser))
        object.set("clientDataJSON", Base64URL.encode(clientData))
        object.set("authenticatorData", Base64URL.encode(authenticatorData))
        object.set("signature", Base64URL.encode(signature))
        return object
    }
}

/// Why a passkey's signature proves no consent to an operation.
enum PasskeySignatureFault: Error, Hashable, Sendable {
    /// It is not what was to be signed, in words; or not signed.
    case wrong(String)
    /// It is by an RSA key, and nobody here verifies those.
    case unverifiable
}

extension PasskeySignature {
    /// Verifies it as the server did when it came, but for the counter, which is nobody's to know later.
    /// - Parameters:
    ///   - issuer: the server: its pages alone may ask.
    ///   - event: what was agreed to by it.
    ///   - payload: the very bytes that were shown.
    ///   - rsaVerifier: verifies by an RSA key; `nil` from it for one that it does not take.
    func check(
        at issuer: Issuer, event: SCAEventID, payload: [UInt8], rsaVerifier: (JWK) -> (any JWSVerifier)?
    ) throws(PasskeySignatureFault) {
        guard let party = PasskeyRelyingParty(issuer: issuer), party.id == relyingPartyID,
            party.origins == [origin]
        else { throw .wrong("is for another site") }
        let consent = PasskeyConsent(eventID: event, payloadHash: .operation(payload), browser: browser)
        do {
            let signed = try PasskeyClientData(json: clientData)
            guard consent.random(of: signed.challenge) != nil else {
                throw PasskeySignatureFault.wrong("is over another operation, event or browser")
            }
            try signed.check(.assertion, challenge: signed.challenge, by: party)
            let data = try AuthenticatorData(authenticatorData)
            try data.check(party)
            guard data.credential == nil else { throw PasskeyFault.malformed("the assertion brings a key") }
            guard data.isUserVerified else { throw PasskeyFault.userNotVerified }
            let key = try PasskeyKey(encoded: publicKey)
            let verifier = key.algorithm == .rs256 ? rsaVerifier(key.key) : nil
            if key.algorithm == .rs256, verifier == nil { throw PasskeySignatureFault.unverifiable }
            let hash = Array(SHA256.hash(data: clientData))
            guard key.isValid(signature, for: authenticatorData + hash, rsaVerifier: { _ in verifier }) else {
                throw PasskeyFault.wrongSignature
            }
        } catch let fault as PasskeySignatureFault {
            throw fault
        } catch let fault as PasskeyFault {
            throw .wrong(fault.words)
        } catch { throw .wrong("cannot be read") }
    }
}

extension PasskeyFault {
    /// What an auditor reads of a signature that is kept.
    fileprivate var words: String {
        switch self {
        case .malformed(let what): "has not the form that WebAuthn gives it: \(what)"
        case .wrongCeremony: "is no signature of a key that was used"
        case .wrongChallenge: "is over another challenge"
        case .wrongOrigin: "was asked for by a page of another origin"
        case .crossOrigin: "was asked for by a page in another site's frame"
        case .wrongRelyingParty: "is by a key of another site"
        case .userNotPresent: "was made while nobody touched the authenticator"
        case .userNotVerified: "was made without a look at who is there"
        case .inconsistentBackup: "contradicts itself on whether the key can be copied"
        case .unsupportedAlgorithm, .unusableKey: "has no key of an algorithm that is taken here"
        case .wrongSignature: "is not by its key, or was changed"
        case .wrongCredential: "is another key's"
        case .counterBehind: "has a counter that went back"
        }
    }
}
