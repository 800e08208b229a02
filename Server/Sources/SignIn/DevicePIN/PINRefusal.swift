package import WalletAuthWire

/// Why a device proves nothing by its key, its PIN or its biometric key, or why no PIN is evaluated or set: the same value from the rule
/// to the edge.
///
/// All but ``staleNonce(_:)``, ``invalidCredentials``, ``transaction(_:)`` and ``device(_:)`` are revealed only to a caller that proved the
/// device's key.
package enum PINRefusal: Error, Hashable, Sendable {
    /// The nonce in the signature is not a current one; this one is.
    case staleNonce(String)
    /// Any fault of a device, signature, assertion or challenge; one answer for all.
    case invalidCredentials
    /// A wrong PIN, which cost an attempt.
    case wrongPIN(remaining: Int)
    case notSet
    /// The device names another epoch than the one in use.
    case epochMismatch
    /// Nothing is evaluated until another PIN is set.
    case locked(PINLockReason)
    /// Too many attempts without a success in thirty days. Nothing is evaluated and no PIN is set until the oldest of
    /// them has aged out; in seconds.
    case exhausted(retryAfter: Int64)
    /// The `Idempotency-Key` was used for another request.
    case idempotencyMismatch
    /// The challenge of that `Idempotency-Key` was used, replaced or has expired.
    case challengeOver
    case deviceSuspended
    case deviceDeactivated
    /// The PIN was to sign a transaction, which refuses it.
    case transaction(TransactionRefusal)
    /// The app's call itself is refused.
    case device(DeviceRefusal)

    /// One of each kind.
    package static let all: [PINRefusal] =
        [
            .staleNonce(""), .invalidCredentials, .wrongPIN(remaining: 1), .notSet, .epochMismatch,
            .locked(.tooManyTries), .exhausted(retryAfter: 1), .idempotencyMismatch, .challengeOver, .deviceSuspended,
            .deviceDeactivated,
        ] + TransactionRefusal.all.map { .transaction($0) } + DeviceRefusal.all.map { .device($0) }

    /// The code on the wire with its HTTP status, at a sign-in and everywhere else. A transaction and an app's call have their own; no
    /// sign-in is refused because of them, and it would learn nothing.
    package var answer: (code: String, status: Int) {
        switch self {
        case .staleNonce: ("use_dpop_nonce", 401)
        case .invalidCredentials, .wrongPIN, .transaction, .device: ("invalid_credentials", 401)
        case .notSet: ("pin_not_set", 409)
        case .epochMismatch: ("pin_epoch_mismatch", 409)
        case .locked: ("pin_locked", 423)
        case .exhausted: ("pin_exhausted", 429)
        case .idempotencyMismatch: ("idempotency_mismatch", 422)
        case .challengeOver: ("challenge_over", 409)
        case .deviceSuspended: ("device_suspended", 403)
        case .deviceDeactivated: ("device_deactivated", 423)
        }
    }

    /// Whether the PIN has no attempt left.
    package var isLock: Bool {
        switch self {
        case .locked, .exhausted: true
        default: false
        }
    }
}
