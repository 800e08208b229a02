internal import Crypto
package import WalletAuthWire

/// What an assertion by a passkey says of it, verified (WebAuthn §7.2).
package struct PasskeyAssertion: Sendable, Hashable {
    /// A passkey as it was registered and last used.
    package struct Known: Sendable, Hashable {
        /// What it is called by.
        package var credentialID: [UInt8]
        /// Its public key, a COSE_Key.
        package var publicKey: [UInt8]
        /// How often it had signed; 0 where it does not count.
        package var counter: UInt32
        /// Whether it can be copied to other devices: said at its registration, and never another way after.
        package var isBackupEligible: Bool

        /// Each parameter is the property of its name.
        package init(credentialID: [UInt8], publicKey: [UInt8], counter: UInt32, isBackupEligible: Bool) {
            self.credentialID = credentialID
            self.publicKey = publicKey
            self.counter = counter
            self.isBackupEligible = isBackupEligible
        }
    }

    /// How often it has signed by now.
    package let counter: UInt32
    /// Whether it is copied to other devices by now.
    package let isBackedUp: Bool

    /// Verifies an assertion.
    ///
    /// The counter is judged after the signature, so that nobody but the key's holder can make it look behind; and that the
    /// authenticator saw who was there comes last, so that the other faults are told apart from it.
    /// - Parameters:
    ///   - response: what the browser brought.
    ///   - challenge: what was to be signed over.
    ///   - party: the site.
    ///   - passkey: the passkey that the response names.
    /// - Throws: why it is not taken.
    package static func verify(
        _ response: PasskeyAssertionResponse, challenge: [UInt8], party: PasskeyRelyingParty, by passkey: Known
    ) throws(PasskeyFault) -> PasskeyAssertion {
        guard response.id == passkey.credentialID else { throw .wrongCredential }
        try PasskeyClientData(json: response.clientData).check(.assertion, challenge: challenge, by: party)
        let data = try AuthenticatorData(response.authenticatorData)
        try data.check(party)
        // §6.1: only a registration brings a key.
        guard data.credential == nil else { throw .malformed("the assertion brings a key") }
        let key = try PasskeyKey(encoded: passkey.publicKey)
        let signed = response.authenticatorData + SHA256.hash(data: response.clientData)
        guard key.isValid(response.signature, for: signed) else { throw .wrongSignature }
        guard data.isBackupEligible == passkey.isBackupEligible else { throw .inconsistentBackup }
        guard isAhead(data.counter, of: passkey.counter) else { throw .counterBehind }
        guard data.isUserVerified else { throw .userNotVerified }
        return PasskeyAssertion(counter: data.counter, isBackedUp: data.isBackedUp)
    }

    /// §6.1.1: a key that counts moves on by every signature; one that does not stays at 0 for ever.
    static func isAhead(_ counter: UInt32, of last: UInt32) -> Bool {
        counter > last || (counter == 0 && last == 0)
    }
}
