/// Why an attestation is refused. For the audit log: the app learns only that it is.
package enum AttestationFault: String, Error, Sendable, Hashable, CaseIterable {
    /// It does not have the form of its format.
    case malformed
    /// The client's policy requires one, and there is none.
    case missing
    /// The chain does not lead to a trusted root, or a certificate of it is not valid now.
    case untrustedChain = "untrusted_chain"
    /// A certificate of the chain is revoked.
    case revoked
    /// It is about another challenge: another key, person or use.
    case wrongChallenge = "wrong_challenge"
    /// The attested key is another one.
    case wrongKey = "wrong_key"
    /// It is by an app that is not the client's.
    case wrongApp = "wrong_app"
    /// It is by a build for development, and this is production.
    case development
    /// A first attestation has been used before.
    case usedBefore = "used_before"
    /// An assertion's counter did not rise.
    case counterBehind = "counter_behind"
    /// An assertion is not by the app's attested key.
    case wrongSignature = "wrong_signature"
    /// An assertion by a device whose app was never attested.
    case neverAttested = "never_attested"
    /// The key or its attestation is not of secure hardware.
    case notHardware = "not_hardware"
    /// The phone is unlocked, or its start was not verified.
    case unverifiedBoot = "unverified_boot"
    /// The key is not for signing on P-256 alone, or was not made in the phone.
    case unsuitableKey = "unsuitable_key"
}
