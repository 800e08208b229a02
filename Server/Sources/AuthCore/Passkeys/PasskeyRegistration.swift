internal import Crypto
package import WalletAuthWire

/// A key that an authenticator made for this site, its registration verified (WebAuthn §7.1).
package struct PasskeyRegistration: Sendable, Hashable {
    /// How much is known of the authenticator that made it.
    package enum Attestation: Sendable, Hashable {
        /// Nothing was said.
        case none
        /// The new key signed its own registration.
        case selfSigned
        /// Something was said that is not read here: no rule asks which authenticator it was.
        case unread
    }

    /// What the key is called by.
    package let credentialID: [UInt8]
    /// The public key, a COSE_Key.
    package let publicKey: [UInt8]
    /// How often it has signed; 0 where it does not count.
    package let counter: UInt32
    /// Whether it can be copied to other devices.
    package let isBackupEligible: Bool
    /// Whether it was.
    package let isBackedUp: Bool
    /// How much is known of its authenticator.
    package let attestation: Attestation

    /// Verifies a registration.
    ///
    /// That the authenticator saw who was there comes last, so that the other faults are told apart from it.
    /// - Parameters:
    ///   - response: what the browser brought.
    ///   - challenge: what it was to be made over.
    ///   - party: the site.
    /// - Throws: why it is not taken.
    package static func verify(
        _ response: PasskeyRegistrationResponse, challenge: [UInt8], party: PasskeyRelyingParty
    ) throws(PasskeyFault) -> PasskeyRegistration {
        try PasskeyClientData(json: response.clientData).check(.registration, challenge: challenge, by: party)
        guard let object = try CBORReader.value(of: response.attestationObject).map, object.count == 3,
            let format = object[.text("fmt")]?.text, let statement = object[.text("attStmt")]?.map,
            let bytes = object[.text("authData")]?.bytes
        else { throw .malformed("the attestation object is none") }
        let data = try AuthenticatorData(bytes)
        try data.check(party)
        guard let credential = data.credential else { throw .malformed("the registration has no key") }
        guard credential.id == response.id else { throw .wrongCredential }
        let attestation = try Self.attestation(
            format, statement, by: credential.key, over: bytes + SHA256.hash(data: response.clientData))
        guard data.isUserVerified else { throw .userNotVerified }
        return PasskeyRegistration(
            credentialID: credential.id, publicKey: credential.encodedKey, counter: data.counter,
            isBackupEligible: data.isBackupEligible, isBackedUp: data.isBackedUp, attestation: attestation)
    }

    /// §8.7 and, for the statement of a key about itself, §8.2. Every other statement is left unread, as one who asked for none
    /// may (§7.1 step 24).
    private static func attestation(
        _ format: String, _ statement: [CBORValue: CBORValue], by key: PasskeyKey, over signed: [UInt8]
    ) throws(PasskeyFault) -> Attestation {
        switch format {
        case "none":
            guard statement.isEmpty else { throw .malformed("the empty attestation says something") }
            return .none
        case "packed" where statement[.text("x5c")] == nil:
            guard statement.count == 2, statement[.text("alg")]?.integer == key.algorithm.rawValue,
                let signature = statement[.text("sig")]?.bytes
            else { throw .malformed("the self attestation is none") }
            guard key.isValid(signature, for: signed) else { throw .wrongSignature }
            return .selfSigned
        default: return .unread
        }
    }
}
