package import Kernel
internal import WalletAuthWire

extension BiometricKeyRecord {
    /// Whether its signature is a factor of its own. Without attestation the key may be in software and verify no one: it
    /// counts only in the sandbox, where apps are tried on simulators.
    package func counts(in environment: ServerSettings.Environment) -> Bool {
        attestsPresence || environment == .sandbox
    }

    /// The public half.
    /// - Throws: `JOSEError` if the row is damaged.
    var key: JWK {
        get throws(JOSEError) { try JWK(.p256(x: Array(publicKey.prefix(32)), y: Array(publicKey.suffix(32)))) }
    }
}
