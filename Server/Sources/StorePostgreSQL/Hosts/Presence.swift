import Store

/// The presence of the group's session at one server: an exclusive advisory lock on a random key, new for each session.
///
/// Connections may reach different servers: after a failover, an old primary that runs again accepts writes too. A connection
/// that cannot get the lock is at the same server as the group's session. While there is no session, calls wait.
final class Presence: Sendable {
    private enum Session {
        /// The database was opened without a membership, or the group has not been joined yet.
        case unneeded
        case absent(StoreError)
        case present(key: Int64)
    }

    private struct State {
        var session = Session.unneeded
        var waiting: [WakeUp] = []
        var isClosed = false
    }

    private let state = LockedValue(State())

    /// The key of the present session's lock; `nil` if there is none.
    var key: Int64? {
        guard case .present(let key) = state.withLock({ $0.session }) else { return nil }
        return key
    }

    /// Why the group has no session; `nil` if it has one or needs none.
    var absence: StoreError? {
        guard case .absent(let error) = state.withLock({ $0.session }) else { return nil }
        return error
    }

    /// The group has a session, which holds the lock.
    func begin(_ key: Int64) {
        change { $0.session = .present(key: key) }
    }

    /// The group no longer has a session.
    func end(because error: StoreError) {
        state.withLock { $0.session = .absent(error) }
    }

    /// Ends every wait for a session, also later ones.
    func close() {
        change { $0.isClosed = true }
    }

    private func change(_ body: (inout State) -> Void) {
        let woken = state.withLock { state in
            body(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for wakeUp in woken { wakeUp.wake() }
    }

    /// Waits until the group has a session, until a connection has something to say, such as its end, or until a deadline.
    /// - Throws: ``StoreError`` if too many files are open.
    func wait(before deadline: ContinuousClock.Instant, or connection: ServerConnection) throws(StoreError) {
        let wakeUp = try WakeUp()
        let isNeeded = state.withLock { state in
            guard case .absent = state.session, !state.isClosed else { return false }
            state.waiting.append(wakeUp)
            return true
        }
        guard isNeeded else { return }
        wakeUp.sleep(for: ContinuousClock.now.duration(to: deadline), or: connection.socket)
        state.withLock { $0.waiting.removeAll { $0 === wakeUp } }
    }

    /// Whether a transaction may begin on a connection, or a write be committed. It asks no server: the session may have been
    /// replaced since the connection was proved.
    func admits(_ connection: ServerConnection) -> Bool {
        switch state.withLock({ $0.session }) {
        case .unneeded: true
        case .absent: false
        case .present(let key): connection.provedPresence == key
        }
    }
}

/// Only other servers than the group's would have a connection. This may pass at once: if the group's session has just ended,
/// its own server looks like another one.
struct OtherServer: Error {
    let error: StoreError
}

/// Connections that serve calls have to be at the server of the group's session (``Presence``).
extension Connecting {
    /// Opens a connection, and passes over servers other than the group's, while the group has a session.
    /// - Throws: ``OtherServer`` if one of those answered and no other host helped; ``StoreError`` like ``open()``.
    func openForCalls() throws -> ServerConnection {
        var isElsewhere = false
        do {
            return try open { connection in
                guard try !isAtGroupsServer(connection) else { return }
                isElsewhere = true
                throw StoreError(
                    .unavailable,
                    "\(connection.target.name) is not the server that holds this process's lock: an old "
                        + "primary may be running again")
            }
        } catch let error as StoreError where isElsewhere {
            throw OtherServer(error: error)
        }
    }

    /// Whether a connection is at the server of the group's session, or there is no session to compare with. It asks the
    /// server only if the connection was not proved with this session.
    func isAtGroupsServer(_ connection: ServerConnection) throws -> Bool {
        // The key is read before the server is asked. If it has changed since, the answer says nothing.
        while let key = presence.key, key != connection.provedPresence {
            // Where no session holds the key, the lock ends with the statement.
            let row = try connection.row(
                "SELECT pg_catalog.pg_try_advisory_xact_lock_shared($1) AS is_free", [.integer(key)],
                within: options.askLimit)
            guard let row else { throw StoreError(.unavailable, "the server gave no result") }
            if try row.integer("is_free") == 0 {
                connection.provedPresence = key
            } else if presence.key == key {
                return false
            }
        }
        return true
    }
}
