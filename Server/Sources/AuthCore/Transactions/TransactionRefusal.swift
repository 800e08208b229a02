package import WalletAuthWire

/// Why a request about a transaction is refused.
package enum TransactionRefusal: Error, Sendable, Hashable {
    /// There is no such transaction, or it belongs to another caller.
    case notFound
    /// Another device claimed it.
    case alreadyClaimed
    /// It has ended, in this state.
    case over(TransactionStatus)
    /// The person has not confirmed it.
    case notConfirmed
    /// The device confirmed, rejected or signed other bytes than those it was sent.
    case otherPayload
    /// The device has none of the factors that it allows.
    case noSecondFactor(SecondFactorShortage)
    /// It was signed by a factor that it does not allow, or that the device does not have.
    case secondFactorUnavailable
    /// The draft was signed before.
    case draftUsed
    /// The draft is malformed, expired, or was made for another device.
    case invalidDraft
    /// The device was enrolled a short time ago: until then it signs nothing.
    case deviceCooling(until: Timestamp)
    /// The installation on the device has not confirmed the code that was sent to the holder.
    case instanceUnverified
    /// The device began too many transactions of its own within a day; seconds until it may begin another.
    case tooManyBegun(retryAfter: Int64)
    /// The backend has too many open transactions for the account; seconds until one of them expires.
    case tooManyOpen(retryAfter: Int64)
    /// The Idempotency-Key was used for another transaction.
    case idempotencyMismatch
    /// The backend's brand has no such open account.
    case accountNotFound
    /// The client may not create transactions without an account.
    case accountMissing
}
