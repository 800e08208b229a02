package import AuthCore
package import AuthFoundation
package import AuthStore

/// Failures counted by network, for every kind of attempt: passwords, nonces, provider sign-ins.
package struct AddressAttempts: Sendable {
    package let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    package func counters(of origin: RequestOrigin) throws -> SharedCounters {
        SharedCounters("address", of: origin, under: policy, key: try context.keyRing.active(.attempts))
    }

    /// When attempts are allowed again; `nil` if they are allowed now. Checked before a hashing slot is taken, so that a blocked network
    /// occupies none.
    func heldUntil(_ counters: SharedCounters, now: Timestamp) async throws -> Timestamp? {
        try await context.database.read { try counters.heldUntil(now: now, on: $0) }
    }

    /// The limit of a subnet.
    package var policy: AttemptPolicy { context.settings.lockout.address }
}

/// Counters that an attempt shares with those of other people: the networks that it comes from.
///
/// An attempt must be within all of them, and one that is refused is charged to none: refused attempts from one subnet do not use up
/// what its site shares.
package struct SharedCounters: Sendable {
    private let counters: [AttemptLimit]

    /// - Parameters:
    ///   - label: what is counted.
    ///   - policy: the limit of a subnet.
    package init(_ label: String, of origin: RequestOrigin, under policy: AttemptPolicy, key: DataKey) {
        counters = origin.networks.map { network in
            AttemptLimit(Digests.keyed(label, [network.name], key: key), under: policy.applied(to: network))
        }
    }

    /// A single counter of something else that several people share.
    package init(_ subject: [UInt8], under policy: AttemptPolicy) {
        counters = [AttemptLimit(subject, under: policy)]
    }

    func heldUntil(now: Timestamp, on connection: any SQLConnection) throws -> Timestamp? {
        try Attempts.heldUntil(counters, now: now, on: connection)
    }

    /// Reserves an attempt in all of the counters, or in none.
    package func reserve(now: Timestamp, on connection: any SQLConnection) throws -> AttemptReservation {
        for (index, counter) in counters.enumerated() {
            let reservation = try Attempts.reserve(counter.subject, under: counter.policy, now: now, on: connection)
            guard case .refuse = reservation else { continue }
            for former in counters[..<index] { try Attempts.refund(former.subject, on: connection) }
            return reservation
        }
        return .compare(spent: 1)
    }

    /// Counts an action without a result.
    package func count(now: Timestamp, on connection: any SQLConnection) throws -> AttemptReservation {
        try Attempts.count(counters, now: now, on: connection)
    }

    package func fail(on connection: any SQLConnection) throws {
        for counter in counters { try Attempts.fail(counter.subject, on: connection) }
    }

    package func refund(on connection: any SQLConnection) throws {
        for counter in counters { try Attempts.refund(counter.subject, on: connection) }
    }
}

extension AttemptPolicy {
    /// The longest that attempts from a site wait: among thousands of people, some are always wrong, and all would wait for them.
    private static let longestAtSite = Duration.minutes(1)

    /// The limit of a network, where this one is a subnet's.
    fileprivate func applied(to network: CountedNetwork) -> AttemptPolicy {
        guard network.extent == .site, case .delay(let first, let longest) = afterwards else { return self }
        return AttemptPolicy(
            free: free * Int64(network.multiple),
            afterwards: .delay(first: min(first, Self.longestAtSite), longest: min(longest, Self.longestAtSite)),
            forgottenAfter: forgottenAfter)
    }
}
