import Store

/// Where a server is in the history of its cluster. Each promotion of a standby begins a timeline with a higher number, so of two
/// primaries, the one with the higher number was promoted later. It does not say what each of them lacks.
struct Timeline: Sendable {
    /// The same for a server and those that were copied from it. Others have a history of their own.
    let cluster: Int64
    let number: Int64

    /// - Returns: `nil` if the role may not read it, or the server does not report it.
    /// - Throws: ``ServerFailure`` if the server did not answer or could not do so now: then it may answer the next time.
    init?(of connection: ServerConnection, within limit: Duration) throws {
        let answer: SQLRow?
        do {
            answer = try Self.ask(connection, within: limit)
        } catch let failure as ServerFailure {
            guard let state = failure.state, !Self.transient.contains(String(state.prefix(2))) else { throw failure }
            return nil
        }
        guard let row = answer, let cluster = try? row.integer("cluster"),
            let number = (try? row.text("timeline")).flatMap({ Int64($0, radix: 16) })
        else { return nil }
        self.cluster = cluster
        self.number = number
    }

    /// Whether this one is known to have begun later.
    func isLater(than other: Timeline?) -> Bool {
        guard let other else { return false }
        return cluster == other.cluster && number > other.number
    }

    private static func ask(_ connection: ServerConnection, within limit: Duration) throws -> SQLRow? {
        do {
            return try connection.row(query, [], within: limit)
        } catch let failure as ServerFailure where failure.state == "XX000" {
            // The server reads its control file for this. It was being written, so its checksum did not match.
            return try connection.row(query, [], within: limit)
        }
    }

    /// The SQLSTATE classes of errors after which the server may answer the next time: a lost connection, a rollback, too few resources,
    /// an operator's intervention, a system error, and a file that is being written. Any other error, such as a missing right or
    /// function, would come again.
    private static let transient: Set<String> = ["08", "40", "53", "57", "58", "XX"]

    /// Any role may call these functions, unless an operator has revoked that.
    private static let query = """
        SELECT pg_catalog.substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8) AS timeline,
            (SELECT c.system_identifier FROM pg_catalog.pg_control_system() c) AS cluster
        """
}
