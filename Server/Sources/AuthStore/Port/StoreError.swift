/// Trouble of the store itself; expected refusals are returned values and never come this way.
///
/// Its text names statements and columns, never values, so that it can be logged.
package struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure, for code that decides; stable, and more may come.
    package struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name.
        package let rawValue: String

        /// - Parameter rawValue: the stable name.
        package init(rawValue: String) { self.rawValue = rawValue }

        /// The disk or the database's own limit is full; nothing was written. Worth trying again later.
        package static let full = Code(rawValue: "full")
        /// The engine cannot be reached or is too busy; nothing was written. Worth trying again.
        package static let unavailable = Code(rawValue: "unavailable")
        /// The disk failed to keep what it was given: a sync failed, or a checkpoint met an input/output error. The engine
        /// acknowledges nothing from then on, and only a new start may open the database again.
        package static let diskFailed = Code(rawValue: "disk_failed")
        /// The connection was lost while committing: written or not, an idempotent repetition finds out.
        package static let outcomeUnknown = Code(rawValue: "outcome_unknown")
        /// The database was closed; the program is stopping.
        package static let closed = Code(rawValue: "closed")
        /// A unique key is taken.
        package static let conflict = Code(rawValue: "conflict")
        /// A foreign key, CHECK or NOT NULL constraint of the schema refused the row.
        package static let constraint = Code(rawValue: "constraint")
        /// The statement does not fit the schema or its arguments: a fault of the program.
        package static let statement = Code(rawValue: "statement")
        /// A row holds what it must not hold: a fault of the program, or damage.
        package static let unexpectedRow = Code(rawValue: "unexpected_row")
        /// The file is damaged or is no database.
        package static let damaged = Code(rawValue: "damaged")
        /// Another process, or another opener in this one, owns the database.
        package static let owned = Code(rawValue: "owned")
        /// The database was written by a newer version of the program.
        package static let newerSchema = Code(rawValue: "newer_schema")
        /// The engine would not give the durability that was asked for.
        package static let notDurable = Code(rawValue: "not_durable")
        /// A file could not be opened, created or written.
        package static let file = Code(rawValue: "file")

        /// The stable name.
        package var description: String { rawValue }
    }

    /// What kind of failure.
    package let code: Code

    /// What happened, for the operator's log.
    package let reason: String

    /// - Parameters:
    ///   - code: what kind of failure.
    ///   - reason: what happened, without any stored value.
    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The code and the reason.
    package var description: String { "\(code): \(reason)" }
}
