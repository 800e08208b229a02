/// How failed sign-ins slow guessing down and finally stop it.
///
/// Failures are counted separately for devices known to the account, for all others, and for the network address. An
/// attacker's guesses therefore never lock the holder out, and only failures on a known device deactivate the account.
package struct LockoutPolicy: Sendable, Hashable {
    /// Consecutive failures on one known device that deactivate the wallet. Default 5.
    package var knownDeviceFailures: Int64
    /// Consecutive failures on all known devices of an account together that deactivate the wallet, so that many
    /// devices do not multiply the guesses. Default 10.
    package var allKnownDevicesFailures: Int64
    /// Guesses from unknown devices at one account before each further one has to wait. Default 5.
    package var unknownDeviceFailures: Int64
    /// Failures from one IPv4 address or /64 of IPv6 before each further attempt has to wait. Default 50, since many
    /// people may share an address. A /48 has four times as many in each ``addressMemory``, and each /56 in it one.
    package var addressFailures: Int64
    /// The first delay; it doubles with each failure. Default 30 seconds.
    package var firstDelay: Duration
    /// Default 1 hour.
    package var longestDelay: Duration
    /// The time without an attempt after which the count from unknown devices resets. Default 24 hours.
    package var unknownDeviceMemory: Duration
    /// The time without an attempt after which an address's count resets, and the time after which a /48's and a /56's
    /// do. Default 15 minutes.
    package var addressMemory: Duration

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
