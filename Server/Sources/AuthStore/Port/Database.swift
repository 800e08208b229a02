/// A durable, atomic database: the one port that both engines implement.
///
/// Rules for the bodies, on every engine:
/// - A refusal that must leave a trace (a charged attempt, a revocation) is *returned*. A thrown error undoes
///   everything that the body wrote.
/// - A body has no side effects except on its connection, is limited in time and rows, and **may run more than once**:
///   the engine repeats it if a batch has to be split or a transaction could not be serialized. Only the last run
///   counts.
/// - A body makes no network call, does not wait, and calls no other `read` or `write`.
/// - Cancelling the calling task never interrupts a body that was handed over, and never undoes its writes.
package protocol Database: Sendable {
    /// Runs `body` on one consistent snapshot that includes everything acknowledged before the call.
    /// - Parameter body: queries only; the engine refuses statements that change something.
    /// - Throws: the errors of `body`, or a ``StoreError``.
    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T

    /// Runs `body` in one transaction. When this returns, its writes have reached the disk.
    /// - Parameter body: repeatable and limited; see the rules above.
    /// - Returns: the result of the committed run of `body`.
    /// - Throws: the errors of `body`, whose writes are undone, or a ``StoreError``. Nothing was written then, except
    ///   possibly with ``StoreError/Code-swift.struct/outcomeUnknown``, which an idempotent repetition resolves.
    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T
}

/// An operator's maintenance of a database.
package protocol DatabaseMaintenance: Sendable {
    /// Reads the whole database and looks for damage: broken pages, indexes that do not match their tables, dangling
    /// references.
    /// - Throws: a ``StoreError`` if the database cannot be read at all.
    func check() async throws -> IntegrityReport

    /// Writes a consistent copy of everything acknowledged before the call, while reads and writes go on.
    /// - Parameter path: the file of the copy. An existing file is refused, never overwritten. The file appears only
    ///   when the copy is complete and on the disk.
    func backup(to path: String) async throws

    var log: WriteAheadLog { get }
}

/// The result of a check of the whole database.
package struct IntegrityReport: Sendable, Equatable {
    /// One line for each fault, in the engine's words; at most 100.
    package let problems: [String]

    package var isSound: Bool { problems.isEmpty }

    package init(problems: [String]) {
        self.problems = problems
    }
}
