internal import Core
internal import Crypto
package import WalletAuthWire

/// A verified assertion of a passkey (WebAuthn §7.2).
package struct PasskeyAssertion: Sendable, Hashable {
    /// A passkey as it was registered and last used.
    package struct Known: Sendable, Hashable {
        package var credentialID: [UInt8]
        /// A COSE_Key.
        package var publicKey: [UInt8]
        /// The number of signatures at the last use; 0 if the authenticator does not count.
        package var counter: UInt32
        /// Whether it can be copied to other devices. This is fixed at its registration.
        package var isBackupEligible: Bool
    }

    /// The number of signatures now.
    package let counter: UInt32
    /// Whether it is copied to other devices now.
    package let isBackedUp: Bool

    /// Verifies an assertion.
    ///
    /// The counter is checked after the signature, so that only the key's holder can make it fall behind. User
    /// verification is checked last, so that it can be told from all other faults.
    package static func verify(
        _ response: PasskeyAssertionResponse, challenge: [UInt8], party: PasskeyRelyingParty, by passkey: Known
    ) throws(PasskeyFault) -> PasskeyAssertion {
        guard response.id == passkey.credentialID else { throw .wrongCredential }
        try PasskeyClientData(json: response.clientData).check(.assertion, challenge: challenge, by: party)
        let data = try AuthenticatorData(response.authenticatorData)
        try data.check(party)
        // §6.1: only a registration contains a key.
        guard data.credential == nil else { throw .malformed("the assertion contains a key") }
        let key = try PasskeyKey(encoded: passkey.publicKey)
        let signed = response.authenticatorData + SHA256.hash(data: response.clientData)
        guard key.isValid(response.signature, for: signed) else { throw .wrongSignature }
        guard data.isBackupEligible == passkey.isBackupEligible else { throw .inconsistentBackup }
        guard isAhead(data.counter, of: passkey.counter) else { throw .counterBehind }
        guard data.isUserVerified else { throw .userNotVerified }
        return PasskeyAssertion(counter: data.counter, isBackedUp: data.isBackedUp)
    }

    /// §6.1.1: a counter increases with every signature; an authenticator that does not count leaves it at 0.
    static func isAhead(_ counter: UInt32, of last: UInt32) -> Bool {
        counter > last || (counter == 0 && last == 0)
    }
}

extension PasskeyKey {
    /// Verifies a signature with the key's own algorithm.
    /// - Parameter signature: as the authenticator encodes it: DER for ES256, 64 bytes for Ed25519, the modulus' length
    ///   for RS256.
    func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        isValid(signature, for: bytes) { try? RS256Verifier($0) }
    }
}
