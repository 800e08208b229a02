package import AuthCore

/// Why a call about devices was refused.
package enum DeviceRefusal: Error, Sendable, Hashable {
    /// Token, proof or client are not what they must be.
    case unauthorized(OAuthRefusal)
    /// The session's sign-in was too weak or is too old (RFC 9470); seconds that it may be old.
    case strongerSignIn(maximumAge: Int64)
    /// The account was recovered lately by its mailbox alone; seconds until a device can be enrolled.
    case cooling(retryAfter: Int64)
    /// The challenge is malformed, expired, used, or was made for something else.
    case invalidChallenge
    /// The key's signature is not over this challenge, or not by this key.
    case invalidProof
    /// The key belongs to an enrollment already: make another.
    case keyTaken
    /// The account has as many devices as it may have; one has to be removed first.
    case tooManyDevices(limit: Int)
    /// The account has no such device.
    case notFound
    /// The device is suspended or deactivated.
    case notActive
    /// Nobody attests that the key signs only after the device saw its holder.
    case presenceNotAttested
    /// The code is wrong, used or too old.
    case invalidCode
    /// Nothing waits to be confirmed.
    case nothingToVerify
    /// Too many codes were asked for or tried; seconds.
    case tooManyAttempts(retryAfter: Int64)
    /// The account changed while this was decided: sign in again.
    case accountChanged
}
