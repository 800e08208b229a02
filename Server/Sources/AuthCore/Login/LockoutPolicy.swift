/// How failed sign-ins slow guessing down, and where they end it.
///
/// Failures are counted apart for a device that is known to the account, for all the others, and for the network
/// address: a stranger's guesses never stand in the holder's way, and only a known device's failures deactivate.
package struct LockoutPolicy: Sendable, Hashable {
    /// Consecutive failures on one known device that deactivate the wallet. Default 5.
    package var knownDeviceFailures: Int64
    /// Consecutive failures on all known devices of an account together that deactivate the wallet, so that many
    /// devices do not multiply the guesses. Default 10.
    package var allKnownDevicesFailures: Int64
    /// Guesses from unknown devices at one account before each further one has to wait. Default 5.
    package var unknownDeviceFailures: Int64
    /// Failures from one network address before each further attempt has to wait. Default 50, since many people may
    /// share an address.
    package var addressFailures: Int64
    /// The first wait; it doubles with each failure. Default 30 seconds.
    package var firstDelay: Duration
    /// The longest wait. Default 1 hour.
    package var longestDelay: Duration
    /// After this long without an attempt a count from unknown devices starts over. Default 24 hours.
    package var unknownDeviceMemory: Duration
    /// After this long without an attempt the count of an address starts over. Default 15 minutes.
    package var addressMemory: Duration

    /// The defaults named at each property.
    package init() {
        knownDeviceFailures = 5
        allKnownDevicesFailures = 10
        unknownDeviceFailures = 5
        addressFailures = 50
        firstDelay = .seconds(30)
        longestDelay = .hours(1)
        unknownDeviceMemory = .hours(24)
        addressMemory = .minutes(15)
    }
}
