import Store

/// The presence of the group's session at one server: an exclusive advisory lock on a random key, new for each session.
///
/// Connections may reach different servers: after a failover, an old primary that runs again accepts writes too. A connection
/// that cannot get the lock is at the same server as the group's session. While there is no session, calls wait.
final class Presence: Sendable {
    private enum State {
        /// The database was opened without a membership, or the group has not been joined yet.
        case unneeded
        case absent(StoreError)
        case present(key: Int64)
    }

    private let state = LockedValue(State.unneeded)

    /// The key of the present session's lock; `nil` if there is none.
    var key: Int64? {
        guard case .present(let key) = state.withLock({ $0 }) else { return nil }
        return key
    }

    /// Why the group has no session; `nil` if it has one or needs none.
    var absence: StoreError? {
        guard case .absent(let error) = state.withLock({ $0 }) else { return nil }
        return error
    }

    /// The group has a session, which holds the lock.
    func begin(_ key: Int64) {
        state.withLock { $0 = .present(key: key) }
    }

    /// The group no longer has a session.
    func end(because error: StoreError) {
        state.withLock { $0 = .absent(error) }
    }

    /// Whether a transaction may begin on a connection, or a write be committed. It asks no server: the session may have been
    /// replaced since the connection was proved.
    func admits(_ connection: ServerConnection) -> Bool {
        switch state.withLock({ $0 }) {
        case .unneeded: true
        case .absent: false
        case .present(let key): connection.provedPresence == key
        }
    }
}
