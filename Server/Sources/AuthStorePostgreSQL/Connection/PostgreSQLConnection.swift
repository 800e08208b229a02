import AuthStore

/// Implements the port on one connection, for one run of one body.
///
/// A statement that fails aborts PostgreSQL's transaction. The first failure is kept, so that the engine knows it even
/// if the body caught the error, and every later statement of the body fails with it.
final class PostgreSQLConnection: SQLConnection {
    /// The transaction, from its first statement on.
    enum Kind: Sendable {
        case reading
        case writing(WriteIsolation)

        /// Sent in one go.
        var beginning: [ServerConnection.Request] {
            switch self {
            case .reading: [.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")]
            case .writing(.serializable): [.run("BEGIN ISOLATION LEVEL SERIALIZABLE")]
            case .writing(.guardedStatement): [.run("BEGIN ISOLATION LEVEL READ COMMITTED")]
            case .writing(.schemaChange):
                // One process at a time. Each statement after the lock sees what the process before committed, and
                // may take long.
                [
                    .run("BEGIN ISOLATION LEVEL READ COMMITTED"), .run("SET LOCAL statement_timeout = 0"),
                    .run("SET LOCAL lock_timeout = 0"),
                    .run("SELECT pg_catalog.pg_advisory_xact_lock(\(PostgreSQLConnection.schemaLock))"),
                ]
            }
        }
    }

    /// The key of the advisory lock under which a schema is changed: "wallet" in ASCII.
    private static let schemaLock = 0x7761_6C6C_6574

    private let server: ServerConnection
    private let kind: Kind
    private let presence: Presence
    private let limit: Duration?
    private var hasBegun = false
    /// Whether a statement was run that may have changed something.
    private(set) var hasWritten = false
    /// The first failure of a statement.
    private(set) var failure: ServerFailure?

    /// - Parameter limit: how long the server may take for a statement.
    init(_ server: ServerConnection, _ kind: Kind, presence: Presence, limit: Duration) {
        self.server = server
        self.kind = kind
        self.presence = presence
        if case .writing(.schemaChange) = kind { self.limit = nil } else { self.limit = limit }
    }

    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        let (statement, result) = try manipulate(sql, arguments)
        let columns = statement.columns ?? result.columns
        statement.columns = columns
        return try result.rows(named: columns)
    }

    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int {
        try manipulate(sql, arguments).result.changes
    }

    func define(_ sql: String) throws {
        guard StatementKind(of: sql) == .definition else { throw Self.refusal(of: sql) }
        try requireUsable()
        hasWritten = true
        _ = try exchange([.run(PortableDefinition.native(sql))])
    }

    // MARK: The end of the transaction

    /// Ends a transaction that is to leave nothing. Nothing waits for the answer.
    func abandon() throws(ServerFailure) {
        guard hasBegun else { return }
        try server.post([.run("ROLLBACK")])
    }

    /// Ends a transaction that read only. Nothing waits for the answer.
    func finishReading() throws(ServerFailure) {
        guard hasBegun else { return }
        try server.post([.run("COMMIT")])
    }

    /// Commits, and returns once the server has answered. If the group's session has ended since the beginning, its lock has as
    /// well, and another server may be the primary: then the transaction leaves nothing.
    /// - Throws: ``ServerFailure``; with code `outcomeUnknown` if the answer did not arrive. A loss of the connection
    ///   has a remedy only if nothing was written.
    func commit() throws(ServerFailure) {
        guard hasBegun else { return }
        guard isAdmitted else {
            try abandon()
            throw Self.unproved
        }
        let results: [ServerResult]
        do {
            results = try server.exchange([.run("COMMIT")], within: limit)
        } catch {
            guard error.remedy == .anotherConnection, hasWritten else { throw error }
            throw ServerFailure(
                StoreError(.outcomeUnknown, "the answer to a commit did not arrive: \(error.error.reason)"),
                .anotherConnection)
        }
        guard results.last?.tag == "COMMIT" else {
            throw ServerFailure(StoreError(.unavailable, "the server rolled the transaction back"))
        }
        // For example, the wait for a synchronous standby was cancelled. The commit is on the primary only, and would be
        // lost with it.
        guard !server.warned else {
            throw ServerFailure(
                StoreError(.outcomeUnknown, "the server committed with a warning: no standby confirmed it in time"))
        }
    }

    // MARK: Statements

    private func manipulate(
        _ sql: String, _ arguments: [SQLValue]
    ) throws -> (statement: ServerConnection.Prepared, result: ServerResult) {
        guard StatementKind(of: sql) == .manipulation else { throw Self.refusal(of: sql) }
        try requireUsable()
        let (statement, preparing) = server.prepared(sql, arguments.map(\.serverType))
        guard statement.placeholders == arguments.count else {
            throw StoreError(
                .statement, "\(arguments.count) arguments for placeholders up to $\(statement.placeholders)")
        }
        if !Self.reads(sql) { hasWritten = true }
        let results = try exchange(preparing + [.execute(statement, Arguments(arguments))])
        guard let result = results.last else { throw StoreError(.unavailable, "the server gave no result") }
        return (statement, result)
    }

    /// Before each statement: none has failed, and the first one may begin the transaction here.
    private func requireUsable() throws {
        if failure == nil, !hasBegun, !isAdmitted { failure = Self.unproved }
        if let failure { throw failure.error }
    }

    private var isAdmitted: Bool {
        switch kind {
        case .reading: presence.admits(server, toWrite: false)
        case .writing: presence.admits(server, toWrite: true)
        }
    }

    /// The call runs again, once its connection is proved.
    private static let unproved = ServerFailure.lost("the group's session was replaced: its server may be another one")

    private func exchange(_ requests: [ServerConnection.Request]) throws -> [ServerResult] {
        let all = hasBegun ? requests : kind.beginning + requests
        hasBegun = true
        do {
            return try server.exchange(all, within: limit)
        } catch {
            let known = known(error)
            failure = known
            throw known.error
        }
    }

    /// A read that tries to write is an error of the program, and no sign of a standby.
    private func known(_ failure: ServerFailure) -> ServerFailure {
        guard case .reading = kind, failure.error.reason.hasSuffix("(PostgreSQL 25006)") else { return failure }
        return ServerFailure(StoreError(.statement, failure.error.reason))
    }

    private static func reads(_ sql: String) -> Bool {
        let text = sql.utf8.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        return text.first.map { $0 & ~0x20 } == UInt8(ascii: "S")
    }

    private static func refusal(of sql: String) -> StoreError {
        StoreError(.statement, "this statement is not allowed here: \(sql.prefix(40))")
    }
}
