/// One step of the schema, applied once, in its own transaction. It never changes after its release.
package struct Migration: Sendable {
    /// The position in the sequence, from 1 without gaps.
    package let version: Int64

    /// Recorded in the list of applied migrations.
    package let name: String

    /// Statements of data definition in portable SQL.
    package let statements: [String]

    /// The effect of a restore on each table that the migration creates. It runs under the newest schema, so it may
    /// name later columns and may be changed.
    package let restoring: KeyValuePairs<String, RestoreEffect>

    package init(
        version: Int64, name: String, statements: [String], restoring: KeyValuePairs<String, RestoreEffect> = [:]
    ) {
        self.version = version
        self.name = name
        self.statements = statements
        self.restoring = restoring
    }
}
