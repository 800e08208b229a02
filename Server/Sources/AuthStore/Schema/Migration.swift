/// One step of the schema, applied once, in a transaction of its own, and never changed after its release.
package struct Migration: Sendable {
    /// Its place in the sequence, from 1 without gaps.
    package let version: Int64

    /// What it brings, for the list of applied migrations.
    package let name: String

    /// Statements of data definition in portable text.
    package let statements: [String]

    /// - Parameters:
    ///   - version: its place in the sequence.
    ///   - name: what it brings.
    ///   - statements: statements of data definition in portable text.
    package init(version: Int64, name: String, statements: [String]) {
        self.version = version
        self.name = name
        self.statements = statements
    }
}
