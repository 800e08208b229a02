package import AuthCore

package enum DeviceRefusal: Error, Sendable, Hashable {
    /// Token, proof or client are not valid.
    case unauthorized(OAuthRefusal)
    /// The session's sign-in is too weak or too old (RFC 9470). The maximum age in seconds.
    case strongerSignIn(maximumAge: Int64)
    /// A cooling period after a recovery by mailbox alone. Seconds until a device can be enrolled.
    case cooling(retryAfter: Int64)
    /// The challenge is malformed, expired, used, or was made for another purpose.
    case invalidChallenge
    /// The signature does not match this key and challenge.
    case invalidProof
    /// The key already belongs to an enrollment: generate another.
    case keyTaken
    /// The account has reached the limit of devices; one has to be removed first.
    case tooManyDevices(limit: Int)
    /// The account has no such device.
    case notFound
    /// The device is suspended or deactivated.
    case notActive
    /// No attestation proves that the device verifies its holder before the key signs.
    case presenceNotAttested
    /// The code is wrong, used or too old.
    case invalidCode
    /// Nothing waits for confirmation.
    case nothingToVerify
    /// Too many codes were requested or tried. In seconds.
    case tooManyAttempts(retryAfter: Int64)
    /// The account changed in the meantime: sign in again.
    case accountChanged
}
