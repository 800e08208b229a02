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
            "meta": .kept(because: "the epoch is written last")
        ])
}
