package import Core

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
    /// Failures before each further attempt has to wait, where many people share a counter that is no network: one
    /// password that a backend tries at many names, one client's guests. Default 50.
    package var sharedFailures: Int64
    /// The limits of networks.
    package var network: NetworkLimits
    /// The first delay; it doubles with each failure. Default 30 seconds.
    package var firstDelay: Duration
    /// Default 1 hour.
    package var longestDelay: Duration
    /// The time without an attempt after which the count from unknown devices resets. Default 24 hours.
    package var unknownDeviceMemory: Duration
    /// The time without an attempt after which a shared count resets. Default 15 minutes.
    package var sharedMemory: Duration

    package init() {
        knownDeviceFailures = 5
        allKnownDevicesFailures = 10
        unknownDeviceFailures = 5
        sharedFailures = 50
        network = NetworkLimits()
        firstDelay = .seconds(30)
        longestDelay = .hours(1)
        unknownDeviceMemory = .hours(24)
        sharedMemory = .minutes(15)
    }
}
