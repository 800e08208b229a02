/// A statement that writes columns of a record. Its text and the order of its values come from one list of columns.
///
/// Keep it in a constant: the text is built once, and a statement is prepared under its text.
package struct RecordWrite<Column: RecordColumn>: Sendable {
    /// The columns whose values are the first parameters, in this order.
    package let columns: [Column]
    package let sql: String

    /// Inserts a whole row, or nothing if one of its keys is in use.
    package static func insertion(into table: String) -> Self {
        let columns = Array(Column.allCases)
        let places = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        return Self(
            columns: columns,
            sql: "INSERT INTO \(table) (\(Column.list())) VALUES (\(places)) ON CONFLICT DO NOTHING")
    }

    /// Updates a row, if it is still at a revision, and raises its revision. The last two parameters are the key and the revision.
    package static func update(of table: String, _ columns: [Column], key: Column, revision: Column) -> Self {
        let changes = columns.enumerated().map { "\($1.columnName) = $\($0 + 1)" }.joined(separator: ", ")
        return Self(
            columns: columns,
            sql: """
                UPDATE \(table) SET \(changes), \(revision.columnName) = \(revision.columnName) + 1
                WHERE \(key.columnName) = $\(columns.count + 1) AND \(revision.columnName) = $\(columns.count + 2)
                """)
    }
}
