import Foundation
import TestSupport
import Testing

/// What an operator sees of a server on PostgreSQL: commands while servers run, and each kind of trouble as one clear line.
@Suite("Operating on PostgreSQL", .covers("commands act while servers run"), .onceForAllEngines)
struct OperatingTests {
    /// Runs the program in a folder of its own, which it may share with another one.
    private func run(
        _ arguments: [String], database url: String, folder: URL, environment more: [String: String] = [:]
    ) async throws -> CommandResult {
        var environment = ["WALLETAUTH_DATABASE": url, "WALLETAUTH_POSTGRESQL_FOLDER": folder.path]
        environment.merge(more) { _, new in new }
        return try await ChildProcess.run(
            Programs.walletauth, arguments, environment: environment, folder: folder)
    }

    /// Expects a start to be refused in one line.
    private func expectRefusal(
        of url: String, saying parts: String..., status: Int32 = 1, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let result = try await run(["serve", "--port", "0"], database: url, folder: folder.url)
        #expect(result.ending == .exited(status), sourceLocation: sourceLocation)
        #expect(result.errorLines.count == 1, "\(result.errors)", sourceLocation: sourceLocation)
        for part in parts {
            #expect(result.errors.contains(part), "\(result.errors)", sourceLocation: sourceLocation)
        }
        #expect(!result.errors.contains("hunter2"), sourceLocation: sourceLocation)
        // Nothing was begun that the next start would stumble over.
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            .filter { !$0.hasSuffix(".log") }
        #expect(left.isEmpty, "\(left)", sourceLocation: sourceLocation)
    }

    @Test("No server there, a wrong password, and a database that does not exist")
    func unreachable() async throws {
        let postgres = try await PostgreSQLServer.shared()
        try await expectRefusal(
            of: "postgresql://ada:hunter2@127.0.0.1:1/w", saying: "cannot be used", "port 1", "host and port")
        try await postgres.run(
            """
            DO $$ BEGIN CREATE ROLE guarded LOGIN PASSWORD 'right'; EXCEPTION WHEN duplicate_object THEN NULL; END $$
            """)
        let wrong = postgres.url(database: "postgres", user: "guarded", password: "hunter2")
        try await expectRefusal(of: wrong, saying: "cannot be used", "guarded", "passfile")
        try await expectRefusal(
            of: postgres.url(database: "unknown_database"), saying: "unknown_database", "Create the database")
    }

    @Test("Several hosts that PGHOST or a service file names are refused: the URL has to name them")
    func hostsOfTheEnvironment() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let hosts = "\(postgres.folder),/nonexistent"
        let services = folder.url.appending(path: "services")
        try Data("[wallet]\nhost=\(hosts)\nuser=postgres\ndbname=postgres\n".utf8).write(to: services)
        for (url, environment) in [
            ("postgresql://postgres@/postgres", ["PGHOST": hosts]),
            ("postgresql:///?service=wallet", ["PGSERVICEFILE": services.path]),
        ] {
            let result = try await run(
                ["serve", "--port", "0"], database: url, folder: folder.url, environment: environment)
            #expect(result.ending == .exited(78))
            #expect(result.errorLines.count == 1, "\(result.errors)")
            #expect(result.errors.contains("a service names several hosts: name them in the URL"), "\(result.errors)")
        }
    }

    @Test("A role without rights, another program's tables, another encoding, and a newer schema")
    func unsuitable() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let empty = try await postgres.createDatabase().name
        try await postgres.run("CREATE ROLE \(empty) LOGIN")
        try await postgres.run("REVOKE CREATE ON SCHEMA public FROM PUBLIC", database: empty)
        try await expectRefusal(of: postgres.url(database: empty, user: empty), saying: "grant CREATE")

        try await postgres.run("CREATE TABLE orders (id BIGINT PRIMARY KEY)", database: empty)
        try await expectRefusal(of: postgres.url(database: empty), saying: "another program's tables", status: 78)

        let latin = try await postgres.createDatabase("ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0").name
        try await expectRefusal(of: postgres.url(database: latin), saying: "LATIN1", "ENCODING 'UTF8'", status: 78)

        let newer = try await postgres.createDatabase().name
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let migrated = try await run(
            ["database", "migrate"], database: postgres.url(database: newer), folder: folder.url)
        #expect(migrated.succeeded, "\(migrated.errors)")
        #expect(migrated.output.contains("Created the schema: version"), "\(migrated.output)")
        try await postgres.run("INSERT INTO schema_migrations VALUES (9999, 'future', 0)", database: newer)
        try await expectRefusal(
            of: postgres.url(database: newer), saying: "has schema 9999, but this program knows only up to", status: 78)
    }

    @Test("In production serve creates no schema in an empty database: it may be the wrong one, or await a copy")
    func emptyInProduction() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let url = try await postgres.createDatabase().url
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let key = try folder.writeMasterKey()
        let production = ["WALLETAUTH_ENVIRONMENT": "production", "WALLETAUTH_MASTER_KEY_FILE": key]
        let serve = [
            "serve", "--port", "0", "--issuer", "https://id.example.com", "--trusted-proxies", "127.0.0.1",
        ]
        for _ in 1...2 {
            let refused = try await run(serve, database: url, folder: folder.url, environment: production)
            #expect(refused.ending == .exited(78))
            #expect(refused.errorLines.count == 1, "\(refused.errors)")
            #expect(refused.errors.contains("is empty"), "\(refused.errors)")
            #expect(refused.errors.contains("`walletauth database migrate`"), "\(refused.errors)")
            #expect(refused.errors.contains("`walletauth database copy`"), "\(refused.errors)")
        }
        let migrated = try await run(
            ["database", "migrate"], database: url, folder: folder.url, environment: production)
        #expect(migrated.succeeded, "\(migrated.errors)")
        // What is wrong now is the port: the database is no longer in the way.
        let taken = serve.map { $0 == "0" ? "1" : $0 } + ["--host", "192.0.2.1"]
        let later = try await run(taken, database: url, folder: folder.url, environment: production)
        #expect(later.errors.contains("cannot listen on 192.0.2.1"), "\(later.errors)")
    }

    @Test("A second role may only change rows: it serves, and the owner migrates")
    func secondRole() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let name = try await postgres.createDatabase().name
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await postgres.run("CREATE ROLE \(name) LOGIN")
        let migrated = try await run(
            ["database", "migrate"], database: postgres.url(database: name), folder: folder.url)
        #expect(migrated.succeeded, "\(migrated.errors)")
        try await postgres.run(
            "REVOKE CREATE ON SCHEMA public FROM PUBLIC", "GRANT USAGE ON SCHEMA public TO \(name)",
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(name)", database: name)
        let url = postgres.url(database: name, user: name)
        let created = try await run(
            ["brand", "create", "blue", "--name", "Blue"], database: url, folder: folder.url)
        #expect(created.succeeded, "\(created.errors)")
        // The next version of the program.
        try await postgres.run("DELETE FROM schema_migrations", database: name)
        let refused = try await run(["serve", "--port", "0"], database: url, folder: folder.url)
        #expect(refused.ending == .exited(1))
        #expect(refused.errors.contains("run `walletauth database migrate` as the owner"), "\(refused.errors)")
    }

    @Test("Commands act on the database while servers run, say so, and servers notice; there is no socket")
    func commands() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let url = try await postgres.createDatabase().url
        let early = try TemporaryFolder()
        defer { early.remove() }
        let empty = try await run(["client", "list"], database: url, folder: early.url)
        #expect(empty.ending == .exited(1))
        #expect(empty.errors.contains("is empty: run `walletauth database migrate`"), "\(empty.errors)")

        try await withServer(database: url) { server in
            let created = try await server.administer(["brand", "create", "blue", "--name", "Blue"])
            #expect(created.succeeded, "\(created.errors)")
            #expect(created.errorLines.count == 1, "\(created.errors)")
            #expect(created.errors.contains("walletauth: changed in postgresql://postgres@/"), "\(created.errors)")
            #expect(created.errors.contains("running servers apply it within a second"))
            let scripted = try await server.administer(["brand", "create", "red", "--name", "Red", "--json"])
            #expect(scripted.succeeded && scripted.errors.isEmpty, "\(scripted.errors)")
            let listed = try await server.administer(["brand", "list"])
            #expect(listed.output.contains("blue") && listed.errors.isEmpty, "\(listed.errors)")
            #expect(!FileManager.default.fileExists(atPath: server.folder.appending(path: "walletauth.sock").path))

            let alone = try await server.administer(["database", "change-issuer", "https://id.example.com", "--yes"])
            #expect(alone.ending == .exited(1))
            #expect(alone.errors.contains("another process already uses this database: walletauth "), "\(alone.errors)")
            #expect(alone.errors.contains("nothing was changed"))
            let restored = try await server.administer(["database", "restored"])
            #expect(restored.ending == .exited(1))
            #expect(restored.errors.contains("stop every server and command"), "\(restored.errors)")

            // On another machine, without the sandbox's key.
            let elsewhere = try TemporaryFolder()
            defer { elsewhere.remove() }
            let keyless = try await run(["client", "list"], database: url, folder: elsewhere.url)
            #expect(keyless.ending == .exited(78))
            #expect(keyless.errors.contains("Copy that file from the machine that created it"), "\(keyless.errors)")
            let key = server.folder.appending(path: "walletauth.master-key").path
            let keyed = try await run(
                ["client", "list"], database: url, folder: elsewhere.url,
                environment: ["WALLETAUTH_MASTER_KEY_FILE": key])
            #expect(keyed.succeeded, "\(keyed.errors)")
        }
    }

    @Test("Two issuers on one database: the second is refused. Two servers of one issuer serve, and doctor names both")
    func twoServers() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let url = try await postgres.createDatabase().url
        try await withServer(database: url) { server in
            let other = try await run(["serve", "--port", "0"], database: url, folder: server.folder)
            #expect(other.ending == .exited(78))
            #expect(other.errors.contains("the database belongs to the issuer"), "\(other.errors)")

            let issuer = await server.issuer.absoluteString
            let second = RunningServer(folder: server.folder, arguments: ["--issuer", issuer], database: url)
            try await second.start()
            let doctor = try await server.administer(["doctor", "--port", "0"])
            #expect(doctor.succeeded, "\(doctor.output)")
            #expect(doctor.output.contains("2 processes use the database"), "\(doctor.output)")
            #expect(doctor.output.contains("/health/ready reports that it is ready"), "\(doctor.output)")
            #expect(doctor.output.contains("it has everything that this machine has seen"), "\(doctor.output)")
            #expect(try await second.stop() == .exited(0))
        }
    }

    @Test("Another database's server that has the port is a failure of doctor, although a server of this database runs")
    func anotherServerOnThePort() async throws {
        let url = try await PostgreSQLServer.shared().createDatabase().url
        try await withServer(database: url) { server in
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            let other = RunningServer(folder: folder.url, database: nil)
            try await other.start()
            let doctor = try await server.administer([
                "doctor", "--issuer", await server.issuer.absoluteString, "--port", String(await other.port),
            ])
            let issuer = await other.issuer.absoluteString
            #expect(doctor.ending == .exited(1), "\(doctor.output)")
            #expect(doctor.output.contains("is in use by a server that says it is \(issuer)"), "\(doctor.output)")
            let own = try await server.administer([
                "doctor", "--issuer", await server.issuer.absoluteString, "--port", String(await server.port),
            ])
            #expect(own.output.contains("is in use by the server that runs here"), "\(own.output)")
            #expect(try await other.stop() == .exited(0))
        }
    }

    /// Has an operator's psql lock a table in the meantime.
    private func whileSessionsAreLocked(
        in name: String, at postgres: PostgreSQLServer, _ body: () async throws -> Void
    ) async throws {
        let holding = Task {
            try? await postgres.run(
                "LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(3600)", database: name)
        }
        try await eventually("the lock") {
            let query = """
                DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
                    WHERE c.relname = 'sessions' AND l.mode = 'AccessExclusiveLock' AND l.granted)
                THEN RAISE 'not yet'; END IF; END $$
                """
            return (try? await postgres.run(query, database: name)) != nil
        }
        try await body()
        try await postgres.run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = '\(name)' AND query LIKE 'LOCK%'
            """)
        _ = await holding.value
    }

    @Test("doctor names a session that holds a lock, also to a role that may see no more of that session")
    func lockAndDoctor() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let name = try await postgres.createDatabase().name
        try await postgres.run("CREATE ROLE \(name) LOGIN", "ALTER DATABASE \(name) OWNER TO \(name)")
        let url = postgres.url(database: name, user: name)
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let migrated = try await run(["database", "migrate"], database: url, folder: folder.url)
        #expect(migrated.succeeded, "\(migrated.errors)")
        let before = try await run(["doctor", "--port", "0"], database: url, folder: folder.url)
        #expect(!before.output.contains(" has locks on "), "\(before.output)")
        try await whileSessionsAreLocked(in: name, at: postgres) {
            let doctor = try await run(["doctor", "--port", "0"], database: url, folder: folder.url)
            #expect(doctor.output.contains(" (psql, role postgres) has locks on sessions"), "\(doctor.output)")
            #expect(doctor.output.contains("SELECT pg_terminate_backend("), "\(doctor.output)")
        }
    }

    @Test("An operator's psql holds a lock: the request gets 503 after seconds, and works once the lock is gone")
    func heldLock() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let name = try await postgres.createDatabase().name
        try await withServer(database: postgres.url(database: name)) { server in
            let client = StandardClient(try await server.makeRelyingApp(), at: server)
            let person = try await server.makeAccount()
            let token = try await client.signIn(person).refresh
            let attempt = randomText(16)
            try await whileSessionsAreLocked(in: name, at: postgres) {
                let refused = try await client.refresh(token, attempt: attempt)
                #expect(refused.status == 503, "\(refused.text)")
                #expect(refused.header("retry-after") != nil)
                for part in ["`walletauth doctor` lists who holds it", "pg_blocking_pids"] {
                    #expect(server.logText().contains(part), "the log names the cause, and how to find it")
                }
                let command = try await server.administer(["account", "deactivate", person.username])
                #expect(command.ending == .exited(1))
                #expect(command.errors.contains("holds a lock"), "\(command.errors)")
                #expect(command.errors.contains("Nothing was changed."), "\(command.errors)")
                let doctor = try await server.administer(["doctor", "--port", "0"])
                for part in ["(psql, role postgres, active, in a transaction for ", " has locks on sessions"] {
                    #expect(doctor.output.contains(part), "\(doctor.output)")
                }
            }
            _ = try client.tokens(try await client.refresh(token, attempt: attempt))
        }
    }

    @Test("The schema is being changed by another process: a start says that it waits, and serves afterwards")
    func migration() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let name = try await postgres.createDatabase().name
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        // The lock under which the engine changes a schema.
        let holding = Task {
            try? await postgres.run("SELECT pg_advisory_xact_lock(131260314576244), pg_sleep(3600)", database: name)
        }
        try await eventually("the lock") {
            let query = """
                DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                    WHERE l.locktype = 'advisory' AND l.granted AND d.datname = '\(name)')
                THEN RAISE 'not yet'; END IF; END $$
                """
            return (try? await postgres.run(query)) != nil
        }
        let server = RunningServer(folder: folder.url, database: postgres.url(database: name))
        let starting = Task { try await server.start() }
        try await eventually("the notice") { server.logText().contains("is being migrated") }
        try await postgres.run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = '\(name)' AND query LIKE 'SELECT pg_advisory_xact_lock(%pg_sleep%'
            """)
        _ = await holding.value
        try await starting.value
        #expect(try await server.stop() == .exited(0))
    }
}
