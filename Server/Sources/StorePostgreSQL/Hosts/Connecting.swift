import Core
import Store

/// Opens connections, and checks that the server is one to work with.
struct Connecting: Sendable {
    let string: ConnectionString
    let options: PostgreSQLOptions
    let counters = EngineCounters()
    let presence = Presence()
    /// The hosts that the last check could not ask whether they accept writes.
    let unaskedHosts = LockedValue<[UnaskedHost]>([])
    /// Where the group's sessions have been, if the timeline was known: the latest one in the history of its cluster.
    let joined = LockedValue<JoinedServer?>(nil)
    private let sessions = KnownSessions()

    init(string: ConnectionString, options: PostgreSQLOptions) {
        self.string = string
        self.options = options
    }

    /// Tries the server of the last connection, then the others in their order.
    /// - Throws: ``StoreError``; of several servers, the error of the last one, with the names of all.
    func open() throws -> ServerConnection { try open { _ in } }

    /// - Parameter accept: throws ``StoreError`` to pass over the connection's server.
    func open(_ accept: (ServerConnection) throws -> Void) throws -> ServerConnection {
        var failures: [(name: String, error: StoreError)] = []
        for target in targets {
            do {
                return try open(target, accept)
            } catch let error as StoreError {
                failures.append((target.name, error))
            }
        }
        guard let last = failures.last else { throw StoreError(.unsuitable, "no server is named") }
        guard failures.count > 1 else { throw last.error }
        // A standby among the servers is expected. What counts is why the others do not answer.
        let code = failures.first { $0.error.code != .readOnly }?.error.code ?? last.error.code
        let reasons = failures.map { name, error in
            error.reason.hasPrefix(name) ? error.reason : "\(name): \(error.reason)"
        }
        throw StoreError(code, reasons.joined(separator: "; "))
    }

    /// A connection that was cut is opened again where it was: another host may be an old primary that is named first.
    private var targets: [ConnectionString.Target] {
        guard let last = sessions.target else { return string.targets }
        return [last] + string.targets.filter { $0.settings != last.settings }
    }

    private func open(
        _ target: ConnectionString.Target, _ accept: (ServerConnection) throws -> Void
    ) throws -> ServerConnection {
        let connection = try established(target)
        do {
            try accept(connection)
        } catch let failure as ServerFailure {
            throw failure.error
        }
        sessions.use(target)
        return connection
    }

    /// Opens a connection to one server.
    func established(_ target: ConnectionString.Target) throws -> ServerConnection {
        let connection = try ServerConnection(
            ServerConnection.connect(to: target, of: string), to: target, statementLimit: options.preparedStatements)
        do {
            try establish(connection)
        } catch let failure as ServerFailure {
            throw failure.error
        }
        return connection
    }

    /// Makes sure that a pooler keeps a session for each connection. One that shares sessions gives the backend of the first
    /// connection, which is idle, to the second one, or another backend to the first one.
    func requireOwnSessions(_ first: ServerConnection) throws {
        guard sessions.hasPooler else { return }
        let second = try open()
        try withExtendedLifetime(second) {
            guard try askBackend(of: first) == first.session.backend else { throw KnownSessions.sharedSessions }
        }
    }

    /// Sets the session up and checks what the engine depends on. The settings are no parameters of the connection's
    /// start, because poolers refuse those that they do not know.
    ///
    /// - `enable_seqscan = off`: every query has an index. A table that is still small would be read as a whole, and
    ///   under SERIALIZABLE each such read conflicts with every write to the table.
    /// - `client_min_messages = warning`: only a warning says that a standby did not confirm a commit.
    /// - `default_transaction_isolation = read committed`: a guarded body's statements have no `BEGIN` that could name it. If
    ///   an operator's default for the role or the database held, they would fail and be repeated.
    /// - `jit = off`: the cost of a plan without an index is then so high that PostgreSQL would compile it.
    private func establish(_ connection: ServerConnection) throws {
        guard connection.version >= 140_000 else {
            throw StoreError(
                .unsuitable, "the server is PostgreSQL \(connection.version / 10_000); 14 or newer is needed")
        }
        guard let encoding = connection.parameter("server_encoding"), encoding == "UTF8" else {
            throw StoreError(
                .unsuitable,
                """
                the database has the encoding \(connection.parameter("server_encoding") ?? "of an unknown name"): \
                create it with ENCODING 'UTF8' TEMPLATE template0
                """)
        }
        guard connection.isWritable else {
            throw StoreError(.readOnly, "the server is a standby or read-only")
        }
        let backend = try backend(of: connection)
        let noticing = Self.noticing(unlessIn: connection.setting("options") ?? "")
        let sql = """
            SELECT set_config('statement_timeout', $1, false), set_config('lock_timeout', $2, false),
                set_config('idle_in_transaction_session_timeout', $3, false), set_config('enable_seqscan', 'off', false),
                set_config('jit', 'off', false), set_config('client_min_messages', 'warning', false),
                set_config('default_transaction_isolation', 'read committed', false),
                set_config('synchronous_commit', CASE current_setting('synchronous_commit')
                    WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, false),
                \(noticing.map { "set_config('\($0.name)', '\($0.value)', false)," }.joined(separator: " "))
                current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on' AS durable,
                current_schema()::text AS schema
            """
        let times = [options.statementTimeout, options.lockTimeout, options.idleInTransactionTimeout]
        let arguments = times.map { SQLValue.text("\($0.wholeMilliseconds)") }
        guard let row = try connection.row(sql, arguments, within: options.answerLimit) else {
            throw StoreError(.unavailable, "the server gave no result")
        }
        guard try row.integer("durable") == 1 else {
            throw StoreError(.notDurable, "the server has fsync or full_page_writes turned off")
        }
        guard let schema = try row.optionalText("schema") else {
            throw StoreError(
                .accessDenied, "the role can use no schema: grant USAGE and CREATE on one in its search_path")
        }
        try sessions.require(schema: schema)
        connection.session = ServerConnection.Session(backend: backend, schema: schema)
    }

    /// The backend of the session. Behind a pooler it is another one than the pooler announced.
    ///
    /// This comes before the first prepared statement, which a pooler that shares sessions would confuse.
    private func backend(of connection: ServerConnection) throws -> Int64 {
        let backend = try askBackend(of: connection)
        guard backend != connection.announcedBackend else { return backend }
        guard options.allowsSessionPooler else {
            throw StoreError(
                .unsuitable,
                """
                a connection pooler is between this process and PostgreSQL: connect directly, or set \
                postgresql.pooler to session if it pools sessions
                """)
        }
        let claimed = KnownSessions.Backend(server: connection.target.name, number: backend)
        try sessions.claim(claimed)
        connection.whenEnded { [sessions] in sessions.release(claimed) }
        return backend
    }

    private func askBackend(of connection: ServerConnection) throws -> Int64 {
        let results: [ServerResult]
        do {
            results = try connection.exchange(
                [.run("SELECT pg_catalog.pg_backend_pid() AS backend")], within: options.answerLimit)
        } catch {
            // A pooler lets the client in, and then keeps its first statement until a connection is free.
            guard options.allowsSessionPooler, error.error.reason == ServerConnection.silence else { throw error }
            throw StoreError(.noConnections, "\(error.error.reason): the connection pooler may have no free connection")
        }
        guard let row = try results.first?.rows(named: ["backend"]).first else {
            throw StoreError(.unavailable, "the server gave no result")
        }
        return try row.integer("backend")
    }

    /// By these settings the server notices within 13 seconds that this machine has vanished, and releases its locks.
    /// Over a Unix socket they have no effect.
    /// - Parameter options: the operator's settings for the session, which take precedence.
    private static func noticing(unlessIn options: String) -> [(name: String, value: String)] {
        let chosen = options.replacing("-", with: "_")
        return [
            ("tcp_keepalives_idle", "5"), ("tcp_keepalives_interval", "2"), ("tcp_keepalives_count", "3"),
            ("tcp_user_timeout", "12000"),
        ].filter { !chosen.contains($0.0) }
    }
}

extension PostgreSQLOptions {
    /// How long to wait for an answer: longer than the server lets a statement run.
    var answerLimit: Duration { statementTimeout * 3 / 2 }

    /// How long a connection waits for a lock that leaves calls which would wait longer to others.
    var briefLockTimeout: Duration { lockTimeout / 10 }
}
