internal import WalletAuthWire

/// How many transactions there may be, and for how long they are kept.
package enum TransactionLimits {
    /// How many open transactions one backend may have for one account.
    package static let openOfAccount = 20
    /// How many transactions of its own a device may begin and sign within ``begunWindow``.
    package static let begunOnDevice = 200
    /// The time in which they are counted.
    package static let begunWindow = Duration.days(1)
    /// How long an unsigned transaction is kept after it expired.
    package static let unsignedRetention = Duration.days(30)
    /// How long an app's draft may be signed.
    package static let draftLifetime = Duration.minutes(5)
    /// The age from which no transaction is open, whatever it was asked for.
    package static let longestLifetime = Duration.seconds(TransactionRequest.lifetimes.upperBound)
    /// How long after the expiry a write that came in time may still be on its way to the disk.
    package static let settling = Duration.minutes(1)
    /// How long a request waits for a change at most.
    package static let longestWait = Duration.seconds(30)
    /// How many transactions a page of a list has.
    package static let pageSize = 100
}
