package import AuthCore

/// Why a call about an account's own factors was refused.
package enum FactorRefusal: Error, Sendable, Hashable {
    /// Token, proof or client are not what they must be.
    case unauthorized(OAuthRefusal)
    /// The session's sign-in was too weak or is too old (RFC 9470); seconds that it may be old, and the class it takes.
    case strongerSignIn(maximumAge: Int64, acr: String)
    /// The account was recovered lately by its mailbox alone; seconds until its factors can be changed.
    case cooling(retryAfter: Int64)
    /// Nothing waits to be confirmed: too long ago, confirmed already, or begun by another session.
    case nothingPending
    /// The code is not the one that the authenticator app shows now.
    case invalidCode
    /// There is no authenticator app to take away.
    case notFound
    /// What carries a federated sign-in on is over, or another key's, app's or brand's, or its provider is gone.
    case invalidSession
    /// The identity is another account's.
    case identityTaken
    /// The account has as many identities as it may have.
    case tooManyIdentities(limit: Int)
    /// The account has no such identity.
    case identityNotFound
    /// Nobody could sign in to the account any more.
    case lastWayIn
    /// The brand takes no secret questions.
    case questionsOff
    /// Too few or too many answers, a question that is not in the catalog or stands twice, or an answer that is empty or
    /// the same as another.
    case unacceptableAnswers
    /// The new password breaks a rule.
    case passwordUnacceptable(PasswordRuleViolation)
    /// The present password is wrong.
    case invalidCredentials
    /// The failures were too many: the wallet is deactivated.
    case walletDeactivated
    /// The failures were too many: the device is deactivated.
    case deviceDeactivated
    /// Too many tries; seconds.
    case tooManyAttempts(retryAfter: Int64)
    /// No room to hash; seconds.
    case busy(retryAfter: Int64)
    /// The account changed while this was decided: sign in again.
    case accountChanged
}
