import Store

/// What the connections of one database have in common, and what each must have for itself.
final class KnownSessions: Sendable {
    /// A server process. Two servers may use the same number for theirs.
    struct Backend: Hashable {
        /// See ``ConnectionString/Target/name``.
        let server: String
        let number: Int64
    }

    private struct State {
        var schema: String?
        /// The backends of open connections, known only behind a pooler.
        var backends: Set<Backend> = []
        /// The host that the last connection was opened to.
        var target: ConnectionString.Target?
    }

    /// The error of a pooler that gives one backend to several connections.
    static let sharedSessions = StoreError(
        .unsuitable, "the connection pooler shares sessions: connect directly, or set its pool_mode to session")

    private let state = LockedValue(State())

    /// All connections have to use the schema of the first. The role's `search_path` may change in between.
    func require(schema: String) throws(StoreError) {
        let first = state.withLock { state in
            if state.schema == nil { state.schema = schema }
            return state.schema
        }
        guard first == schema else {
            throw StoreError(
                .unavailable, "the search_path now leads to the schema \(schema) instead of \(first ?? ""): restart")
        }
    }

    /// A backend that serves two connections is shared by its pooler, which breaks locks and prepared statements.
    func claim(_ backend: Backend) throws(StoreError) {
        guard state.withLock({ $0.backends.insert(backend).inserted }) else {
            throw Self.sharedSessions
        }
    }

    /// Whether a connection of a pooler is open.
    var hasPooler: Bool { state.withLock { !$0.backends.isEmpty } }

    var target: ConnectionString.Target? { state.withLock { $0.target } }

    func use(_ target: ConnectionString.Target) {
        state.withLock { $0.target = target }
    }

    func release(_ backend: Backend) {
        state.withLock { _ = $0.backends.remove(backend) }
    }
}
