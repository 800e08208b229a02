package import Kernel
package import WalletAuthWire

/// Why a backend's request about a wallet operation is refused.
package enum WalletOperationRefusal: Error, Sendable, Hashable {
    /// The caller's brand has no such account, or it is closed.
    case accountNotFound
    /// The account has no such session, or it has ended.
    case sessionNotFound
    /// The operation needs consent, and the app of the session may not ask for it: it is not the operator's own.
    case appNotFirstParty
    /// The caller used this name for another operation.
    case operationExists
    /// The Idempotency-Key was used with another request.
    case keyReused
    case operationNotFound
    /// The operation was already carried out.
    case alreadyUsed
    /// The person has not consented.
    case notVerified
    /// The operation to carry out differs from the one consented to.
    case operationChanged
    /// The operation is over.
    case over(SCAEvent.End)
    /// The caller has too many open operations for the account or session; seconds until one of them ends.
    case tooManyOpen(retryAfter: Int64)
    /// The person's list of trusted payees at this backend is full.
    case trustedPayeesFull
    /// The payee is not on the person's list at this backend.
    case trustedPayeeNotFound
    /// The person did not begin such a series with this caller.
    case seriesNotFound
    /// The series of the payment has ended.
    case seriesEnded
    /// The exemption of the payment no longer applies.
    case exemptionOver
}

/// Why an app's request about an SCA event is refused.
package enum ConsentRefusal: Error, Sendable, Hashable {
    /// The call's token or proof is invalid.
    case unauthorized(OAuthRefusal)
    /// This session has no such event.
    case eventNotFound
    /// The person cannot consent by this method, or it would not help.
    case verificationUnavailable([AvailableVerification])
    /// The return URL is not registered for the client.
    case returnURLNotRegistered
    /// No more codes are sent for this event; other methods remain.
    case noCodeLeft
    /// No more challenges for this event; the last one remains valid.
    case noChallengeLeft
    /// Too many wrong values or codes over all events, or a code requested too soon; in seconds.
    case tooManyAttempts(retryAfter: Int64)
    /// The person already consented: repeat the operation.
    case alreadyVerified
    /// The event is locked, expired, cancelled or used.
    case over(SCAEvent.End)
}
