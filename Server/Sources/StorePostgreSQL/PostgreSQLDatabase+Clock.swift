package import Core
import Store

extension PostgreSQLDatabase {
    /// See ``Store/Database/clockDifference(from:)``.
    package func clockDifference(from clock: any Clock) async throws -> Duration? {
        try await read { connection -> Duration in
            // Until this statement has begun the transaction, the next one would not measure a single exchange.
            _ = try connection.query("SELECT 1 AS one", [])
            let sent = clock.now()
            let row = try connection.row(
                "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint AS clock", [])
            let received = clock.now()
            guard let time = try row?.time("clock") else {
                throw StoreError(.unexpectedRow, "the server reported no time")
            }
            if time > max(sent, received) { return time - max(sent, received) }
            return min(time - min(sent, received), .zero)
        }
    }
}
