package import Core
package import Kernel

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
    /// The client's policy requires an attestation, and there is none.
    case attestationRequired
    /// The attestation proves nothing. The reason is in the audit log.
    case attestationInvalid
    /// The code is wrong, used or too old.
    case invalidCode
    /// Nothing waits for confirmation.
    case nothingToVerify
    /// Too many codes were requested or tried. In seconds.
    case tooManyAttempts(retryAfter: Int64)
    /// The account changed in the meantime: sign in again.
    case accountChanged

    /// One of each kind, but those of the caller.
    static let all: [DeviceRefusal] = [
        .strongerSignIn(maximumAge: 0), .cooling(retryAfter: 1), .invalidChallenge, .invalidProof, .keyTaken,
        .tooManyDevices(limit: 1), .notFound, .notActive, .presenceNotAttested, .attestationRequired,
        .attestationInvalid, .invalidCode, .nothingToVerify, .tooManyAttempts(retryAfter: 1), .accountChanged,
    ]
}

/// Why a device can currently neither consent to payments nor sign transactions.
package enum DeviceRestriction: Sendable, Hashable {
    /// Suspended, deactivated or removed.
    case closed
    /// Its installation has not confirmed the code that was sent to the holder.
    case unverifiedInstance
    /// Recently enrolled.
    case cooling(until: Timestamp)
}

extension DeviceRecord {
    /// The current restriction; `nil` for none.
    package func restriction(at now: Timestamp) -> DeviceRestriction? {
        if state != .active { return .closed }
        if instance == .unverified { return .unverifiedInstance }
        return now < coolingUntil ? .cooling(until: coolingUntil) : nil
    }
}

extension DeviceRecord {
    /// Whether its installation has to confirm a code before it signs in.
    package var awaitsCode: Bool { state == .active && instance == .unverified }
}
