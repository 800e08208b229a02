internal import Crypto

/// A passkey's signature over one operation, with everything needed to verify it offline (WebAuthn §7.2): a member of
/// ``OperationEvidenceClaims/Attempt``.
public struct PasskeySignature: WireMessage {
    /// `credentialId`: the key's identifier. It is not signed: only the registration vouches that this key has this
    /// identifier and belongs to the account.
    public var credentialID: [UInt8]
    /// `publicKey`: the key, a COSE_Key.
    public var publicKey: [UInt8]
    /// `rpId`: the site of the key.
    public var relyingPartyID: String
    /// `origin`: the page or app that asked.
    public var origin: String
    /// `browser`: the browser's or app's identification for this event alone (``PasskeyConsent/browser``).
    public var browser: [UInt8]
    /// `clientDataJSON`, the exact bytes: the authenticator signed their hash.
    public var clientData: [UInt8]
    /// `authenticatorData`: the authenticator's data.
    public var authenticatorData: [UInt8]
    /// `signature`, from the authenticator: over ``authenticatorData`` and the SHA-256 of ``clientData``.
    public var signature: [UInt8]

    /// Creates a value. Each parameter sets the property of the same name.
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

    enum CodingKeys: String, CodingKey {
        case credentialID = "credentialId"
        case publicKey
        case relyingPartyID = "rpId"
        case origin, browser
        case clientData = "clientDataJSON"
        case authenticatorData, signature
    }

    /// Refuses parts that are too short or too long.
    public func validate() throws(MalformedValue) {
        let parts: [(CodingKeys, [UInt8], ClosedRange<Int>)] = [
            (.credentialID, credentialID, AuthenticatorData.credentialIDs),
            (.publicKey, publicKey, 1...PasskeyLimits.publicKey),
            (.browser, browser, PasskeyConsent.hashLength...PasskeyConsent.hashLength),
            (.clientData, clientData, 1...PasskeyLimits.clientData),
            (.authenticatorData, authenticatorData, 1...PasskeyLimits.authenticatorData),
            (.signature, signature, 1...PasskeyLimits.signature),
        ]
        for (name, bytes, length) in parts where !length.contains(bytes.count) {
            throw MalformedValue(field: name.rawValue, reason: "is too short or too long")
        }
    }
}

/// The reason a passkey's signature proves no consent to an operation.
enum PasskeySignatureFault: Error, Hashable, Sendable {
    /// The signed content is not the expected one, as the text says; or the signature is wrong.
    case wrong(String)
    /// It is by an RSA key, and there is no verifier for those.
    case unverifiable
}

extension PasskeySignature {
    /// Verifies the signature as the server did when it arrived, except for the counter, which cannot be known later.
    /// - Parameters:
    ///   - issuer: the server: only its pages may ask, and apps that the site itself names to the person's device.
    ///   - isInApp: whether an app asked.
    ///   - event: the event of the consent.
    ///   - payload: the exact bytes shown to the person.
    ///   - rsaVerifier: creates a verifier for an RSA key; `nil` from it if it does not support the key.
    func check(
        at issuer: Issuer, inApp isInApp: Bool, event: SCAEventID, payload: [UInt8],
        rsaVerifier: (JWK) -> (any JWSVerifier)?
    ) throws(PasskeySignatureFault) {
        guard var party = PasskeyRelyingParty(issuer: issuer), party.id == relyingPartyID,
            isInApp ? PasskeyRelyingParty.canBeApp(origin) : party.origins == [origin]
        else { throw .wrong("is for another site") }
        party.origins = [origin]
        let consent = PasskeyConsent(eventID: event, payloadHash: .operation(payload), browser: browser)
        do {
            let signed = try PasskeyClientData(json: clientData)
            guard consent.random(of: signed.challenge) != nil else {
                throw PasskeySignatureFault.wrong("is over another operation, event or browser")
            }
            try signed.check(.assertion, challenge: signed.challenge, by: party)
            let data = try AuthenticatorData(authenticatorData)
            try data.check(party)
            guard data.credential == nil else { throw PasskeyFault.malformed("the assertion contains a key") }
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
    /// The text for an auditor.
    fileprivate var words: String {
        switch self {
        case .malformed(let what): "does not have the form that WebAuthn requires: \(what)"
        case .wrongCeremony: "is not a signature of an assertion"
        case .wrongChallenge: "is over another challenge"
        case .wrongOrigin: "was asked for by a page of another origin"
        case .crossOrigin: "was asked for by a page in another site's frame"
        case .wrongRelyingParty: "is by a key of another site"
        case .userNotPresent: "was made while no one touched the authenticator"
        case .userNotVerified: "was made without verifying the person"
        case .inconsistentBackup: "contradicts itself on whether the key can be copied"
        case .unsupportedAlgorithm, .unusableKey: "has no key of a supported algorithm"
        case .wrongSignature: "is not by its key, or was changed"
        case .wrongCredential: "is by another key"
        case .counterBehind: "has a counter that went back"
        }
    }
}
