/// Marks a copy that replaces a database, until the effects of the restore have been applied at a start.
///
/// The mark is in the copy itself, so that both appear together: a power cut during a restore leaves either the former
/// database without a mark, or the restored one with it.
package enum PendingRestore {
    private static let name = "restore.pending"

    /// Marks a copy; one statement, for any connection.
    package static let marking =
        "INSERT INTO meta (name, value) VALUES ('\(name)', '1') ON CONFLICT (name) DO NOTHING"

    /// Whether the database was restored and the effects have not been applied yet.
    package static func isPending(on connection: any SQLConnection) throws -> Bool {
        try Meta.value(name, on: connection) != nil
    }

    /// Removes the mark, in the transaction that completes the restore.
    package static func settle(on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM meta WHERE name = $1", [.text(name)])
    }
}
