/// A place where facts are kept, durably and atomically: the one port behind which both engines live.
///
/// Rules for the bodies, on every engine:
/// - A refusal that must leave a trace (a charged attempt, a revocation) is *returned*; a thrown error undoes everything
///   that the body wrote.
/// - A body is pure but for its connection, bounded in time and rows, and **may run more than once**: the engine repeats
///   it when a batch has to be split or a transaction could not be serialized. Only the last run counts.
/// - No network call, no waiting and no other `read` or `write` inside a body.
/// - Cancelling the calling task never interrupts a body that was handed over, and never undoes what it wrote.
package protocol Database: Sendable {
    /// Runs `body` on one consistent snapshot that holds everything acknowledged before the call.
    ///
    /// - Parameter body: queries only; a statement that would change something is refused by the engine.
    /// - Returns: what `body` returned.
    /// - Throws: what `body` threw, or a ``StoreError``.
    func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T

    /// The same for a few point reads, which an engine may run on the calling thread: for them a change of threads costs more than
    /// the reading.
    ///
    /// - Parameter body: queries that find a handful of rows by an index, and no computing to speak of.
    /// - Returns: what `body` returned.
    /// - Throws: what `body` threw, or a ``StoreError``.
    func lookUp<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T

    /// Runs `body` in one transaction. When this returns, what `body` wrote has reached the disk.
    ///
    /// - Parameter body: pure, bounded, repeatable; see the rules above.
    /// - Returns: what the committed run of `body` returned.
    /// - Throws: what `body` threw (its writes are undone), or a ``StoreError`` (nothing was written, except with
    ///   ``StoreError/Code-swift.struct/outcomeUnknown``, which an idempotent repetition resolves).
    func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T
}

extension Database {
    /// An engine whose threads cannot read for themselves reads as ever.
    package func lookUp<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
        try await read(body)
    }
}

/// What an operator asks of an engine beside reading and writing.
package protocol DatabaseMaintenance: Sendable {
    /// Reads the whole database and looks for damage: broken pages, indexes that disagree with their tables, rows
    /// that point nowhere.
    ///
    /// - Throws: a ``StoreError`` when the database cannot be read at all.
    func check() async throws -> IntegrityReport

    /// Writes a consistent copy of everything acknowledged before the call, while reading and writing go on.
    ///
    /// - Parameter path: where the copy goes; a file that stands there already is refused, never overwritten. The copy
    ///   appears under this name only when it is complete and on the disk.
    /// - Throws: a ``StoreError``.
    func backup(to path: String) async throws

    /// The write-ahead log as it is now.
    var log: WriteAheadLog { get }
}

/// What a check of the whole database found.
package struct IntegrityReport: Sendable, Equatable {
    /// One line for each fault, in the engine's words; empty when none was found. At most 100.
    package let problems: [String]

    /// Whether no fault was found.
    package var isSound: Bool { problems.isEmpty }

    /// - Parameter problems: one line for each fault.
    package init(problems: [String]) {
        self.problems = problems
    }
}
