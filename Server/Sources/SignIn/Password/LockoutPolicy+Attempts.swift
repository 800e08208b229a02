internal import Core
package import Kernel

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

    /// The limit of a counter that many people share and that is no network.
    package var shared: AttemptPolicy {
        AttemptPolicy(
            free: sharedFailures, afterwards: .delay(first: firstDelay, longest: longestDelay),
            forgottenAfter: sharedMemory)
    }

    /// The limit for failures from the subnet of an address.
    func failures(at address: String) -> AttemptPolicy {
        AttemptPolicy(
            free: network.failures(at: address), afterwards: networkDelay, forgottenAfter: network.window,
            since: .firstGuess)
    }

    /// The limit for recoveries from the subnet of an address.
    package func recoveries(at address: String) -> AttemptPolicy {
        AttemptPolicy(
            free: network.recoveries(at: address), afterwards: networkDelay, forgottenAfter: .hours(1),
            since: .firstGuess)
    }

    private var networkDelay: AttemptPolicy.Afterwards {
        .delay(first: min(firstDelay, network.longestWait), longest: network.longestWait)
    }
}
