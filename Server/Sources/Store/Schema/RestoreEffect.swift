package import Core

/// The effect of a restore on the rows of a table.
///
/// A copy brings back rows that were removed, ended or counted further since. The effect is therefore declared with
/// each table (``FlowTables/restoring``), and a restore applies it table by table
/// (``RestoreEffect/apply(to:in:now:coolingUntil:batch:)``). A test fails if a table is missing.
package enum RestoreEffect: Sendable, Hashable {
    /// The rows are deleted, page by page in the order of a column of bytes.
    case removed(by: String)
    /// The rows stay but no longer open or exempt anything. `$3` of the statement is the time of the restore.
    case ended(Rewrite)
    /// The rows stay and count as newly added. `$3` of the statement is the end of the cooling period.
    case cooled(Rewrite)
    /// The table needs more than one statement: `Restoration` does what the text says.
    case handled(String)
    /// The rows stay as in the copy, for this reason.
    case kept(because: String)

    /// The rows stay as in the copy. Only operators change them.
    static let leftToOperators = RestoreEffect.kept(
        because: "an operator changes them, and looks through them after a restore")

    /// A statement for one page of rows of a table, with keys above `$1` and up to `$2`.
    package struct Rewrite: Sendable, Hashable {
        /// The table whose rows are walked.
        package let walking: String
        /// A column of bytes.
        package let key: String
        package let statement: String

        /// Changes rows of the table itself: `change` is the `SET` clause, `condition` selects the rows.
        static func update(_ table: String, by key: String, set change: String, where condition: String) -> Rewrite {
            Rewrite(
                walking: table, key: key,
                statement: "UPDATE \(table) SET \(change) WHERE \(key) > $1 AND \(key) <= $2 AND (\(condition))")
        }
    }
}

extension Schema {
    /// The effects of all migrations, in their order.
    package static let restoreEffects: [(table: String, effect: RestoreEffect)] = migrations.flatMap(\.restoring)
}

extension RestoreEffect {
    /// Applies the effect to a table's rows, one page in each write. Harmless to repeat: an interrupted restore starts
    /// again.
    /// - Parameters:
    ///   - now: the time of the restore.
    ///   - cooling: the end of the cooling period of restored factors.
    ///   - batch: the rows read in one write, at least 1.
    package func apply(
        to table: String, in database: any Database, now: Timestamp, coolingUntil cooling: Timestamp, batch: Int = 500
    ) async throws {
        switch self {
        case .removed(let key):
            let removal = Rewrite(
                walking: table, key: key, statement: "DELETE FROM \(table) WHERE \(key) > $1 AND \(key) <= $2")
            try await removal.run(in: database, at: now, batch: batch)
        case .ended(let rewrite): try await rewrite.run(in: database, at: now, batch: batch)
        case .cooled(let rewrite): try await rewrite.run(in: database, at: cooling, batch: batch)
        case .handled, .kept: break
        }
    }
}

extension RestoreEffect.Rewrite {
    /// Walks the rows, one page in each write.
    /// - Parameter time: `$3` of the statement, if it has one.
    fileprivate func run(in database: any Database, at time: Timestamp, batch: Int) async throws {
        let page = """
            SELECT page.k AS last_key
            FROM (SELECT \(key) AS k FROM \(walking) WHERE \(key) > $1 ORDER BY \(key) LIMIT $2) AS page
            ORDER BY page.k DESC LIMIT 1
            """
        let further: [SQLValue] = statement.contains("$3") ? [.time(time)] : []
        var cursor: [UInt8]? = []
        while let after = cursor {
            cursor = try await database.write { connection -> [UInt8]? in
                let row = try connection.row(page, [.blob(after), .integer(Int64(max(1, batch)))])
                guard let last = try row?.optionalBlob("last_key") else { return nil }
                try connection.execute(statement, [.blob(after), .blob(last)] + further)
                return last
            }
        }
    }
}
