/// Why no PIN key comes of an exchange. None of these says anything about the PIN: whether it is right only the server
/// finds out.
enum PINFailure: Error, Hashable, Sendable {
    /// What the device had stored is not what it stores.
    case storedShare
    /// The evaluation does not prove that the key pinned for this enrollment and epoch was used: another key, another
    /// server, or somebody between.
    case wrongServerKey
    /// The evaluation is for another epoch than the one whose key is pinned.
    case wrongEpoch
    /// What is pinned is for another enrollment than the device's secret.
    case wrongEnrollment
    /// No scalar was found. With a generator that works this never happens.
    case noScalar
    /// The cryptographic library refused.
    case cryptography
}
