import Store

/// Another server that accepts writes.
struct OtherPrimary {
    let name: String
    /// `nil` if it is not known.
    let timeline: Timeline?
}

/// Another host that could not be asked whether it accepts writes.
package struct UnaskedHost: Sendable {
    /// See ``ConnectionString/Target/name``.
    package let name: String
    package let reason: String

    package var words: String { "it is not known whether \(name) accepts writes: \(reason)" }
}

/// A server that the group has joined.
struct JoinedServer: Sendable {
    let name: String
    let timeline: Timeline
}

/// Of several hosts, one at most may accept writes. After a failover, an old primary that runs again accepts them too, and loses them.
extension Connecting {
    /// For a start: makes sure that no other host of the connection string accepts writes. If one does, an operator has to stop one of
    /// the two.
    /// - Parameters:
    ///   - connection: to the server that is to be used.
    ///   - key: of an advisory lock that a session at that server holds exclusively; `nil` to take one for the time of the check.
    /// - Throws: ``StoreError`` with code `otherPrimary`.
    func requireNoOtherPrimary(besides connection: ServerConnection, key: Int64? = nil) throws {
        guard let other = try others(besides: connection, key: key).first else { return }
        let own = try? Timeline(of: connection, within: options.askLimit)
        throw refusal(of: OtherPrimary(name: connection.target.name, timeline: own), and: other)
    }

    /// For a process that connects again: makes sure that no other host took over from this one, as far as the process knows or the
    /// others say. A host from which this one took over is left alone, since waiting for an operator would only delay writes. So is a
    /// host of another cluster.
    /// - Returns: the timeline of this host; `nil` if it is not known.
    /// - Throws: ``StoreError``: `unavailable` if another host took over, `otherPrimary` if that is not known.
    func requireNewestPrimary(besides connection: ServerConnection) throws -> Timeline? {
        let own = try timeline(of: connection)
        let last = joined.withLock { $0 }
        // The newest primary may be away for a moment, and cannot be asked then.
        if let last { try requireNoReturn(to: connection.target.name, own, from: last) }
        let others = try others(besides: connection, key: nil).filter { other in
            guard let own, own.cluster == last?.timeline.cluster, let timeline = other.timeline else { return true }
            return timeline.cluster == own.cluster
        }
        if let newer = others.first(where: { $0.timeline?.isLater(than: own) == true }) {
            throw Self.overtaken(connection.target.name, by: newer.name)
        }
        if let unclear = others.first(where: { own?.isLater(than: $0.timeline) != true }) {
            throw refusal(of: OtherPrimary(name: connection.target.name, timeline: own), and: unclear)
        }
        return own
    }

    /// The timeline of a server; `nil` if it is not known. A single host must be usable even if it never reports its timeline. Once it
    /// has, a failure to ask is thrown, because its name may lead to another server now.
    func timeline(of connection: ServerConnection) throws -> Timeline? {
        guard !otherTargets(than: connection.target).isEmpty || joined.withLock({ $0 != nil }) else {
            return try? Timeline(of: connection, within: options.askLimit)
        }
        return try Timeline(of: connection, within: options.askLimit)
    }

    /// Remembers where the group is.
    func noteJoined(_ server: JoinedServer) {
        joined.withLock { joined in
            guard joined?.timeline.isLater(than: server.timeline) != true else { return }
            joined = server
        }
    }

    /// Makes sure that a server is not behind the one that the group has joined, in the history of its cluster, and no stranger to it.
    private func requireNoReturn(to name: String, _ own: Timeline?, from last: JoinedServer) throws(StoreError) {
        guard let own else {
            // A server that follows in the history of the last one has its grants too.
            guard name == last.name else {
                throw StoreError(.unavailable, "\(name) does not report its timeline, but \(last.name) did")
            }
            return
        }
        if last.timeline.isLater(than: own) {
            guard name == last.name else { throw Self.overtaken(name, by: last.name) }
            throw StoreError(
                .unavailable,
                "\(name) is on timeline \(own.number), but was on \(last.timeline.number): an older copy has its name")
        }
        // The same host may have been upgraded to another version of PostgreSQL, which makes it another cluster.
        guard own.cluster == last.timeline.cluster || name == last.name else {
            throw StoreError(.unavailable, "\(name) belongs to a different cluster than \(last.name)")
        }
    }

    /// The error of a server from which another one took over.
    static func overtaken(_ old: String, by new: String) -> StoreError {
        StoreError(.unavailable, "\(old) is an old primary: \(new) took over from it")
    }

    /// Asks the other hosts whether they accept writes. Several hosts may lead to one server, for example poolers: there, the lock
    /// is taken.
    /// - Parameter key: of a lock that a session at the server of `target` holds exclusively.
    /// - Returns: also the hosts that could not be asked.
    func primaries(
        besides target: ConnectionString.Target, key: Int64
    ) -> (found: [OtherPrimary], unasked: [UnaskedHost]) {
        // What it learns of those hosts says nothing of the connections that are used.
        let probe = Connecting(string: string, options: options.probing)
        var result: (found: [OtherPrimary], unasked: [UnaskedHost]) = ([], [])
        for other in otherTargets(than: target) {
            do {
                let connection = try probe.established(other.answering(within: probe.options.connectTimeout))
                guard try probe.call("pg_try_advisory_xact_lock_shared", key, on: connection) else { continue }
                let timeline = try? Timeline(of: connection, within: probe.options.askLimit)
                result.found.append(OtherPrimary(name: other.name, timeline: timeline))
            } catch let error as StoreError where error.code == .readOnly {
                // A standby.
            } catch {
                result.unasked.append(UnaskedHost(name: other.name, reason: StoreError(of: error).reason))
            }
        }
        return result
    }

    func otherTargets(than target: ConnectionString.Target) -> [ConnectionString.Target] {
        string.targets.filter { $0.settings != target.settings }
    }

    private func others(besides connection: ServerConnection, key: Int64?) throws -> [OtherPrimary] {
        guard !otherTargets(than: connection.target).isEmpty else { return [] }
        let lock = key ?? Int64.random(in: .min ... .max)
        if key == nil { _ = try call("pg_try_advisory_lock", lock, on: connection) }
        defer { if key == nil { _ = try? call("pg_advisory_unlock", lock, on: connection) } }
        let (found, unasked) = primaries(besides: connection.target, key: lock)
        unaskedHosts.withLock { $0 = unasked }
        // A lock whose session has ended is free at its own server too. This fails then.
        if !found.isEmpty { _ = try connection.exchange([.run("SELECT 1")], within: options.askLimit) }
        return found
    }

    private func call(_ function: String, _ key: Int64, on connection: ServerConnection) throws -> Bool {
        let row = try connection.row(
            "SELECT pg_catalog.\(function)($1) AS done", [.integer(key)], within: options.askLimit)
        return try row?.integer("done") == 1
    }

    /// Names the server to stop, as far as the timelines tell.
    private func refusal(of own: OtherPrimary, and other: OtherPrimary) -> StoreError {
        let advice =
            if own.timeline?.isLater(than: other.timeline) == true {
                "\(own.name) was promoted later, so stop \(other.name)"
            } else if other.timeline?.isLater(than: own.timeline) == true {
                "\(other.name) was promoted later, so stop \(own.name)"
            } else if let first = own.timeline, let second = other.timeline, first.cluster != second.cluster {
                "they belong to different clusters, so the connection string names one of them by mistake"
            } else {
                "the timelines do not show which one was promoted later, and either may be the wrong one"
            }
        return StoreError(.otherPrimary, "two servers accept writes, \(own.words) and \(other.words): \(advice)")
    }
}

extension OtherPrimary {
    fileprivate var words: String { "\(name) (timeline \(timeline.map { "\($0.number)" } ?? "unknown"))" }
}

extension PostgreSQLOptions {
    /// For a host that is only asked what it is. One that is gone would otherwise delay every start and every command.
    fileprivate var probing: PostgreSQLOptions {
        var options = self
        options.connectTimeout = .seconds(2)
        options.askLimit = .seconds(2)
        options.statementTimeout = .seconds(1)
        return options
    }
}
