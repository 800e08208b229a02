import Store

/// Finds out whether the disk of the tables has room for new rows.
///
/// An update of a small row finds room on its page, and so do most commits in the segments of the log that PostgreSQL keeps, while every
/// table that has to grow fails. Inserting would find that out only when the probe's own table has to grow, and would leave dead rows
/// and log behind, once a second for good. A temporary file takes its room from the same disk, and leaves nothing.
enum DiskRoom {
    /// Writes about 60 KB into a temporary file of the database's own tablespace.
    /// - Throws: ``StoreError`` with code `full` if there is no room.
    static func require(on connection: any SQLConnection) throws {
        _ = try connection.query(settings, [])
        _ = try connection.query(spilling, [])
    }

    /// For this transaction: the least memory, and the tablespace where the tables are.
    private static let settings = """
        SELECT set_config('work_mem', '64', true) AS memory, set_config('temp_tablespaces', '', true) AS tablespace
        """

    /// The rows need more memory than that. An operator's limit of temporary files below it is no sign of a full disk.
    private static let spilling = """
        SELECT COUNT(*) AS rows FROM generate_series(1,
            CASE WHEN current_setting('temp_file_limit') ~ '^(0|[0-9]{1,2}kB)$' THEN 0 ELSE 4000 END)
        """
}
