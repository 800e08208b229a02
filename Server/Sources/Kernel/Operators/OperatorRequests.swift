package import Core
package import Store

/// A call that waits for a second operator.
package struct OperatorRequest: Sendable, Hashable {
    package var id: UniqueID
    /// Of the command's words, keyed, and of the account that it is about.
    package var digest: [UInt8]
    /// Who called first.
    package var account: UniqueID
    /// The command's title, with none of its values.
    package var command: String
    package var about: UniqueID?
    package var expiresAt: Timestamp

    package init(
        id: UniqueID, digest: [UInt8], account: UniqueID, command: String, about: UniqueID?, expiresAt: Timestamp
    ) {
        self.id = id
        self.digest = digest
        self.account = account
        self.command = command
        self.about = about
        self.expiresAt = expiresAt
    }
}

/// Reads and writes calls that wait for a second operator. It owns the `operator_requests` table.
package enum OperatorRequests {
    private static let columns = "id, digest, account_id, command, about, expires_at"

    /// - Returns: whether it waits now; `false` if the same call waits already.
    package static func add(_ request: OperatorRequest, now: Timestamp, on connection: any SQLConnection) throws -> Bool
    {
        try connection.execute(
            "DELETE FROM operator_requests WHERE digest = $1 AND expires_at <= $2",
            [.blob(request.digest), .time(now)])
        return try connection.execute(
            """
            INSERT INTO operator_requests (\(columns)) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (digest) DO NOTHING
            """,
            [
                .id(request.id), .blob(request.digest), .id(request.account), .text(request.command),
                .id(request.about), .time(request.expiresAt),
            ]) == 1
    }

    package static func find(_ digest: [UInt8], on connection: any SQLConnection) throws -> OperatorRequest? {
        try connection.row("SELECT \(columns) FROM operator_requests WHERE digest = $1", [.blob(digest)]).map(request)
    }

    /// - Returns: whether it still waited. Of several callers, one takes it.
    package static func take(_ id: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.execute("DELETE FROM operator_requests WHERE id = $1", [.id(id)]) == 1
    }

    /// A page of the calls that wait, in the order of ids, which are made in the order of time.
    package static func list(
        after id: UniqueID?, now: Timestamp, limit: Int, on connection: any SQLConnection
    ) throws -> [OperatorRequest] {
        try connection.query(
            "SELECT \(columns) FROM operator_requests WHERE id > $1 AND expires_at > $2 ORDER BY id LIMIT $3",
            [.blob(id?.bytes ?? []), .time(now), .integer(Int64(limit))]
        ).map(request)
    }

    /// The number of an account's calls that wait.
    package static func count(of account: UniqueID, now: Timestamp, on connection: any SQLConnection) throws -> Int {
        let row = try connection.row(
            "SELECT COUNT(*) AS found FROM operator_requests WHERE account_id = $1 AND expires_at > $2",
            [.id(account), .time(now)])
        return Int(try row?.integer("found") ?? 0)
    }

    /// Removes the calls of an account, and those about it.
    static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        try connection.execute(
            "DELETE FROM operator_requests WHERE account_id = $1 OR about = $1", [.id(account)])
    }

    private static func request(_ row: SQLRow) throws -> OperatorRequest {
        OperatorRequest(
            id: try row.id("id"), digest: try row.blob("digest"), account: try row.id("account_id"),
            command: try row.text("command"), about: try row.optionalBlob("about").flatMap { UniqueID(bytes: $0) },
            expiresAt: try row.time("expires_at"))
    }
}
