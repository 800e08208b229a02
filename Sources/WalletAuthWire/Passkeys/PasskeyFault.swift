/// The reason a passkey's registration or assertion is refused. For logs only; the person sees none of it.
public enum PasskeyFault: Error, Sendable, Hashable {
    /// The data do not have the form that WebAuthn requires; the text says what is wrong, for the log.
    case malformed(String)
    /// The signed data belong to the other ceremony, or to none.
    case wrongCeremony
    /// Another challenge was signed.
    case wrongChallenge
    /// The page has another origin.
    case wrongOrigin
    /// The page is in another site's frame.
    case crossOrigin
    /// The key belongs to another site.
    case wrongRelyingParty
    /// No one touched the authenticator.
    case userNotPresent
    /// The authenticator did not verify the person.
    case userNotVerified
    /// A key that may not be copied claims to be copied, or its kind changed.
    case inconsistentBackup
    /// The key's algorithm was not offered.
    case unsupportedAlgorithm
    /// The key is not valid for its algorithm.
    case unusableKey
    /// The signature does not match the key.
    case wrongSignature
    /// The assertion is by another key.
    case wrongCredential
    /// The counter did not advance: the key may have been copied.
    case counterBehind
}
