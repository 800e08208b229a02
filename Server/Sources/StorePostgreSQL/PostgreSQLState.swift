package import Core
import Foundation
import Store

/// What an operator's check wants to know of a server.
package struct PostgreSQLState: Sendable {
    /// How the connection is protected.
    package enum Transport: Sendable, Equatable {
        /// A Unix socket, or this machine's own network.
        case local
        case tls
        case unencrypted
    }

    /// Such as 170002 for 17.2.
    package let version: Int
    package let transport: Transport
    /// The server's clock less this process's; within the time that the answer took.
    package let clockDifference: Duration
    /// 0 for an empty database.
    package let schemaVersion: Int64
}

extension PostgreSQLDatabase {
    /// Reads only: it neither creates nor migrates anything.
    package func state() async throws -> PostgreSQLState {
        try await read { connection in
            // Until this statement has begun the transaction, the next one would not measure a single exchange.
            _ = try connection.query("SELECT 1 AS one", [])
            let sent = Date()
            let row = try connection.row(Self.state, [])
            let received = Date()
            guard let row else { throw StoreError(.unexpectedRow, "the server reported nothing about itself") }
            let middle = (sent.timeIntervalSince1970 + received.timeIntervalSince1970) / 2
            let difference = try row.time("clock") - Timestamp(milliseconds: Int64((middle * 1000).rounded()))
            let isLocal = try row.integer("is_local") == 1
            let isEncrypted = try row.integer("is_encrypted") == 1
            return PostgreSQLState(
                version: Int(try row.integer("version")),
                transport: isLocal ? .local : isEncrypted ? .tls : .unencrypted,
                clockDifference: difference,
                schemaVersion: try row.integer("is_migrated") == 1 ? try Schema.version(on: connection) : 0)
        }
    }

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

    private static let state = """
        SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint AS clock,
            current_setting('server_version_num')::bigint AS version,
            COALESCE(inet_client_addr() <<= '127.0.0.0/8' OR inet_client_addr() = '::1', true) AS is_local,
            COALESCE((SELECT s.ssl FROM pg_catalog.pg_stat_ssl s WHERE s.pid = pg_backend_pid()), false) AS is_encrypted,
            to_regclass('schema_migrations') IS NOT NULL AS is_migrated
        """
}
