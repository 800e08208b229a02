import Store

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
