/// Why a request about a PIN is refused. All but the first are told only to a device whose signature was right.
package enum PINRefusal: String, Error, Hashable, Sendable, Codable, CaseIterable {
    /// Whatever is wrong with a signature, an assertion, a nonce or a challenge: one answer for all of it.
    case invalidCredentials = "invalid_credentials"
    /// There is no PIN in use.
    case notSet = "pin_not_set"
    /// Another epoch is in use than the device believes.
    case epochMismatch = "pin_epoch_mismatch"
    /// Too many tries.
    case locked = "pin_locked"
    /// Too many tries without a success in thirty days: nothing is evaluated, and no PIN is set, until the first of them is that old.
    case exhausted = "pin_exhausted"
    /// The `Idempotency-Key` was used for another request.
    case idempotencyMismatch = "idempotency_mismatch"
    /// The challenge of that `Idempotency-Key` is over: used, given up for a newer one, or out of time.
    case challengeOver = "challenge_over"
}
