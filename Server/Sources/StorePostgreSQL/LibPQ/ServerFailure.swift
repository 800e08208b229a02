import Store

/// A failure that the server reported, or the loss of a connection, with what the engine may do about it.
struct ServerFailure: Error {
    enum Remedy {
        /// Nothing: the caller gets the error.
        case none
        /// The transaction could not be serialized, or was chosen to end a deadlock. Run its body again.
        case repetition
        /// A unique key is taken. The row may have been committed after the body's snapshot, and then this is a failed
        /// serialization by another name: the body looked first, and did not see it. Run it once more.
        case freshSnapshot
        /// Another session holds a lock. A change of the schema lets others go first, and runs again; of any other call,
        /// the caller gets the error.
        case laterRepetition
        /// The connection is of no use any more. Run the body again on another.
        case anotherConnection
    }

    let error: StoreError
    let remedy: Remedy
    /// The SQLSTATE that the server reported; `nil` if it reported none, as for a lost connection.
    private(set) var state: String?
    /// Whether the server answered up to the synchronization point. Statements without `BEGIN` were not committed then.
    private(set) var isAnswered = false

    /// The same failure, with ``isAnswered``.
    var answered: ServerFailure {
        var failure = self
        failure.isAnswered = true
        return failure
    }

    init(_ error: StoreError, _ remedy: Remedy = .none) {
        self.error = error
        self.remedy = remedy
    }

    static func lost(_ reason: String) -> ServerFailure {
        ServerFailure(StoreError(.unavailable, reason), .anotherConnection)
    }
}

extension ServerFailure {
    /// - Parameters:
    ///   - state: the SQLSTATE.
    ///   - message: the server's primary message. The details, which may contain values, are not read.
    ///   - function: the server's function that reported the error.
    init(state: String, _ message: String, function: String = "") {
        let reason = "\(message) (PostgreSQL \(state))"
        func failure(_ code: StoreError.Code, _ remedy: Remedy = .none) -> ServerFailure {
            ServerFailure(StoreError(code, reason), remedy)
        }
        switch state {
        case "40001", "40P01": self = failure(.unavailable, .repetition)
        case "25006", "25P03", "57P01", "57P02", "57P03", "57P05": self = failure(.unavailable, .anotherConnection)
        // Prepared by another connection on the same backend.
        case "42P05":
            let shared = KnownSessions.sharedSessions
            self = ServerFailure(StoreError(shared.code, "\(shared.reason) (PostgreSQL \(state))"))
        // The statement is no longer prepared, or its tables have changed. A new connection prepares it again.
        case "26000":
            self = .lost(
                "a prepared statement is gone, as happens when \(KnownSessions.sharedSessions.reason) "
                    + "(PostgreSQL \(state))")
        case "0A000" where function == "RevalidateCachedQuery": self = failure(.unavailable, .anotherConnection)
        case "23505": self = failure(.conflict, .freshSnapshot)
        case "53100": self = failure(.full)
        case "42501": self = failure(.accessDenied)
        case "55P03": self = ServerFailure(StoreError(.unavailable, Self.lockTimeout), .laterRepetition)
        case "57014": self = failure(.unavailable)
        case "XX001", "XX002": self = failure(.damaged)
        default:
            switch state.prefix(2) {
            case "08": self = failure(.unavailable, .anotherConnection)
            case "23": self = failure(.constraint)
            // The message of this class quotes values.
            case "22": self = ServerFailure(StoreError(.constraint, "a value does not fit (PostgreSQL \(state))"))
            case "53", "58", "57", "55", "40": self = failure(.unavailable)
            default: self = failure(.statement)
            }
        }
        self.state = state
    }

    private static let lockTimeout = """
        another session holds a lock on the same rows or tables (PostgreSQL 55P03): `walletauth doctor` lists who holds it. If it \
        lists no one, run SELECT pid, usename, application_name, state, query FROM pg_stat_activity WHERE pid IN (SELECT \
        unnest(pg_blocking_pids(pid)) FROM pg_stat_activity) while a request waits
        """
}

extension StoreError {
    /// The error of an exchange with a server, in the port's terms.
    init(of error: any Error) {
        self = error as? StoreError ?? (error as? ServerFailure)?.error ?? StoreError(.unavailable, "\(error)")
    }
}
