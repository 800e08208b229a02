internal import Core
internal import Outbound
internal import Store
internal import Synchronization

/// Whether a push service takes pushes, as far as this process knows.
///
/// After an outage a few pushes are tried after each pause, until the service answers. It takes two addresses to tell an outage: a device
/// whose pushes always fail must not hold up others.
struct ServicePause: Sendable {
    enum Admission: Sendable {
        case all, few, nothing
    }

    enum Change: Sendable, Hashable {
        case began
        case ended(after: Duration)
    }

    private static let first = Duration.seconds(1)
    /// With the second until the next check, a push leaves within half a minute of the service's return.
    static let longest = Duration.seconds(25)

    /// The addresses that failed since the service last answered, as many as matter.
    private var failed: Set<String> = []
    private var failingSince: Timestamp?
    private var pauses = 0
    private var until: Timestamp?

    var isPaused: Bool { until != nil }

    func admission(at now: Timestamp) -> Admission {
        guard let until else { return .all }
        // A pause that was set by a wrong clock must not last.
        return now < until && until - now <= Self.longest ? .nothing : .few
    }

    mutating func noteAnswer(at now: Timestamp) -> Change? {
        let since = failingSince
        let wasPaused = isPaused
        self = ServicePause()
        guard wasPaused, let since else { return nil }
        return .ended(after: max(.zero, now - since))
    }

    /// - Parameters:
    ///   - addresses: whose pushes the service could not take, in one batch of which it took none.
    ///   - retryAfter: how long the service asks to wait.
    mutating func noteOutage(of addresses: [String], retryAfter: Duration?, at now: Timestamp) -> Change? {
        failingSince = failingSince ?? now
        let wasPaused = isPaused
        if !wasPaused {
            for address in addresses where failed.count < 2 { failed.insert(address) }
            guard failed.count > 1 else { return nil }
        }
        let usual = Self.first * (1 << min(pauses, 5))
        until = now + min(max(usual, retryAfter ?? .zero), Self.longest)
        pauses += 1
        return wasPaused ? nil : .began
    }

    /// Lets a few pushes be tried at once.
    mutating func shorten(to now: Timestamp) {
        if isPaused { until = now }
    }
}

/// The pushes that were looked at, and left because their service is paused.
struct ExaminedPushes: Sendable {
    /// All up to this one.
    var through: UniqueID?
    /// Of the later ones, among which others may still be committed.
    var later: Set<UniqueID> = []
}

/// The push services that are paused in this process.
final class ServicePauses: Sendable {
    private struct State {
        var pauses: [PushService: ServicePause] = [:]
        var examined = ExaminedPushes()
        var retries = 0
    }

    private let state = Mutex(State())

    /// - Parameter retries: the messages that an operator asked this process to retry. After another one, no pause is waited for.
    /// - Returns: the paused services, and what they are given now.
    func paused(retries: Int, now: Timestamp) -> [PushService: ServicePause.Admission] {
        state.withLock { state in
            if state.retries != retries {
                for service in state.pauses.keys { state.pauses[service]?.shorten(to: now) }
                state.retries = retries
            }
            return state.pauses.filter { $0.value.isPaused }.mapValues { $0.admission(at: now) }
        }
    }

    /// - Returns: whether the pause of a service begins or ends, and whether it is paused.
    func update(
        _ service: PushService, _ change: (inout ServicePause) -> ServicePause.Change?
    ) -> (change: ServicePause.Change?, isPaused: Bool) {
        state.withLock { state in
            let changed = change(&state.pauses[service, default: ServicePause()])
            return (changed, state.pauses[service]?.isPaused ?? false)
        }
    }

    var examined: ExaminedPushes {
        get { state.withLock { $0.examined } }
        set { state.withLock { $0.examined = newValue } }
    }
}
