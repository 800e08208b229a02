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
