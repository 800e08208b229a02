/// Trouble of the store itself; expected refusals are returned values and never come this way.
///
/// Its text names statements and columns, never values, so that it can be logged.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure, for code that decides; stable, and more may come.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name.
        public let rawValue: String

        /// - Parameter rawValue: the stable name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The disk or the database's own limit is full; nothing was written. Worth trying again later.
        public static let full = Code(rawValue: "full")
        /// The engine cannot be reached or is too busy; nothing was written. Worth trying again.
        public static let unavailable = Code(rawValue: "unavailable")
        /// The disk failed to keep what it was given: a sync failed, or a checkpoint met an input/output error. The engine
        /// acknowledges nothing from then on, and only a new start may open the database again.
        public static let diskFailed = Code(rawValue: "disk_failed")
        /// The connection was lost while committing: written or not, an idempotent repetition finds out.
        public static let outcomeUnknown = Code(rawValue: "outcome_unknown")
        /// The database was closed; the program is stopping.
        public static let closed = Code(rawValue: "closed")
        /// A unique key is taken.
        public static let conflict = Code(rawValue: "conflict")
        /// A foreign key, CHECK or NOT NULL constraint of the schema refused the row.
        public static let constraint = Code(rawValue: "constraint")
        /// The statement does not fit the schema or its arguments: a fault of the program.
        public static let statement = Code(rawValue: "statement")
        /// A row holds what it must not hold: a fault of the program, or damage.
        public static let unexpectedRow = Code(rawValue: "unexpected_row")
        /// The file is damaged or is no database.
        public static let damaged = Code(rawValue: "damaged")
        /// Another process, or another opener in this one, owns the database.
        public static let owned = Code(rawValue: "owned")
        /// The database was written by a newer version of the program.
        public static let newerSchema = Code(rawValue: "newer_schema")
        /// The engine would not give the durability that was asked for.
        public static let notDurable = Code(rawValue: "not_durable")
        /// A file could not be opened, created or written.
        public static let file = Code(rawValue: "file")

        /// The stable name.
        public var description: String { rawValue }
    }

    /// What kind of failure.
    public let code: Code

    /// What happened, for the operator's log.
    public let reason: String

    /// - Parameters:
    ///   - code: what kind of failure.
    ///   - reason: what happened, without any stored value.
    public init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The code and the reason.
    public var description: String { "\(code): \(reason)" }
}
