import Foundation
import TestSupport
import Testing

/// What is between a server and its database, or happens to the database while it is served.
@Suite(
    "Between server and database",
    .covers("a table that another session has locked", "each call repeated after a lost commit"), .onceForAllEngines)
struct ClusterDatabaseTests {
    @Test(
        """
        A connection to the database that is cut, reset or stalled between two messages of a commit: the response is \
        503, and a repetition resolves it
        """)
    func lostCommits() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let database = try await postgres.createDatabase()
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let proxy = try ChildProcess(
            Programs.python,
            [Programs.peers.appending(path: "postgresql_proxy.py").path, postgres.folder + "/.s.PGSQL.5432"],
            folder: folder.url, log: folder.url.appending(path: "proxy.log"))
        defer { proxy.send(SIGKILL) }
        let ports: [Int] = try await within(.patience, "the proxy's ports") {
            for await line in proxy.lines { return line.split(separator: " ").compactMap { Int($0) } }
            return []
        }
        try #require(ports.count == 2)
        let url = "postgresql://postgres@127.0.0.1:\(ports[0])/\(database.name)?sslmode=disable&connect_timeout=60"
        let cooling = ["WALLETAUTH_DEVICES_COOLING_PERIOD": "1s"]
        try await withServer(database: url, settings: cooling) { server in
            let settings = try await ClusterLoad.settings(at: server, people: ["ada"])
            let result = try await ChildProcess.run(
                Programs.python,
                [Programs.peers.appending(path: "lost_commits.py").path] + settings.arguments
                    + ["--control", String(ports[1])], folder: server.folder,
                input: String(decoding: settings.input, as: UTF8.self), limit: Duration.patience * 4)
            #expect(result.succeeded, "\(result.output) \(result.errors.suffix(2_000))")
            let report = try result.json
            let refused = try #require(report["refused"] as? Int)
            #expect(refused >= 9, "a commit of each call was lost: \(report)")
        }
    }

    @Test(
        "A full disk: 503 and not ready, and once there is room, it continues with everything that was acknowledged",
        .enabled("a file system of its own takes root") { await PostgreSQLServer.mayMount() })
    func fullDisk() async throws {
        let postgres = try await PostgreSQLServer.start(smallDisk: 48)
        try await postgres.run("CREATE TABLESPACE small LOCATION '\(PostgreSQLServer.smallDisk)'")
        let database = try await postgres.createDatabase("TABLESPACE small")
        let filler = PostgreSQLServer.smallDisk + "/filler"
        try await withServer(database: database.url) { server in
            let client = StandardClient(try await server.makeRelyingApp(), at: server)
            let person = try await server.makeAccount()
            let browser = HeadlessBrowser(ledger: server.ledger)
            /// `nil` if the server could not store the session.
            @Sendable func signIn() async throws -> String? {
                let journey = await client.beginAuthorization()
                guard let code = try? await client.authorizationCode(for: person, journey, in: browser) else {
                    return nil
                }
                let answer = try await client.redeem(code, verifier: journey.verifier)
                guard answer.status != 503 else { return nil }
                return try client.tokens(answer).refresh
            }
            var sessions = [try #require(try await signIn())]
            // Fails when the disk is full.
            try? await postgres.run(
                "COPY (SELECT repeat('x', 1000) FROM generate_series(1, 1000000)) TO '\(filler)'")
            // What is on its pages already has room for a while.
            while let session = try await signIn() {
                sessions.append(session)
                try #require(sessions.count < 2_000, "the disk never got full")
            }
            let ready = await server.url("/health/ready")
            let web = WebClient(ledger: server.ledger)
            try await eventually("the server not to be ready") { try await web.get(ready).status == 503 }
            try await postgres.run("COPY (SELECT 1 WHERE false) TO '\(filler)'")
            sessions.append(try await firstResult("a session on a disk with room") { try await signIn() })
            try await eventually("the server to be ready") { try await web.get(ready).status == 200 }
            for session in sessions { _ = try client.tokens(await client.refresh(session)) }
        }
    }

    @Test("PgBouncer that pools sessions serves; one that pools transactions is refused at the start, in one line")
    func pooler() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let database = try await postgres.createDatabase()
        for mode in ["session", "transaction"] {
            let bouncer = try await PgBouncer(mode, before: postgres, database: database.name)
            let settings = ["WALLETAUTH_POSTGRESQL_POOLER": "session"]
            if mode == "session" {
                try await withServer(database: bouncer.url, settings: settings) { server in
                    let client = StandardClient(try await server.makeRelyingApp(), at: server)
                    var tokens = try await client.signIn(try await server.makeAccount())
                    for _ in 0..<4 { tokens = try client.tokens(await client.refresh(tokens.refresh)) }
                    await server.crash()
                    try await server.start()
                    _ = try client.tokens(await client.refresh(tokens.refresh))
                }
            } else {
                let folder = try TemporaryFolder()
                defer { folder.remove() }
                let server = RunningServer(folder: folder.url, database: bouncer.url, settings: settings)
                let refused = try await server.administer(["serve", "--port", "0"])
                #expect(refused.ending == .exited(78))
                #expect(refused.errorLines.count == 1, "\(refused.errors)")
                #expect(refused.errors.contains("pool"), "\(refused.errors)")
            }
            await bouncer.stop()
        }
    }

    @Test(
        """
        A write that hangs behind a lock: the server says in time that it is not ready, \
        and is ready once the lock is gone
        """)
    func hangingWrite() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let database = try await postgres.createDatabase()
        try await withServer(database: database.url) { server in
            let ready = await server.url("/health/ready")
            let web = WebClient(ledger: server.ledger)
            try await eventually("the server to be ready") { try await web.get(ready).status == 200 }
            let locking = try ChildProcess(
                URL(filePath: "/usr/bin/env"),
                ["psql", "-X", database.url, "-c", "BEGIN; LOCK TABLE meta; SELECT pg_sleep(3600)"],
                folder: server.folder, log: server.folder.appending(path: "psql.log"))
            defer { locking.send(SIGKILL) }
            let sleeping = """
                SELECT pid FROM pg_stat_activity
                WHERE datname = '\(database.name)' AND query LIKE 'BEGIN; LOCK%' AND wait_event = 'PgSleep'
                """
            try await eventually("the lock") { try await postgres.values(sleeping).count == 1 }
            try await eventually("the server to be not ready") { try await web.get(ready).status == 503 }
            #expect(server.logText().contains("the test write took longer than 4.0 seconds"))
            try await postgres.run("SELECT pg_terminate_backend(pid) FROM (\(sleeping)) AS locking")
            try await eventually("the server to be ready") { try await web.get(ready).status == 200 }
        }
    }

    @Test("A locked table of sessions: refreshes wait, and the server stays ready and serves keys")
    func lockedSessions() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let database = try await postgres.createDatabase()
        try await withServer(database: database.url) { server in
            let client = StandardClient(try await server.makeRelyingApp(), at: server)
            let person = try await server.makeAccount()
            var tokens: [String] = []
            for _ in 0..<12 { tokens.append(try await client.signIn(person).refresh) }
            // Not one of the connections that the refreshes wait on.
            let web = WebClient(ledger: server.ledger, connections: 2)
            let (ready, keys) = (await server.url("/health/ready"), await server.url("/.well-known/jwks.json"))
            try await eventually("the server to be ready") { try await web.get(ready).status == 200 }
            let locking = try ChildProcess(
                URL(filePath: "/usr/bin/env"),
                ["psql", "-X", database.url, "-c", "BEGIN; LOCK TABLE sessions; SELECT pg_sleep(3600)"],
                folder: server.folder, log: server.folder.appending(path: "psql.log"))
            defer { locking.send(SIGKILL) }
            let sleeping = """
                SELECT pid FROM pg_stat_activity
                WHERE datname = '\(database.name)' AND query LIKE 'BEGIN; LOCK%' AND wait_event = 'PgSleep'
                """
            try await eventually("the lock") { try await postgres.values(sleeping).count == 1 }
            // They get 503 while the table is locked, and are repeated.
            let refreshing = Task { [tokens] in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for token in tokens {
                        group.addTask { while try await client.refresh(token).status == 503 {} }
                    }
                    try await group.waitForAll()
                }
            }
            let waiting = """
                SELECT l.pid FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                WHERE d.datname = '\(database.name)' AND l.locktype = 'relation' AND NOT l.granted
                """
            try await eventually("refreshes that wait") { try await postgres.values(waiting).count >= 6 }
            for _ in 0..<200 {
                #expect(try await web.get(ready).status == 200)
                #expect(try await web.get(keys).status == 200)
            }
            try await postgres.run("SELECT pg_terminate_backend(pid) FROM (\(sleeping)) AS locking")
            try await refreshing.value
        }
    }

    @Test(
        """
        PgBouncer with too small a pool: a server with one connection is ready, and a metric and the log say that others are \
        missing; without any it is not ready, and says so at once, until it has one again
        """)
    func smallPool() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let database = try await postgres.createDatabase()
        // One for the membership.
        let bouncer = try await PgBouncer("session", before: postgres, database: database.name, poolSize: 2)
        let settings = ["WALLETAUTH_POSTGRESQL_POOLER": "session", "WALLETAUTH_POSTGRESQL_CONNECTIONS": "2"]
        try await withServer(database: bouncer.url, settings: settings) { server in
            let (ready, metrics) = (await server.url("/health/ready"), await server.url("/metrics"))
            let web = WebClient(ledger: server.ledger)
            try await eventually("the server to be ready") { try await web.get(ready).status == 200 }
            try await eventually("one connection of two") {
                let told = try await web.get(metrics).text
                return ["database_connections 1", "database_connections_configured 2"]
                    .allSatisfy { told.contains("\n\($0)\n") }
            }
            try await eventually("the log to name the pool") { server.logText().contains("or the pooler's pool size") }
            try await eventually("the server to be ready all the same") { try await web.get(ready).status == 200 }

            // Another program gets the connection, once the server's other attempts have had it.
            let other = try ChildProcess(
                URL(filePath: "/usr/bin/env"), ["psql", "-X", bouncer.url, "-c", "SELECT pg_sleep(3600)"],
                environment: ["PGAPPNAME": "other"], folder: server.folder,
                log: server.folder.appending(path: "psql.log"))
            defer { other.send(SIGKILL) }
            let ending = """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = '\(database.name)' AND application_name =
                """
            let sleeping = """
                SELECT 1 FROM pg_stat_activity WHERE datname = '\(database.name)' AND application_name = 'other'
                    AND query LIKE 'SELECT pg_sleep%' AND state = 'active'
                """
            try await eventually("the other program to be served") {
                if try await postgres.values(sleeping) == ["1"] { return true }
                try await postgres.run(ending + " 'walletauth'")
                return false
            }
            try await eventually("the server to have no connection, and to be not ready") {
                guard try await web.get(metrics).text.contains("\ndatabase_connections 0\n") else { return false }
                return try await web.get(ready).status == 503
            }
            let answering = try await runningTime {
                for _ in 1...3 {
                    let status = try await web.get(ready).status
                    #expect(status == 503)
                }
            }
            #expect(answering < .seconds(8), "a call waits ten seconds for a connection")

            try await postgres.run(ending + " 'other'")
            try await eventually("the server to be ready") { try await web.get(ready).status == 200 }
        }
        await bouncer.stop()
    }
}

/// PgBouncer in front of a PostgreSQL server, on a Unix socket.
private struct PgBouncer: Sendable {
    let url: String
    private let process: ChildProcess
    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - mode: `session` or `transaction`.
    ///   - poolSize: the connections to the database.
    init(_ mode: String, before postgres: PostgreSQLServer, database: String, poolSize: Int = 20) async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
        let configuration = """
            [databases]
            \(database) = host=\(postgres.folder) user=postgres dbname=\(database)
            [pgbouncer]
            listen_addr =
            listen_port = 6432
            unix_socket_dir = \(folder.url.path)
            auth_type = any
            pool_mode = \(mode)
            default_pool_size = \(poolSize)

            """
        let file = folder.url.appending(path: "pgbouncer.ini")
        try Data(configuration.utf8).write(to: file)
        let command = (getuid() == 0 ? PostgreSQLServer.unprivileged : []) + ["/usr/sbin/pgbouncer", file.path]
        process = try ChildProcess(
            URL(filePath: "/usr/bin/env"), command, folder: folder.url,
            log: folder.url.appending(path: "pgbouncer.txt"))
        self.folder = folder
        url = "postgresql://postgres@/\(database)?host=\(folder.url.path)&port=6432&connect_timeout=60"
        let socket = folder.url.appending(path: ".s.PGSQL.6432").path
        try await eventually("PgBouncer to listen") { FileManager.default.fileExists(atPath: socket) }
    }

    func stop() async {
        process.send(SIGKILL)
        _ = await process.wait()
        folder.remove()
    }
}
