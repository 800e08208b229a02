package import Core
package import WalletAuthWire

/// Why a transaction cannot be claimed, confirmed, signed or created. The PIN's evaluation passes it on.
package enum TransactionRefusal: Error, Sendable, Hashable {
    /// There is no such transaction, or it belongs to another caller.
    case notFound
    case alreadyClaimed
    /// It has ended in this state.
    case over(TransactionStatus)
    case notConfirmed
    /// The device confirmed, rejected or signed other bytes than it was sent.
    case otherPayload
    /// The device has none of the allowed factors.
    case noSecondFactor(SecondFactorShortage)
    /// It was signed with a factor that it does not allow or the device does not have.
    case secondFactorUnavailable
    case draftUsed
    /// The draft is malformed, expired or was made for another device.
    case invalidDraft
    /// The device is in its cooling period and signs nothing until its end.
    case deviceCooling(until: Timestamp)
    /// The installation has not confirmed the code sent to the holder.
    case instanceUnverified
    /// The device's account is deactivated.
    case walletDeactivated
    /// The password of the device's account has expired: its holder has to choose a new one first.
    case passwordChangeRequired
    /// The device began too many transactions of its own within a day. In seconds.
    case tooManyBegun(retryAfter: Int64)
    /// The backend has too many open transactions for the account. Seconds until one of them expires.
    case tooManyOpen(retryAfter: Int64)
    case idempotencyMismatch
    /// The backend's brand has no such open account.
    case accountNotFound
    /// The client may not create transactions without an account.
    case accountMissing
}
