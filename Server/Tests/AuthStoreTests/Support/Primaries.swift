import Store
import StorePostgreSQL
import TestSupport

/// Two servers that both accept writes, after a failover that left the old primary running: a migrated database with the same
/// rows on each.
struct Primaries {
    let old: PostgreSQLServer
    let new: PostgreSQLServer
    private let schema: String

    /// - Parameter areEqual: whether both are promoted standbys of a third server, which is gone. Then their timelines are the same.
    init(for scratch: Scratch, areEqual: Bool = false) async throws {
        schema = PostgreSQLServer.schema(of: scratch)
        let first = try await PostgreSQLServer.start()
        try await first.run("CREATE SCHEMA \(schema)")
        let database = try await PostgreSQLDatabase.open(first.string(schema: schema))
        try await Schema.migrate(database, now: .start)
        await database.close()
        new = try await PostgreSQLServer.start(standbyOf: first)
        old = try await areEqual ? PostgreSQLServer.start(standbyOf: first) : first
        try await new.promote()
        if areEqual { try await old.promote() }
    }

    /// Names the old primary first.
    var string: String { connectionString(of: "postgres") }

    /// - Parameter third: a host that is named last.
    func connectionString(of role: String, besides third: String? = nil) -> String {
        let hosts = [old.folder, new.folder] + (third.map { [$0] } ?? [])
        return new.string(schema: schema, user: role, host: hosts.joined(separator: ","))
    }

    func names(on server: PostgreSQLServer) async throws -> Set<String> {
        Set(try await server.values("SELECT name FROM \(schema).meta"))
    }

    /// Has a server refuse new connections, and keep those that it has.
    func close(_ server: PostgreSQLServer) async throws {
        try await server.run("ALTER DATABASE postgres ALLOW_CONNECTIONS false", database: "template1")
    }

    func open(_ server: PostgreSQLServer) async throws {
        try await server.run("ALTER DATABASE postgres ALLOW_CONNECTIONS true", database: "template1")
    }
}

extension PostgreSQLServer {
    /// Ends the connections that serve calls, and returns once they are gone. The group's have longer names.
    func cutPools() async throws {
        try await run(
            "SELECT pg_terminate_backend(pid, 300000) FROM pg_stat_activity WHERE application_name = 'walletauth'",
            database: "template1")
    }

    /// Ends the groups' connections, and returns once they are gone.
    func cutGroups() async throws {
        try await run(
            "SELECT pg_terminate_backend(pid, 300000) FROM pg_stat_activity WHERE application_name LIKE 'walletauth %'",
            database: "template1")
    }
}
