import Foundation
import Store
import TestSupport
import Testing

@testable import StorePostgreSQL

@Suite struct Openings {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private var schema: String { PostgreSQLServer.schema(of: scratch) }

    /// Opens a database that is refused.
    private func refusal(of string: String) async -> StoreError? {
        let error = await #expect(throws: StoreError.self) {
            _ = try await PostgreSQLDatabase.open(
                string, options: .patient(connections: 1))
        }
        #expect(error?.reason.contains(where: \.isNewline) == false)
        #expect(error?.description.contains("hunter2") == false)
        return error
    }

    @Test("A server that cannot be reached")
    func unreachable() async throws {
        #expect(await refusal(of: "host=\(scratch.folder) user=a password=hunter2 dbname=b")?.code == .unavailable)
        #expect(await refusal(of: "postgresql://a:hunter2@127.0.0.1:1/b")?.code == .unavailable)
        // Two servers: both are named.
        let two = await refusal(of: "postgresql://a:hunter2@127.0.0.1:1,127.0.0.1:2/b")
        #expect(two?.reason.hasPrefix("127.0.0.1:1: ") == true && two?.reason.contains("; 127.0.0.1:2: ") == true)
        // One format for a host and its port.
        let names = try ConnectionString("postgresql://[::1]:1,one,two:5433/b", connectTimeout: .seconds(1)).targets
        #expect(names.map(\.name) == ["[::1]:1", "one", "two:5433"])
    }

    @Test("A backend behind a pooler belongs to one connection; a backend of another server may have its number")
    func backends() throws {
        let sessions = KnownSessions()
        let one = KnownSessions.Backend(server: "one", number: 7)
        let two = KnownSessions.Backend(server: "two", number: 7)
        try sessions.claim(one)
        try sessions.claim(two)
        #expect(throws: KnownSessions.sharedSessions) { try sessions.claim(one) }
        sessions.release(one)
        try sessions.claim(one)
    }

    @Test("Hosts with one name and several addresses have names of their own")
    func addresses() throws {
        func names(_ parameters: String) throws -> [String] {
            try ConnectionString(parameters, connectTimeout: .seconds(1)).targets.map(\.name)
        }
        #expect(
            try names("host=db.example.com,db.example.com hostaddr=10.0.0.1,10.0.0.2")
                == ["db.example.com@10.0.0.1", "db.example.com@10.0.0.2"])
        #expect(
            try names("host=db.example.com,db.example.com hostaddr=10.0.0.1,2001:db8::1 port=5433")
                == ["db.example.com@10.0.0.1:5433", "db.example.com@[2001:db8::1]:5433"])
        #expect(try names("host=one,two hostaddr=10.0.0.1,") == ["one@10.0.0.1", "two"])
        #expect(try names("hostaddr=10.0.0.1,10.0.0.2") == ["10.0.0.1", "10.0.0.2"])
        #expect(try names("dbname=w") == ["the local server"])
    }

    @Test("A connection string that is malformed, and that would put a part of the password into an error")
    func malformed() async throws {
        for string in [
            "host=a password=x hunter2", "postgresql://a:hunter2@[b/c", "nonsense=hunter2",
            "postgresql://a:12/hunter2@db/w",
        ] {
            #expect(await refusal(of: string)?.code == .unsuitable)
        }
        let unescaped = await refusal(of: "postgresql://a:pass@hunter2@127.0.0.1/b")
        #expect(unescaped?.code == .unsuitable)
        #expect(unescaped?.reason.contains("%40") == true)
    }

    @Test(
        "A connect_timeout of more than an hour, or that is no number, is refused",
        arguments: [
            ("db.example.com", "9999999999"), ("127.0.0.1:1", "9300000000000000"), ("127.0.0.1:1", "3601"),
            ("127.0.0.1:1", "99999999999999999999"), ("127.0.0.1:1", "never"),
        ])
    func connectTimeout(host: String, timeout: String) async {
        let error = await refusal(of: "postgresql://a@\(host)/b?connect_timeout=\(timeout)")
        #expect(error == StoreError(.unsuitable, "connect_timeout must be a number of seconds, at most 3600"))
    }

    @Test("A connect_timeout holds for each host, and 0 is none")
    func connectTimeouts() throws {
        for (text, expected) in [("3600", 3600), ("1", 1), ("0", 7), ("-1", 7), ("", 7)] {
            let string = try ConnectionString("host=a,b connect_timeout='\(text)'", connectTimeout: .seconds(7))
            #expect(string.targets.map(\.timeout) == [.seconds(expected), .seconds(expected)], "\(text)")
        }
    }

    @Test("A wrong password, none at all, a role that may not log in, an unknown one, and an unknown database")
    func loginRefused() async throws {
        let server = try await PostgreSQLServer.shared()
        try await server.run(
            """
            DO $$ BEGIN CREATE ROLE guarded LOGIN PASSWORD 'right'; EXCEPTION WHEN duplicate_object THEN NULL; END $$
            """)
        let wrong = await refusal(of: server.string(user: "guarded", "password=hunter2"))
        #expect(wrong?.code == .loginRefused)
        #expect(wrong?.reason.contains("guarded") == true)
        for string in [
            server.string(user: "guarded"), server.string(user: "closed"), server.string(user: "unknown_role"),
        ] {
            #expect(await refusal(of: string)?.code == .loginRefused)
        }
        #expect(await refusal(of: server.string(database: "unknown_database"))?.code == .noDatabase)
    }

    @Test("A server without TLS, where the connection string requires it")
    func noTLS() async throws {
        let server = try await PostgreSQLServer.shared()
        let proxy = try CuttingProxy(server.folder + "/.s.PGSQL.5432")
        let error = await refusal(of: server.string(host: "127.0.0.1", "port=\(proxy.port) sslmode=require"))
        #expect(error?.code == .untrustedServer)
        #expect(error?.reason.contains("SSL") == true)
    }

    @Test("A server that accepts the connection and says nothing")
    func silent() async throws {
        let server = try await PostgreSQLServer.shared()
        let proxy = try CuttingProxy(server.folder + "/.s.PGSQL.5432")
        proxy.bring(.stall, at: "postgres")
        let string = server.string(host: "127.0.0.1", "port=\(proxy.port) sslmode=disable connect_timeout=1")
        #expect(await refusal(of: string)?.code == .unavailable)
    }

    @Test("attack: a server that accepts the login and then sends without end is given up soon after the time limit")
    func endless() async throws {
        let server = try await PostgreSQLServer.shared()
        let proxy = try CuttingProxy(server.folder + "/.s.PGSQL.5432")
        proxy.bring(.acceptAndFlood, at: "postgres")
        let string = server.string(host: "127.0.0.1", "port=\(proxy.port) sslmode=disable connect_timeout=1")
        let error = await refusal(of: string)
        #expect(error?.code == .unavailable)
        #expect(error?.reason == "127.0.0.1:\(proxy.port) did not respond within 1.0 seconds")
    }

    @Test("A role that may not create tables, or lacks rights on those that are there")
    func rights() async throws {
        let server = try await PostgreSQLServer.shared()
        let database = try await server.open(scratch)
        try await server.run("CREATE ROLE \(schema) LOGIN; GRANT USAGE ON SCHEMA \(schema) TO \(schema)")
        let string = server.string(schema: schema, user: schema)
        #expect(await refusal(of: string)?.reason.contains("grant CREATE") == true)
        try await Schema.migrate(database, now: .start)
        let error = await refusal(of: string)
        #expect(error?.code == .accessDenied)
        #expect(error?.reason.contains("lacks rights") == true)
        try await server.run("GRANT ALL ON ALL TABLES IN SCHEMA \(schema) TO \(schema)")
        let opened = try await PostgreSQLDatabase.open(string, options: .patient(connections: 1))
        try await opened.write { try Meta.set("name", to: "value", on: $0) }
        #expect(
            await refusal(of: server.string(schema: "missing", user: schema))?.code == .accessDenied)
    }

    @Test("A database of another program, with other tables or with migrations of its own")
    func foreign() async throws {
        let server = try await PostgreSQLServer.shared()
        let database = try await server.open(scratch)
        try await database.write { try $0.define("CREATE TABLE orders (id BIGINT NOT NULL PRIMARY KEY)") }
        #expect(await refusal(of: server.string(schema: schema))?.code == .foreignSchema)
        try await database.write { connection in
            try connection.define("DROP TABLE orders")
            try connection.define("CREATE TABLE schema_migrations (version TEXT NOT NULL PRIMARY KEY)")
        }
        #expect(await refusal(of: server.string(schema: schema))?.code == .foreignSchema)
    }

    @Test("An encoding other than UTF-8")
    func encoding() async throws {
        let server = try await PostgreSQLServer.shared()
        for encoding in ["SQL_ASCII", "LATIN1"] {
            let name = schema + encoding.lowercased()
            try await server.run("CREATE DATABASE \(name) ENCODING '\(encoding)' TEMPLATE template0")
            let error = await refusal(of: server.string(database: name))
            #expect(error?.code == .unsuitable)
            #expect(error?.reason.contains(encoding) == true)
        }
    }

    @Test("The connection is protected on this machine, and not where any server would be accepted")
    func protection() async throws {
        let server = try await PostgreSQLServer.shared()
        _ = try await server.open(scratch)
        let proxy = try CuttingProxy(server.folder + "/.s.PGSQL.5432")
        let port = "port=\(proxy.port) sslmode=prefer"
        for (host, more, expected) in [
            (server.folder, "", true), ("127.0.0.1", port, true), ("localhost", port, true),
            // The second is not used now, and would be after a failover.
            ("127.0.0.1,db.example.com", port, false), ("127.0.0.1,127.0.0.1.example.com", port, false),
        ] {
            let database = try await PostgreSQLDatabase.open(
                server.string(schema: schema, host: host, more), options: .patient(connections: 1))
            #expect(database.isProtected == expected, "\(host)")
            #expect(!database.verifiesServer)
            await database.close()
        }
    }

    @Test("The server gets times for a vanished client with each session, except those that the operator sets")
    func serverKeepalives() async throws {
        let server = try await PostgreSQLServer.shared()
        _ = try await server.open(scratch)
        let proxy = try CuttingProxy(server.folder + "/.s.PGSQL.5432")
        let own = "options='-c search_path=\(schema) -c tcp_keepalives_idle=77'"
        let string = server.string(host: "127.0.0.1", "port=\(proxy.port) sslmode=disable \(own)")
        let database = try await PostgreSQLDatabase.open(string, options: .patient(connections: 1))
        // The server's end is a Unix socket, which has no such times: what was set is in the settings' sources.
        let sources = try await database.read {
            try $0.query(
                "SELECT name, source FROM pg_settings WHERE name LIKE 'tcp_%' AND name <> 'tcp_keepalives' ORDER BY name",
                []
            ).map { "\(try $0.text("name")) \(try $0.text("source"))" }
        }
        #expect(
            sources == [
                "tcp_keepalives_count session", "tcp_keepalives_idle client", "tcp_keepalives_interval session",
                "tcp_user_timeout session",
            ])
    }

    @Test("A search path that changes while the database is open does not lead connections elsewhere")
    func searchPath() async throws {
        let server = try await PostgreSQLServer.shared()
        _ = try await server.open(scratch)
        try await server.run(
            "CREATE ROLE \(schema) SUPERUSER LOGIN", "ALTER ROLE \(schema) SET search_path = \(schema)")
        let database = try await PostgreSQLDatabase.open(
            server.string(user: schema), options: .patient(connections: 1))
        try await Schema.migrate(database, now: .start)
        try await server.run(
            "ALTER ROLE \(schema) SET search_path = pg_temp, public",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '\(schema)'")
        let error = await #expect(throws: StoreError.self) {
            try await database.read { try $0.query("SELECT 1", []).count }
        }
        #expect(error?.code == .unavailable)
        #expect(error?.reason.contains("search_path") == true)
        try await server.run("ALTER ROLE \(schema) SET search_path = nowhere")
        #expect(await refusal(of: server.string(user: schema))?.reason.contains("can use no schema") == true)
        try await server.run("ALTER ROLE \(schema) SET search_path = \(schema)")
        try await eventually("the database to be back") {
            (try? await database.read { try $0.query("SELECT 1", []).count }) == 1
        }
    }

    @Test("Settings that are needed hold whatever the connection string or the role says")
    func settings() async throws {
        let server = try await PostgreSQLServer.shared()
        _ = try await server.open(scratch)
        try await server.run("CREATE ROLE \(schema) SUPERUSER LOGIN")
        try await server.run("ALTER ROLE \(schema) SET synchronous_commit = off")
        try await server.run("ALTER ROLE \(schema) SET client_encoding = 'LATIN1'")
        try await server.run("ALTER ROLE \(schema) SET default_transaction_isolation = 'serializable'")
        let database = try await PostgreSQLDatabase.open(
            server.string(schema: schema, user: schema, "client_encoding=LATIN1 application_name=mine"),
            options: PostgreSQLOptions(connections: 1))
        let row = try await database.read {
            try $0.row(
                """
                SELECT current_setting('synchronous_commit'), current_setting('client_encoding'),
                    current_setting('statement_timeout'), current_setting('lock_timeout'),
                    current_setting('application_name'), current_setting('default_transaction_isolation')
                """, [])
        }
        #expect(row?.values == ["on", "UTF8", "10s", "5s", "mine", "read committed"])
    }
}
