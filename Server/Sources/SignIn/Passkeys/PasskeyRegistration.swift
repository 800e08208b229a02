// Verifies registrations and assertions of passkeys (WebAuthn §7).

internal import Crypto
package import WalletAuthWire

/// A verified registration of a new passkey (WebAuthn §7.1).
package struct PasskeyRegistration: Sendable, Hashable {
    /// How much is known about the authenticator.
    package enum Attestation: Sendable, Hashable {
        /// There was no attestation.
        case none
        /// The new key signed its own registration.
        case selfSigned
        /// There was an attestation, which is ignored: no rule depends on the model of the authenticator.
        case unread
    }

    package let credentialID: [UInt8]
    /// A COSE_Key.
    package let publicKey: [UInt8]
    /// The number of signatures; 0 if the authenticator does not count.
    package let counter: UInt32
    /// Whether it can be copied to other devices.
    package let isBackupEligible: Bool
    /// Whether it was copied.
    package let isBackedUp: Bool
    package let attestation: Attestation

    /// Verifies a registration.
    ///
    /// User verification is checked last, so that it can be told from all other faults.
    package static func verify(
        _ response: PasskeyRegistrationResponse, challenge: [UInt8], party: PasskeyRelyingParty
    ) throws(PasskeyFault) -> PasskeyRegistration {
        try PasskeyClientData(json: response.clientData).check(.registration, challenge: challenge, by: party)
        guard let object = try CBORReader.value(of: response.attestationObject).map, object.count == 3,
            let format = object[.text("fmt")]?.text, let statement = object[.text("attStmt")]?.map,
            let bytes = object[.text("authData")]?.bytes
        else { throw .malformed("the attestation object is malformed") }
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

    /// Reads the formats of §8.7 and, for self attestation, §8.2. All other statements are ignored, as allowed to a
    /// site that requested none (§7.1 step 24).
    private static func attestation(
        _ format: String, _ statement: [CBORValue: CBORValue], by key: PasskeyKey, over signed: [UInt8]
    ) throws(PasskeyFault) -> Attestation {
        switch format {
        case "none":
            guard statement.isEmpty else { throw .malformed("the attestation of the format none is not empty") }
            return .none
        case "packed" where statement[.text("x5c")] == nil:
            guard statement.count == 2, statement[.text("alg")]?.integer == key.algorithm.rawValue,
                let signature = statement[.text("sig")]?.bytes
            else { throw .malformed("the self attestation is malformed") }
            guard key.isValid(signature, for: signed) else { throw .wrongSignature }
            return .selfSigned
        default: return .unread
        }
    }
}
