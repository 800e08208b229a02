/// The reason an exchange produces no PIN key. None of the cases says anything about the PIN: only the server can tell
/// whether it is right.
enum PINFailure: Error, Hashable, Sendable {
    /// The device's stored share is damaged.
    case storedShare
    /// The evaluation does not prove the key that is pinned for this enrollment and epoch: another key, another server,
    /// or an attacker in between.
    case wrongServerKey
    /// The evaluation is for an epoch other than that of the pinned key.
    case wrongEpoch
    /// The pinned key is for an enrollment other than that of the device's secret.
    case wrongEnrollment
    /// No valid scalar was derived. With a working random number generator this never happens.
    case noScalar
    /// The cryptographic library reported an error.
    case cryptography
}
