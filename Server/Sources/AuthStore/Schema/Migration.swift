/// One step of the schema, applied once, in a transaction of its own, and never changed after its release.
package struct Migration: Sendable {
    /// Its place in the sequence, from 1 without gaps.
    package let version: Int64

    /// What it brings, for the list of applied migrations.
    package let name: String

    /// Statements of data definition in portable text.
    package let statements: [String]

    /// What a restore does to the rows of each table that it creates. It runs under the newest schema, so that it may name columns
    /// that came later, and it may be changed.
    package let restoring: KeyValuePairs<String, RestoreEffect>

    /// - Parameters:
    ///   - version: its place in the sequence.
    ///   - name: what it brings.
    ///   - statements: statements of data definition in portable text.
    ///   - restoring: what a restore does to the rows of each table that it creates.
    package init(
        version: Int64, name: String, statements: [String], restoring: KeyValuePairs<String, RestoreEffect> = [:]
    ) {
        self.version = version
        self.name = name
        self.statements = statements
        self.restoring = restoring
    }
}
