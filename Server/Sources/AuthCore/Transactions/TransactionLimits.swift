internal import WalletAuthWire

package enum TransactionLimits {
    /// Open transactions of one account at one backend.
    package static let openOfAccount = 20
    /// Transactions that a device may begin by itself and sign within ``begunWindow``.
    package static let begunOnDevice = 200
    package static let begunWindow = Duration.days(1)
    /// How long an unsigned transaction is kept after its expiry.
    package static let unsignedRetention = Duration.days(30)
    /// How long an app's draft can be signed.
    package static let draftLifetime = Duration.minutes(5)
    /// The age at which no transaction is open any more, whatever lifetime was requested.
    package static let longestLifetime = Duration.seconds(TransactionRequest.lifetimes.upperBound)
    /// How long after the expiry a write that came in time may still be on its way to the disk.
    package static let settling = Duration.minutes(1)
    /// The longest time a request waits for a change.
    package static let longestWait = Duration.seconds(30)
    package static let pageSize = 100
}
