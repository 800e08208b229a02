/// The mark of a copy that takes a database's place, until a start has done to it what a restore does.
///
/// It is in the copy itself, so that the two come and go together: a power cut in the middle of a restore leaves the former database
/// without a mark, or the restored one with it.
package enum PendingRestore {
    private static let name = "restore.pending"

    /// Marks a copy; one statement, for any connection.
    package static let marking =
        "INSERT INTO meta (name, value) VALUES ('\(name)', '1') ON CONFLICT (name) DO NOTHING"

    /// Whether the database was restored, and no start has dealt with that.
    package static func isPending(on connection: any SQLConnection) throws -> Bool {
        try Meta.value(name, on: connection) != nil
    }

    /// Takes the mark away, in the transaction that ends what a restore does.
    package static func settle(on connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM meta WHERE name = $1", [.text(name)])
    }
}
