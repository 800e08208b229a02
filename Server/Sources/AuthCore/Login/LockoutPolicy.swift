/// How failed sign-ins slow guessing down, and where they end it.
///
/// Failures are counted apart for a device that is known to the account, for all the others, and for the network
/// address: a stranger's guesses never stand in the holder's way, and only a known device's failures deactivate.
public struct LockoutPolicy: Sendable, Hashable {
    /// Consecutive failures on one known device that deactivate the wallet. Default 5.
    public var knownDeviceFailures: Int64
    /// Guesses from unknown devices at one account before each further one has to wait. Default 5.
    public var unknownDeviceFailures: Int64
    /// Failures from one network address before each further attempt has to wait. Default 50, since many people may
    /// share an address.
    public var addressFailures: Int64
    /// The first wait; it doubles with each failure. Default 30 seconds.
    public var firstDelay: Duration
    /// The longest wait. Default 1 hour.
    public var longestDelay: Duration
    /// After this long without an attempt a count from unknown devices starts over. Default 24 hours.
    public var unknownDeviceMemory: Duration
    /// After this long without an attempt the count of an address starts over. Default 15 minutes.
    public var addressMemory: Duration

    /// The defaults named at each property.
    public init() {
        knownDeviceFailures = 5
        unknownDeviceFailures = 5
        addressFailures = 50
        firstDelay = .seconds(30)
        longestDelay = .hours(1)
        unknownDeviceMemory = .hours(24)
        addressMemory = .minutes(15)
    }
}

extension LockoutPolicy {
    /// Whose failures are counted together.
    public enum Counter: Sendable, Hashable {
        /// One device that has signed in to the account before.
        case knownDevice
        /// Every other device that tries the account.
        case unknownDevices
        /// One network address, whatever the account.
        case address
    }

    /// One counter as it stands in the store.
    public struct Count: Sendable, Hashable {
        /// Attempts reserved and not given back since the last success.
        public var failures: Int64
        /// When the last of them was reserved.
        public var lastAt: Timestamp
        /// The earliest moment of the next one.
        public var nextAllowedAt: Timestamp

        /// A counter as it stands in the store.
        public init(failures: Int64, lastAt: Timestamp, nextAllowedAt: Timestamp) {
            self.failures = failures
            self.lastAt = lastAt
            self.nextAllowedAt = nextAllowedAt
        }
    }

    /// Whether an attempt may be made.
    public enum Reservation: Sendable, Hashable {
        /// It may, and this count, with the attempt already in it, has to be stored **before** the secret is compared.
        case reserved(Count)
        /// Nothing may be compared now; `nil` when no waiting helps.
        case locked(until: Timestamp?)
    }

    /// Reserves one attempt: it counts as a failure until it has succeeded, so that a thousand parallel guesses count
    /// a thousand and only the first few are compared.
    /// - Parameters:
    ///   - count: the counter as stored; `nil` when nothing was counted yet.
    ///   - counter: whose counter it is.
    ///   - now: the present moment.
    public func reserve(_ count: Count?, as counter: Counter, now: Timestamp) -> Reservation {
        var count = count ?? Count(failures: 0, lastAt: now, nextAllowedAt: now)
        if let memory = memory(of: counter), now - count.lastAt > memory, now >= count.nextAllowedAt {
            count.failures = 0
        }
        switch counter {
        case .knownDevice:
            guard count.failures < knownDeviceFailures else { return .locked(until: nil) }
        case .unknownDevices, .address:
            guard now >= count.nextAllowedAt else { return .locked(until: count.nextAllowedAt) }
        }
        count.failures += 1
        count.lastAt = now
        count.nextAllowedAt = now + delay(after: count.failures, of: counter)
        return .reserved(count)
    }

    /// Whether failures that have reached `failures` deactivate the wallet.
    public func deactivates(_ failures: Int64, on counter: Counter) -> Bool {
        counter == .knownDevice && failures >= knownDeviceFailures
    }

    /// How long the next attempt has to wait once `failures` were counted.
    func delay(after failures: Int64, of counter: Counter) -> Duration {
        let free =
            switch counter {
            case .knownDevice: Int64.max
            case .unknownDevices: unknownDeviceFailures
            case .address: addressFailures
            }
        guard failures >= free else { return .zero }
        // 2^20 times any sensible first delay is past the longest; the bound keeps the shift from overflowing.
        let doublings = min(failures - free, 20)
        return min(firstDelay * Int(1 << doublings), longestDelay)
    }

    private func memory(of counter: Counter) -> Duration? {
        switch counter {
        case .knownDevice: nil
        case .unknownDevices: unknownDeviceMemory
        case .address: addressMemory
        }
    }
}
