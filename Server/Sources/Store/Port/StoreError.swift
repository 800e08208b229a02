/// A failure of the store itself. Expected refusals are return values.
///
/// The text names statements and columns but never values, so that it can be logged.
package struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure, for code that depends on it. The names are stable, and more may be added.
    package struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// The disk is full, or the database has reached its own limit. Nothing was written; a later retry may succeed.
        package static let full = Code(rawValue: "full")
        /// The engine cannot be reached or is too busy. Nothing was written; a retry may succeed.
        package static let unavailable = Code(rawValue: "unavailable")
        /// The disk failed to keep data: a sync failed, or a checkpoint had an input/output error. The engine
        /// acknowledges nothing from then on, and only a restart may open the database again.
        package static let diskFailed = Code(rawValue: "disk_failed")
        /// The connection was lost during the commit, or a guarded body failed after its change was committed. An
        /// idempotent repetition shows whether it was written.
        package static let outcomeUnknown = Code(rawValue: "outcome_unknown")
        /// The database was closed because the program is stopping.
        package static let closed = Code(rawValue: "closed")
        package static let conflict = Code(rawValue: "conflict")
        /// A foreign key, CHECK or NOT NULL constraint of the schema refused the row.
        package static let constraint = Code(rawValue: "constraint")
        /// The statement does not match the schema or its arguments: an error in the program.
        package static let statement = Code(rawValue: "statement")
        /// A row has invalid contents: an error in the program, or damage.
        package static let unexpectedRow = Code(rawValue: "unexpected_row")
        /// The file is damaged or not a database.
        package static let damaged = Code(rawValue: "damaged")
        /// A file of the database was deleted or replaced while it was open. The reason says what to do.
        package static let fileLost = Code(rawValue: "file_lost")
        /// Another process, or another owner in this one, has opened the database.
        package static let owned = Code(rawValue: "owned")
        /// A newer version of the program wrote the database.
        package static let newerSchema = Code(rawValue: "newer_schema")
        /// A program from before the first release wrote the database, and this one does not migrate it.
        package static let olderSchema = Code(rawValue: "older_schema")
        /// The engine refused the requested durability.
        package static let notDurable = Code(rawValue: "not_durable")
        /// The server did not let the role in.
        package static let loginRefused = Code(rawValue: "login_refused")
        /// The role lacks rights in the database.
        package static let accessDenied = Code(rawValue: "access_denied")
        /// The server has no TLS although the settings demand it, or its certificate is not trusted.
        package static let untrustedServer = Code(rawValue: "untrusted_server")
        /// The server has no database of this name.
        package static let noDatabase = Code(rawValue: "no_database")
        /// The server, or a pooler before it, has no free connection. A retry may succeed.
        package static let noConnections = Code(rawValue: "no_connections")
        /// The server is a standby, or accepts no writes.
        package static let readOnly = Code(rawValue: "read_only")
        /// More than one server of the connection string accepts writes.
        package static let otherPrimary = Code(rawValue: "other_primary")
        /// The database belongs to another program.
        package static let foreignSchema = Code(rawValue: "foreign_schema")
        /// The server, the database or the connection string does not meet the program's requirements.
        package static let unsuitable = Code(rawValue: "unsuitable")
        package static let file = Code(rawValue: "file")

        package var description: String { rawValue }

        /// Whether the database has to be repaired, and the server restarted afterwards.
        package var needsRepair: Bool { self == .damaged || self == .fileLost }
    }

    package let code: Code

    /// For the operator's log.
    package let reason: String

    /// - Parameter reason: must not contain stored values.
    package init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    package var description: String { "\(code): \(reason)" }

    /// Whether the same call may succeed later. A caller reports that a repetition makes sense.
    package var isPassing: Bool {
        switch code {
        case .full, .unavailable, .noConnections, .outcomeUnknown, .closed: true
        default: false
        }
    }
}
