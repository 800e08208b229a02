/// What a restore does to the rows of a table.
///
/// A copy brings back rows that were removed, ended or counted further after it was made. Each migration says of every table that it
/// creates what becomes of them (``Migration/restoring``), and a restore carries that out table by table
/// (``RestoreEffect/apply(to:in:now:coolingUntil:batch:)``). A test fails for a table that says nothing.
package enum RestoreEffect: Sendable, Hashable {
    /// The rows go, page by page in the order of a column of bytes.
    case removed(by: String)
    /// The rows stay and no longer open or exempt anything. `$3` of the statement is the time of the restore.
    case ended(Rewrite)
    /// The rows stay and count as newly added. `$3` of the statement is the end of the cooling period.
    case cooled(Rewrite)
    /// It takes more than one statement: `Restoration` does what the text says.
    case handled(String)
    /// The rows stay as the copy has them, for this reason.
    case kept(because: String)

    /// A statement for a page of rows, those of a table whose key lies above `$1` and up to `$2`.
    package struct Rewrite: Sendable, Hashable {
        /// The table whose rows are walked.
        package let walking: String
        /// Its key: a column of bytes.
        package let key: String
        /// What is done to each page.
        package let statement: String

        /// Changes the rows of a table.
        /// - Parameters:
        ///   - table: the table.
        ///   - key: a column of bytes by which its rows are walked.
        ///   - change: the `SET` clause.
        ///   - condition: which rows are changed.
        static func update(_ table: String, by key: String, set change: String, where condition: String) -> Rewrite {
            Rewrite(
                walking: table, key: key,
                statement: "UPDATE \(table) SET \(change) WHERE \(key) > $1 AND \(key) <= $2 AND (\(condition))")
        }
    }
}

extension Schema {
    /// What a restore does to the rows of each table, in the order of the migrations.
    package static let restoreEffects: [(table: String, effect: RestoreEffect)] = migrations.flatMap { migration in
        migration.restoring.map { (table: $0.key, effect: $0.value) }
    }
}
