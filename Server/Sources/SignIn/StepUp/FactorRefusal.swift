package import Kernel

/// Why a change of sign-in methods by their holder is refused.
package enum FactorRefusal: Error, Sendable, Hashable {
    /// Token, proof or client are not valid.
    case unauthorized(OAuthRefusal)
    /// The session's sign-in is too weak or too old (RFC 9470): the maximum age in seconds, and the required class.
    case strongerSignIn(maximumAge: Int64, acr: String)
    /// A cooling period after a recovery by mailbox, or by mailbox and SMS, or of a restored identity. In seconds.
    case cooling(retryAfter: Int64)
    /// Nothing waits for confirmation: it expired, was already confirmed, or was begun by another session.
    case nothingPending
    /// The code does not match the authenticator app's current one.
    case invalidCode
    /// There is nothing to remove.
    case notFound
    /// The state of a federated sign-in has expired, belongs to another key, app or brand, or its provider is gone.
    case invalidSession
    /// The identity is linked to another account.
    case identityTaken
    /// The account has reached the limit of identities.
    case tooManyIdentities(limit: Int)
    /// The account has no such identity.
    case identityNotFound
    /// No one could sign in to the account any more.
    case lastWayIn
    /// The brand accepts no secret questions.
    case questionsOff
    /// Too few or too many answers, an unknown or repeated question, or an answer that is empty or equals another.
    case unacceptableAnswers
    /// The new password breaks a rule.
    case passwordUnacceptable(PasswordRuleViolation)
    /// The current password is wrong.
    case invalidCredentials
    /// Deactivated because of too many failures.
    case walletDeactivated
    /// The device is deactivated because of too many failures.
    case deviceDeactivated
    /// Too many attempts. In seconds.
    case tooManyAttempts(retryAfter: Int64)
    /// No hashing slot is free. In seconds.
    case busy(retryAfter: Int64)
    /// The account changed in the meantime: sign in again.
    case accountChanged

    /// One of each kind, but those of the caller.
    static let all: [FactorRefusal] =
        [
            .strongerSignIn(maximumAge: 0, acr: ""), .cooling(retryAfter: 1), .nothingPending, .invalidCode, .notFound,
            .invalidSession, .identityTaken, .tooManyIdentities(limit: 1), .identityNotFound, .lastWayIn, .questionsOff,
            .unacceptableAnswers, .invalidCredentials, .walletDeactivated, .deviceDeactivated,
            .tooManyAttempts(retryAfter: 1), .busy(retryAfter: 1), .accountChanged,
        ] + PasswordRuleViolation.allCases.map { .passwordUnacceptable($0) }
}
