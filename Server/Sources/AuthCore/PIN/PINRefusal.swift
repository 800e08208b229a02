/// Why a request about a PIN is refused. All but the first are revealed only to a device with a valid signature.
package enum PINRefusal: String, Error, Hashable, Sendable, Codable, CaseIterable {
    /// Any fault of a signature, assertion, nonce or challenge; one answer for all.
    case invalidCredentials = "invalid_credentials"
    case notSet = "pin_not_set"
    /// The device names another epoch than the one in use.
    case epochMismatch = "pin_epoch_mismatch"
    /// Too many wrong attempts.
    case locked = "pin_locked"
    /// Too many attempts without a success in thirty days. Nothing is evaluated and no PIN is set until the oldest of
    /// them has aged out.
    case exhausted = "pin_exhausted"
    /// The `Idempotency-Key` was used for another request.
    case idempotencyMismatch = "idempotency_mismatch"
    /// The challenge of that `Idempotency-Key` was used, replaced or has expired.
    case challengeOver = "challenge_over"
}
