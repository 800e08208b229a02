package import AuthCore
package import AuthStore

extension LockoutPolicy {
    /// The limit for one known device, which failures lock.
    var knownDevice: AttemptPolicy {
        AttemptPolicy(free: knownDeviceFailures, afterwards: .locked, forgottenAfter: unknownDeviceMemory)
    }

    /// The limit for all known devices of an account together. Failures lock the account.
    var allKnownDevices: AttemptPolicy {
        AttemptPolicy(free: allKnownDevicesFailures, afterwards: .locked, forgottenAfter: unknownDeviceMemory)
    }

    /// The limit for all unknown devices together, at one name or guest.
    package var unknownDevices: AttemptPolicy {
        AttemptPolicy(
            free: unknownDeviceFailures, afterwards: .delay(first: firstDelay, longest: longestDelay),
            forgottenAfter: unknownDeviceMemory)
    }

    /// The limit for a network address.
    var address: AttemptPolicy {
        AttemptPolicy(
            free: addressFailures, afterwards: .delay(first: firstDelay, longest: longestDelay),
            forgottenAfter: addressMemory)
    }
}
