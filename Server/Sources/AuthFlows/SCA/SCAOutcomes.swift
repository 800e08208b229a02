package import AuthCore
package import WalletAuthWire

/// Why a backend's request about a wallet operation is refused.
package enum WalletOperationRefusal: Error, Sendable, Hashable {
    /// The caller's brand has no such account, or it is closed.
    case accountNotFound
    /// The account has no such session, or it has ended.
    case sessionNotFound
    /// The caller used the name for another operation.
    case operationExists
    /// The Idempotency-Key came with another request.
    case keyReused
    /// The caller has no operation of that name.
    case operationNotFound
    /// The operation was carried out before.
    case alreadyUsed
    /// The person has not agreed.
    case notVerified
    /// What is to be carried out is not what was agreed to.
    case operationChanged
    /// Nothing can be done with it any more.
    case over(SCAEvent.End)
    /// The caller has too many operations of the account or of the session open; seconds until one of them is over.
    case tooManyOpen(retryAfter: Int64)
    /// The person's list of trusted payees at this backend is full.
    case trustedPayeesFull
    /// The payee is not on the person's list at this backend.
    case trustedPayeeNotFound
    /// The person began no such series by an operation of the caller's.
    case seriesNotFound
    /// The series of the payment was ended since.
    case seriesEnded
    /// The exemption by which the payment had passed applies no more.
    case exemptionOver
}

/// Why an app's request about an SCA event is refused.
package enum ConsentRefusal: Error, Sendable, Hashable {
    /// The call's token or proof.
    case unauthorized(OAuthRefusal)
    /// The person has no such event in this session.
    case eventNotFound
    /// The person cannot agree in that way, or it would bring nothing on.
    case verificationUnavailable([AvailableVerification])
    /// The URL is not one of the client's.
    case returnURLNotRegistered
    /// No code is sent any more for this event: another way remains.
    case noCodeLeft
    /// Nothing can be challenged any more for this event: what was challenged last remains.
    case noChallengeLeft
    /// Too many wrong values or too many codes, over all events, or a code too soon after another; seconds.
    case tooManyAttempts(retryAfter: Int64)
    /// The person agreed already: repeat the operation.
    case alreadyVerified
    /// The event is locked, expired, cancelled or used.
    case over(SCAEvent.End)
}
