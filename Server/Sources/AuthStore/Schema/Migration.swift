/// One step of the schema, applied once, in its own transaction. It never changes after its release.
package struct Migration: Sendable {
    /// The position in the sequence, without gaps.
    package let version: Int64

    /// Recorded in the list of applied migrations.
    package let name: String

    /// Statements of data definition in portable SQL.
    package let statements: [String]

    /// A database that other programs wrote and that this migration takes over; only of the first migration.
    package let predecessor: Predecessor?

    /// The effect of a restore on each table that the migration creates. It runs under the newest schema, so it may
    /// name later columns and may be changed.
    package let restoring: [(table: String, effect: RestoreEffect)]

    /// A database with the same tables under other names.
    package struct Predecessor: Sendable {
        package let version: Int64
        /// Run instead of the migration's own statements.
        package let statements: [String]

        package init(version: Int64, statements: [String]) {
            self.version = version
            self.statements = statements
        }
    }

    package init(
        version: Int64, name: String, statements: [String], predecessor: Predecessor? = nil,
        restoring: KeyValuePairs<String, RestoreEffect> = [:]
    ) {
        self.version = version
        self.name = name
        self.statements = statements
        self.predecessor = predecessor
        self.restoring = restoring.map { (table: $0.key, effect: $0.value) }
    }

    /// A migration that creates tables, in the order of `tables`.
    init(version: Int64, name: String, tables: [FlowTables], predecessor: Predecessor?) {
        self.version = version
        self.name = name
        statements = tables.flatMap(\.statements)
        self.predecessor = predecessor
        restoring = tables.flatMap { flow in flow.restoring.map { (table: $0.key, effect: $0.value) } }
    }
}
