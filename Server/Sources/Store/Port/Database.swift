package import Core

/// A durable, atomic database: the one port that both engines implement.
///
/// Rules for the bodies, on every engine:
/// - A refusal that must leave a trace (a charged attempt, a revocation) is *returned*. A thrown error undoes
///   everything that the body wrote (``WriteIsolation/guardedStatement`` has an exception).
/// - A body has no side effects except on its connection, is limited in time and rows, and **may run more than once**:
///   the engine repeats it if a batch has to be split or a transaction could not be serialized. Only the last run
///   counts.
/// - A body makes no network call, does not wait, and calls no other `read` or `write`.
/// - Cancelling the calling task never interrupts a body that was handed over, and never undoes its writes.
package protocol Database: Sendable {
    /// Runs `body` on one consistent snapshot that includes everything acknowledged before the call.
    /// - Parameter body: queries only; the engine refuses statements that change something.
    /// - Throws: the errors of `body`, or a ``StoreError``.
    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T

    /// Runs `body` in one transaction. When this returns, its writes have reached the disk.
    /// - Parameter body: repeatable and limited; see the rules above.
    /// - Returns: the result of the committed run of `body`.
    /// - Throws: the errors of `body`, whose writes are undone, or a ``StoreError``. Nothing was written then, except
    ///   possibly with ``StoreError/Code-swift.struct/outcomeUnknown``, which an idempotent repetition resolves.
    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T

    /// Runs `body` like ``write(_:)``, with less isolation from writes at the same time. An engine with one writer
    /// runs it in one transaction all the same, and only checks that the body keeps the rules of
    /// ``WriteIsolation/guardedStatement``.
    func write<T: Sendable>(
        isolation: WriteIsolation, _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) async throws -> T

    /// Runs `body` like ``write(_:)``, to find out whether writes work at all. An engine that keeps rows in files of its own makes
    /// sure that these can grow: `body` may change a row in place, which needs no room.
    func probe<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T

    /// The processes that share the database; `nil` if only one can use it.
    var group: (any ProcessGroup)? { get }

    /// `nil` for an engine without connections.
    var connectionMetrics: ConnectionMetrics? { get }

    /// The clock of the database's server less a clock of this process: zero if the time that the answer took explains the
    /// difference. `nil` for an engine without a server.
    func clockDifference(from clock: any Clock) async throws -> Duration?
}

extension Database {
    package var group: (any ProcessGroup)? { nil }
    package var connectionMetrics: ConnectionMetrics? { nil }

    package func probe<T: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> T
    ) async throws -> T {
        try await write(body)
    }

    package func clockDifference(from clock: any Clock) async throws -> Duration? { nil }
}

/// How a write is isolated from others at the same time, on an engine with several writers.
package enum WriteIsolation: Sendable {
    /// As if the writes ran one after the other. A body may read, decide and write on what it read.
    case serializable
    /// For a body that reads, and then changes rows with one statement at most. It never has to be repeated because of
    /// others.
    ///
    /// On PostgreSQL, each statement is a transaction of its own, with its own snapshot, and the answer to the changing
    /// statement is the answer to its commit. An engine with one writer runs the body in one transaction, which a thrown
    /// error undoes. A body is right on both if it keeps these rules:
    /// - The condition or key of the changing statement repeats what the body decided on. Anything else that the body
    ///   read may be outdated by then, and acting on it must be as good as having run a moment earlier.
    /// - A statement that waited for a row sees that row as it is now, and other rows, such as those of a subquery, as
    ///   they were when the statement began. If it matches no row, the body reads again before it decides what that
    ///   means. It may then try another changing statement.
    /// - After a statement that changed rows there is no second one: the engine refuses it with
    ///   ``StoreError/Code-swift.struct/statement``, and on PostgreSQL the first change stays.
    /// - Nothing throws after the change. On PostgreSQL the change stays, so the caller gets
    ///   ``StoreError/Code-swift.struct/outcomeUnknown`` instead of that error. The same goes for a read that fails then.
    case guardedStatement
    /// For changes of the schema: one process at a time. On PostgreSQL the body runs again for about a minute if others keep a
    /// table locked, and requests wait for it only for moments.
    case schemaChange
}

/// An operator's maintenance of a database.
package protocol DatabaseMaintenance: Sendable {
    /// Reads the whole database and looks for damage: broken pages, indexes that do not match their tables, dangling
    /// references.
    /// - Throws: a ``StoreError`` if the database cannot be read at all.
    func check() async throws -> IntegrityReport

    /// Writes a consistent copy of everything acknowledged before the call, while reads and writes go on.
    /// - Parameter path: the file of the copy. An existing file is refused, never overwritten. The file appears only
    ///   when the copy is complete and on the disk.
    func backup(to path: String) async throws

    var log: WriteAheadLog { get }
}

/// The result of a check of the whole database.
package struct IntegrityReport: Sendable, Equatable {
    /// One line for each fault, in the engine's words; at most 100.
    package let problems: [String]

    package var isSound: Bool { problems.isEmpty }

    package init(problems: [String]) {
        self.problems = problems
    }
}

/// A connection inside one transaction, for a body of ``Database/read(_:)`` or ``Database/write(_:)``.
///
/// SQL is the same on every engine: `$1`, `$2` … placeholders (repeatable, in any order), `RETURNING`, `ON CONFLICT`,
/// and the column types `BYTEA`, `BIGINT` and `TEXT`. Statements are literals of the program and never contain values.
/// A connection is valid only while its body runs. Every function that takes a connection may throw a ``StoreError``.
package protocol SQLConnection: AnyObject {
    /// Runs one statement and returns all of its rows: add a `LIMIT` if many could match.
    /// - Parameters:
    ///   - sql: one statement; it is kept prepared under this text.
    ///   - arguments: the value of `$1` first, and exactly as many as the statement names.
    func query(_ sql: String, _ arguments: [SQLValue]) throws -> [SQLRow]

    /// Runs one statement for its effect. The parameters are those of ``query(_:_:)``.
    /// - Returns: the number of rows that the statement itself inserted, updated or deleted.
    /// - Throws: a ``StoreError``, with code ``StoreError/Code-swift.struct/conflict`` if a unique key is taken.
    @discardableResult
    func execute(_ sql: String, _ arguments: [SQLValue]) throws -> Int

    /// Runs one `CREATE`, `ALTER` or `DROP` statement. The engine maps the portable column types to its own.
    func define(_ sql: String) throws

    /// The host and port of the server that answers here, for people; `nil` for an engine without a server. Other calls may
    /// reach another one.
    var serverName: String? { get }
}

extension SQLConnection {
    package var serverName: String? { nil }

    /// Runs a statement that returns at most one row.
    /// - Throws: a ``StoreError``, with code ``StoreError/Code-swift.struct/unexpectedRow`` if there are more.
    package func row(_ sql: String, _ arguments: [SQLValue]) throws -> SQLRow? {
        let rows = try query(sql, arguments)
        guard rows.count <= 1 else {
            throw StoreError(.unexpectedRow, "\(rows.count) rows where at most one was expected")
        }
        return rows.first
    }
}

/// The state of the engine's write-ahead log, which has the acknowledged writes that are not in the database file yet.
package struct WriteAheadLog: Sendable, Hashable {
    /// The bytes that a restart would read.
    package var bytes: Int64
    /// When the whole log was last copied into the database file.
    package var lastWholeCheckpoint: Timestamp
    /// Failures since the engine was opened.
    package var failedCheckpoints: Int64 = 0
    /// Why the last checkpoint failed; `nil` if it succeeded.
    package var failure: String?
    /// Whether writes are refused, because the log has reached its limit, or because it or the database file was deleted or replaced.
    package var refusesWrites = false

    package init(bytes: Int64, lastWholeCheckpoint: Timestamp) {
        self.bytes = bytes
        self.lastWholeCheckpoint = lastWholeCheckpoint
    }
}
