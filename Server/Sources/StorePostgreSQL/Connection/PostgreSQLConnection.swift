import Core
import Store

/// Implements the port on one connection, for one run of one body.
///
/// A statement that fails aborts PostgreSQL's transaction. The first failure is kept, so that the engine knows it even
/// if the body caught the error, and every later statement of the body fails with it.
///
/// The statements of a ``Store/WriteIsolation/guardedStatement`` are transactions of their own, without `BEGIN` and
/// `COMMIT`: PostgreSQL commits each at the synchronization point that ends its exchange, before it answers that.
final class PostgreSQLConnection: SQLConnection {
    /// The transaction, from its first statement on.
    enum Kind: Sendable {
        case reading
        case serializable
        case guardedStatement
        /// - Parameter tableLockTimeout: how long it waits for the lock of a table.
        case schemaChange(tableLockTimeout: Duration)

        /// Sent in one go.
        var beginning: [ServerConnection.Request] {
            switch self {
            case .reading: [.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")]
            case .serializable: [.run("BEGIN ISOLATION LEVEL SERIALIZABLE")]
            // The session's default is READ COMMITTED.
            case .guardedStatement: []
            case .schemaChange(let tableLockTimeout):
                // One process at a time. Each statement after the lock sees what the process before committed, and
                // may take long. Only the lock of the schema is waited for without a limit: no request waits behind it.
                [
                    .run("BEGIN ISOLATION LEVEL READ COMMITTED"), .run("SET LOCAL statement_timeout = 0"),
                    .run("SET LOCAL lock_timeout = 0"),
                    .run("SELECT pg_catalog.pg_advisory_xact_lock(\(PostgreSQLConnection.schemaLock))"),
                    .run("SET LOCAL lock_timeout = \(tableLockTimeout.wholeMilliseconds)"),
                ]
            }
        }

        /// Whether each statement is a transaction of its own.
        var commitsEachStatement: Bool {
            if case .guardedStatement = self { true } else { false }
        }
    }

    /// The progress of the transaction.
    private enum Phase {
        /// Nothing is open. The statements of a guarded body leave it here, as long as none of them has changed rows.
        case notBegun
        /// It is open, and no statement that may change something was sent.
        case unchanged
        /// It is open, and a statement that may change something was sent.
        case changing
        /// A statement of a guarded body has changed rows and is committed, although the body still runs.
        case committed
    }

    /// The key of the advisory lock under which a schema is changed: "wallet" in ASCII.
    private static let schemaLock = 0x7761_6C6C_6574

    private let server: ServerConnection
    private let kind: Kind
    private let presence: Presence
    private let limit: Duration?
    /// The tables that it must not wait for; `nil` if it may.
    private let blocked: BlockedTables?
    private var phase = Phase.notBegun
    /// The first failure of a statement. The transaction may still be open, and has to be ended.
    private(set) var failure: ServerFailure?

    /// - Parameters:
    ///   - limit: how long the server may take for a statement, unless that changes the schema.
    ///   - blocked: tables whose statements fail at once, as if they had waited for a lock.
    init(
        _ server: ServerConnection, _ kind: Kind, presence: Presence, limit: Duration, blocked: BlockedTables? = nil
    ) {
        self.blocked = blocked
        self.server = server
        self.kind = kind
        self.presence = presence
        if case .schemaChange = kind { self.limit = nil } else { self.limit = limit }
    }

    var serverName: String? { server.target.name }

    /// Whether a statement of a guarded body has changed rows and is committed.
    var hasCommitted: Bool { phase == .committed }

    /// Whether a transaction is open that has to be ended.
    private var isOpen: Bool { phase == .unchanged || phase == .changing }

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
        guard !kind.commitsEachStatement else { throw keep(ServerFailure(Self.refusal(of: sql))) }
        _ = try exchange([.run(PortableDefinition.native(sql))], changes: true)
    }

    // MARK: The end of the transaction

    /// Ends a transaction that is to leave nothing. Nothing waits for the answer.
    func abandon() throws(ServerFailure) {
        guard isOpen else { return }
        try server.post([.run("ROLLBACK")])
    }

    /// Ends a transaction that read only. Nothing waits for the answer.
    func finishReading() throws(ServerFailure) {
        guard isOpen else { return }
        try server.post([.run("COMMIT")])
    }

    /// Commits, and returns once the server has answered. If the group's session has ended since the beginning, its lock has as
    /// well, and another server may be the primary: then the transaction leaves nothing.
    /// - Throws: ``ServerFailure``; with code `outcomeUnknown` if the answer did not arrive. A loss of the connection
    ///   has a remedy only if nothing was written.
    func commit() throws(ServerFailure) {
        guard isOpen else { return }
        guard presence.admits(server) else {
            try abandon()
            throw Self.unproved
        }
        let results: [ServerResult]
        do {
            results = try server.exchange([.run("COMMIT")], within: limit)
        } catch {
            guard error.remedy == .anotherConnection, phase == .changing else { throw error }
            throw ServerFailure(
                StoreError(
                    .outcomeUnknown,
                    "the response to a commit at \(server.target.name) did not arrive: \(error.error.reason)"),
                .anotherConnection)
        }
        guard results.last?.tag == "COMMIT" else {
            throw ServerFailure(StoreError(.unavailable, "the server rolled the transaction back"))
        }
        // For example, the wait for a synchronous standby was cancelled. The commit is on the primary only, and would be
        // lost with it.
        guard !server.hasWarning else { throw unconfirmed }
    }

    private var unconfirmed: ServerFailure {
        ServerFailure(
            StoreError(
                .outcomeUnknown, "\(server.target.name) committed with a warning: no standby confirmed it in time"))
    }

    // MARK: Statements

    private func manipulate(
        _ sql: String, _ arguments: [SQLValue]
    ) throws -> (statement: PreparedStatement, result: ServerResult) {
        guard StatementKind(of: sql) == .manipulation else { throw Self.refusal(of: sql) }
        try requireUsable()
        let changes = !StatementKind.reads(sql)
        if changes, hasCommitted { throw keep(ServerFailure(.secondChange(sql))) }
        if let blocked, !hasCommitted, blocked.concern(sql) { throw keep(Self.blockedTable) }
        let (statement, preparing) = server.prepared(sql, arguments.map(\.serverType))
        guard statement.placeholders == arguments.count else {
            throw StoreError(
                .statement, "\(arguments.count) arguments for placeholders up to $\(statement.placeholders)")
        }
        let results = try exchange(preparing + [.execute(statement, Arguments(arguments))], changes: changes)
        guard let result = results.last else { throw StoreError(.unavailable, "the server gave no result") }
        if kind.commitsEachStatement, changes, result.changes > 0 {
            phase = .committed
            guard !server.hasWarning else { throw keep(unconfirmed) }
        }
        return (statement, result)
    }

    /// Before each statement: none has failed, and one that begins a transaction may do so here. A read after a change that is
    /// committed already must not make the body run again.
    private func requireUsable() throws {
        if failure == nil, phase == .notBegun, !presence.admits(server) { failure = Self.unproved }
        if let failure { throw failure.error }
    }

    /// The call runs again, once its connection is proved.
    private static let unproved = ServerFailure.lost("the group's session was replaced: its server may be another one")

    /// - Parameter changes: whether the requests may change something.
    private func exchange(_ requests: [ServerConnection.Request], changes: Bool) throws -> [ServerResult] {
        let all = isOpen ? requests : kind.beginning + requests
        // Before the answer: a statement that fails leaves its transaction open, and one without an answer may have
        // run.
        if !kind.commitsEachStatement, phase != .changing { phase = changes ? .changing : .unchanged }
        do {
            return try server.exchange(all, within: limit)
        } catch {
            throw keep(known(error, changes: changes))
        }
    }

    private func keep(_ failure: ServerFailure) -> StoreError {
        self.failure = failure
        return failure.error
    }

    /// What a failure means for the body.
    private func known(_ failure: ServerFailure, changes: Bool) -> ServerFailure {
        switch kind {
        case .reading where failure.error.reason.hasSuffix("(PostgreSQL 25006)"):
            // A read that tries to write is an error of the program, and no sign of a standby.
            ServerFailure(StoreError(.statement, failure.error.reason))
        case .guardedStatement where changes && !failure.isAnswered:
            unknown("the response to a statement and its commit did not arrive", failure)
        case .guardedStatement where hasCommitted:
            unknown("a change was committed, but a read after it failed", failure)
        default: failure
        }
    }

    private func unknown(_ reason: String, _ failure: ServerFailure) -> ServerFailure {
        ServerFailure(
            StoreError(.outcomeUnknown, "\(reason), at \(server.target.name): \(failure.error.reason)"))
    }

    /// The call runs on a connection that waits.
    private static let blockedTable = ServerFailure(
        StoreError(.unavailable, "other sessions already wait for this table"), .laterRepetition)

    private static func refusal(of sql: String) -> StoreError {
        StoreError(.statement, "this statement is not allowed here: \(sql.prefix(40))")
    }
}
