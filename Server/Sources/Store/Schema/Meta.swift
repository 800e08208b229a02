/// Named values of the whole database, such as its epoch.
package enum Meta {
    package static func value(_ name: String, on connection: any SQLConnection) throws -> String? {
        try connection.row("SELECT value FROM meta WHERE name = $1", [.text(name)])?.text("value")
    }

    package static func set(_ name: String, to value: String, on connection: any SQLConnection) throws {
        try connection.execute(
            "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = $2",
            [.text(name), .text(value)])
    }

    /// Sets a value if the name has none yet.
    /// - Returns: the value in effect, this one or an earlier one.
    package static func establish(
        _ name: String, as value: String, on connection: any SQLConnection
    ) throws -> String {
        try connection.execute(
            "INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
            [.text(name), .text(value)])
        return try self.value(name, on: connection) ?? value
    }
}

extension FlowTables {
    /// Named values of the whole database.
    static let meta = FlowTables(
        statements: [
            """
            CREATE TABLE meta (
                name TEXT NOT NULL PRIMARY KEY,
                value TEXT NOT NULL
            )
            """
        ],
        restoring: [
            "meta": .kept(because: "the epoch is written last, and marks say how old the copy is")
        ])
}
