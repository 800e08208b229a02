import Store

/// The presence of the group's session at one server: an exclusive advisory lock on a random key, new for each session.
///
/// Connections may reach different servers: after a failover, an old primary that runs again accepts writes too. A connection
/// that cannot get the lock is at the same server as the group's session.
final class Presence: Sendable {
    private enum State {
        /// The database was opened without a membership, or the group has not been joined yet.
        case unneeded
        /// The group's session is lost. Its lock had this key.
        case absent(last: Int64)
        case present(key: Int64)
    }

    private let state = LockedValue(State.unneeded)

    /// The key of the present session's lock; `nil` if there is none.
    var key: Int64? {
        guard case .present(let key) = state.withLock({ $0 }) else { return nil }
        return key
    }

    /// The key of the last session's lock, while there is no session.
    var lastKey: Int64? {
        guard case .absent(let last) = state.withLock({ $0 }) else { return nil }
        return last
    }

    /// The group has a session, which holds the lock.
    func begin(_ key: Int64) {
        state.withLock { $0 = .present(key: key) }
    }

    /// The group no longer has a session.
    func end() {
        state.withLock { state in
            guard case .present(let key) = state else { return }
            state = .absent(last: key)
        }
    }

    /// Whether the connection has to be proved before its next call.
    func needsProof(of connection: ServerConnection) -> Bool { !admits(connection, toWrite: false) }

    /// Whether a transaction may begin, or a write be committed. It asks no server: the session may have been replaced since
    /// the connection was proved. While there is none, reads go on.
    func admits(_ connection: ServerConnection, toWrite writes: Bool) -> Bool {
        switch state.withLock({ $0 }) {
        case .unneeded: true
        case .absent(let last): !writes && connection.provedPresence == last
        case .present(let key): connection.provedPresence == key
        }
    }
}
