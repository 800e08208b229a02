package import Core
package import Kernel
package import Store

/// Failures counted by network, for every kind of attempt: passwords, nonces, provider sign-ins.
package struct AddressAttempts: Sendable {
    let database: any Database
    let keyRing: KeyRing
    let lockout: LockoutPolicy

    package func counters(of origin: RequestOrigin, now: Timestamp) throws -> SharedCounters {
        SharedCounters(
            "address", of: origin, under: lockout.failures(at: origin.address),
            key: try keyRing.active(.attempts), now: now)
    }

    /// When attempts are allowed again; `nil` if they are allowed now. Checked before a hashing slot is taken, so that
    /// a blocked network occupies none.
    func heldUntil(_ counters: SharedCounters, now: Timestamp) async throws -> Timestamp? {
        try await database.read { try counters.heldUntil(now: now, on: $0) }
    }
}

/// Counters that an attempt shares with those of other people: the networks that it comes from.
///
/// The subnet's counter delays until its window ends. An IPv6 address also needs room in its home or in its site, whose counts start again
/// with each window of time. Each home has room for one failure in a window, however many its neighbors have; for
/// further ones it needs room in the site. So someone with a /48 has the site's failures and one for each other home,
/// and keeps no neighbor out.
package struct SharedCounters: Sendable {
    /// A count of one window, of a home or a site.
    private struct Share: Sendable {
        let subject: [UInt8]
        let most: Int64

        /// - Parameter end: of the window.
        func heldUntil(_ end: Timestamp, now: Timestamp, on connection: any SQLConnection) throws -> Timestamp? {
            guard let state = try Attempts.state(subject, now: now, on: connection),
                state.failures + state.unanswered >= most
            else { return nil }
            // Attempts that are still running may be right.
            return state.failures >= most ? end : now + .seconds(1)
        }
    }

    private let subject: [UInt8]
    private let policy: AttemptPolicy
    private let shares: [Share]
    private let windowEnd: Timestamp

    /// - Parameters:
    ///   - label: what is counted.
    ///   - policy: the limit of a subnet. Its memory is the length of a window.
    package init(
        _ label: String, of origin: RequestOrigin, under policy: AttemptPolicy, key: DataKey, now: Timestamp
    ) {
        let length = max(1, policy.forgottenAfter.wholeMilliseconds)
        let window = now.milliseconds / length
        let networks = origin.networks
        subject = Digests.keyed(label, networks.filter { $0.extent == .subnet }.map(\.name), key: key)
        shares = networks.filter { $0.extent != .subnet }.map {
            Share(
                subject: Digests.keyed(label, [$0.name, String(window)], key: key),
                most: $0.limit(subnet: policy.free, home: 1))
        }
        self.policy = policy
        windowEnd = Timestamp(milliseconds: (window + 1) * length)
    }

    /// A single counter of something else that several people share.
    package init(_ subject: [UInt8], under policy: AttemptPolicy) {
        self.subject = subject
        self.policy = policy
        shares = []
        windowEnd = Timestamp(milliseconds: 0)
    }

    /// When an attempt may be made again; `nil` for now. It charges none.
    package func heldUntil(now: Timestamp, on connection: any SQLConnection) throws -> Timestamp? {
        let own = try Attempts.state(subject, now: now, on: connection)?.heldUntil
        let shared = try shares.map { try $0.heldUntil(windowEnd, now: now, on: connection) }
        // Room in one of the shares is enough.
        let common = shared.contains(nil) ? nil : shared.compactMap(\.self).min()
        return [own, common].compactMap(\.self).max()
    }

    /// Reserves an attempt in all of the counters, or in none.
    package func reserve(now: Timestamp, on connection: any SQLConnection) throws -> AttemptReservation {
        try charge(Attempts.reserve, now: now, on: connection)
    }

    /// Counts an action without a result in all of the counters, or in none.
    package func count(now: Timestamp, on connection: any SQLConnection) throws -> AttemptReservation {
        try charge(Attempts.count, now: now, on: connection)
    }

    private typealias Charging = ([UInt8], AttemptPolicy, Timestamp, any SQLConnection) throws -> AttemptReservation

    /// Looks at all counters before it charges one, in the same write: what was free is free until it is charged.
    private func charge(
        _ add: Charging, now: Timestamp, on connection: any SQLConnection
    ) throws -> AttemptReservation {
        if !shares.isEmpty, let until = try heldUntil(now: now, on: connection) { return .refuse(until: until) }
        let reservation = try add(subject, policy, now, connection)
        if case .refuse = reservation { return reservation }
        for share in shares { _ = try add(share.subject, unlimited, now, connection) }
        return reservation
    }

    /// The policy by which shares are charged: an attempt with room in one also counts in the other, beyond its limit.
    private var unlimited: AttemptPolicy {
        AttemptPolicy(
            free: .max, afterwards: .delay(first: .seconds(1), longest: .seconds(1)),
            forgottenAfter: policy.forgottenAfter)
    }

    package func fail(on connection: any SQLConnection) throws {
        for subject in subjects { try Attempts.fail(subject, on: connection) }
    }

    package func refund(on connection: any SQLConnection) throws {
        for subject in subjects { try Attempts.refund(subject, on: connection) }
    }

    /// In the order in which every write changes their rows. Two orders would be a deadlock between two attempts of one network, and a
    /// site's row, which most people share, comes last.
    private var subjects: [[UInt8]] { [subject] + shares.map(\.subject) }
}
