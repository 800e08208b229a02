package import Core

/// How far a database has come, for processes that remember it.
///
/// A process writes its mark, about the time of its last write, after the writes that the mark covers. A database with the
/// mark has those writes too. If it lacks a mark that a process remembers, it is older: it was restored, or a standby
/// without the last commits took over.
///
/// Each process raises its own mark only. Otherwise a process that continues on the older database would raise the mark that
/// another one would miss.
package struct DatabaseMarks: Sendable, Equatable {
    /// The name of the number of the last restore, in ``Meta``.
    package static let epochName = "epoch"
    /// The marks that a database keeps, the newest. Each start of a process that writes adds one.
    package static let limit = 1000
    private static let identityName = "database"
    private static let prefix = "mark."
    /// The first text, by bytes, after every text with the prefix.
    private static let prefixEnd = "mark/"

    /// Random, to tell databases apart; `nil` if no process has recorded a mark yet.
    package var database: String?
    /// The number of the last restore; 0 before the first.
    package var epoch: Int64
    /// Whether a restore was begun or noticed, and its effects have not been applied.
    package var isRestorePending: Bool = false
    /// By process, in milliseconds since 1970.
    package var marks: [String: Int64] = [:]

    /// Reads the marks of a database whose schema exists.
    package static func read(on connection: any SQLConnection) throws -> DatabaseMarks {
        let rows = try connection.query(
            """
            SELECT name, value FROM meta
            WHERE name IN ($1, $2, $3) OR (name >= $4 AND name < $5)
            """, [.text(identityName), .text(epochName), .text(PendingRestore.name), .text(prefix), .text(prefixEnd)])
        var found = DatabaseMarks(database: nil, epoch: 0)
        for row in rows {
            let (name, value) = (try row.text("name"), try row.text("value"))
            switch name {
            case identityName: found.database = value
            case epochName: found.epoch = Int64(value) ?? 0
            case PendingRestore.name: found.isRestorePending = true
            default: found.marks[String(name.dropFirst(prefix.count))] = Int64(value)
            }
        }
        return found
    }

    /// Gives a database its identity, unless it has one.
    /// - Returns: the identity in effect.
    package static func establish(_ database: String, on connection: any SQLConnection) throws -> String {
        try Meta.establish(identityName, as: database, on: connection)
    }

    /// Raises a process's mark: to the time, or by one if the clock is behind the mark. One guarded statement.
    /// - Parameter last: the mark that the database must have; `nil` if the process has none yet.
    /// - Returns: the mark; `nil` if the database lacks the last one. Nothing is written then: a new mark would hide the
    ///   loss.
    package static func raise(
        _ process: String, after last: Int64?, now: Timestamp, on connection: any SQLConnection
    ) throws -> Int64? {
        var arguments: [SQLValue] = [
            .text(prefix + process), .text(String(now.milliseconds)), .integer(now.milliseconds),
        ]
        let row: SQLRow?
        if let last {
            arguments.append(.integer(last))
            row = try connection.row(
                """
                UPDATE meta SET value = CASE WHEN CAST(value AS BIGINT) < $3 THEN $2
                    ELSE CAST(CAST(value AS BIGINT) + 1 AS TEXT) END
                WHERE name = $1 AND CAST(value AS BIGINT) >= $4
                RETURNING value
                """, arguments)
        } else {
            row = try connection.row(
                """
                INSERT INTO meta (name, value) VALUES ($1, $2)
                ON CONFLICT (name) DO UPDATE SET value = CASE WHEN CAST(meta.value AS BIGINT) < $3 THEN $2
                    ELSE CAST(CAST(meta.value AS BIGINT) + 1 AS TEXT) END
                RETURNING value
                """, arguments)
        }
        return try row.flatMap { Int64(try $0.text("value")) }
    }

    /// Removes the marks of processes that ended long ago, and the oldest ones above a number.
    package static func removeMarks(
        before limit: Timestamp, keeping count: Int = Self.limit, on connection: any SQLConnection
    ) throws {
        let marks = try read(on: connection).marks
        let oldest = max(limit.milliseconds, newest(count, of: marks).values.min() ?? .min)
        for (process, mark) in marks where mark < oldest {
            try connection.execute("DELETE FROM meta WHERE name = $1", [.text(prefix + process)])
        }
    }

    /// The newest marks, at most `count`.
    package static func newest(_ count: Int, of marks: [String: Int64]) -> [String: Int64] {
        guard marks.count > count else { return marks }
        let order = marks.sorted { ($0.value, $0.key) > ($1.value, $1.key) }
        return Dictionary(order.prefix(count).map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
