/// Why a passkey's registration or assertion is not taken. The person is told none of it.
public enum PasskeyFault: Error, Sendable, Hashable {
    /// Something is not of the form that WebAuthn gives it; what, in words for the log.
    case malformed(String)
    /// The signed data are of the other ceremony, or of none.
    case wrongCeremony
    /// Another challenge was signed.
    case wrongChallenge
    /// A page of another origin asked.
    case wrongOrigin
    /// A page that stands in another site's frame asked.
    case crossOrigin
    /// The key is another site's.
    case wrongRelyingParty
    /// Nobody touched the authenticator.
    case userNotPresent
    /// The authenticator did not look who is there.
    case userNotVerified
    /// A key that may not be copied is said to be copied, or changed what it is.
    case inconsistentBackup
    /// The key's algorithm is none that is offered.
    case unsupportedAlgorithm
    /// The key is no key of its algorithm.
    case unusableKey
    /// The signature is not the key's.
    case wrongSignature
    /// The assertion is another key's.
    case wrongCredential
    /// The counter did not move on: the key may have been copied.
    case counterBehind
}
