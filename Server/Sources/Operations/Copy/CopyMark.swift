import Store

/// What a copy notes about itself among the named values of its destination. None of it is a row of the source, and none
/// of it is copied.
enum CopyMark {
    /// Identifies the source of an unfinished copy. As long as it is there, no server may use the database.
    static let origin = "copy"

    /// When the copy was finished, in milliseconds.
    static let finished = "copy.finished"

    /// The name of a table's ``CopyPosition``.
    static func position(of table: StoredTable) -> String { "copy.position.\(table.name)" }

    /// Whether a row is one of these.
    static func isOwn(_ row: SQLRow, of table: StoredTable) throws -> Bool {
        guard table.name == "meta" else { return false }
        let name = try row.text("name").utf8
        return name.elementsEqual(origin.utf8) || name.starts(with: (origin + ".").utf8)
    }
}
