import Foundation
import TestSupport
import Testing

/// A database that is older than what a server has acknowledged: restored by PostgreSQL's tools, or taken over by a standby
/// without the last commits.
@Suite("An older PostgreSQL database", .covers("restores, declared or not"), .onceForAllEngines)
struct RestoredTests {
    private static let line = "is older than what this machine has seen"

    /// A primary with a standby that follows it, and a server of ours that may use either, with one person's session.
    private struct Failover {
        let primary: PostgreSQLServer
        let standby: PostgreSQLServer
        /// The name of the database.
        let name: String
        let server: RunningServer
        let client: StandardClient
        let person: Person
        /// The session's refresh token, which the standby has as well.
        let token: String
    }

    private func withStandby(_ body: (Failover) async throws -> Void) async throws {
        let primary = try await PostgreSQLServer.start()
        let name = try await primary.createDatabase().name
        let standby = try await PostgreSQLServer.start(standbyOf: primary)
        let url = "postgresql://postgres@/\(name)?host=\(primary.folder),\(standby.folder)&connect_timeout=60"
        try await withServer(database: url) { server in
            let client = StandardClient(try await server.makeRelyingApp(), at: server)
            let person = try await server.makeAccount()
            let token = try await client.signIn(person).refresh
            try await waitForSession(on: standby, name)
            try await body(
                Failover(
                    primary: primary, standby: standby, name: name, server: server, client: client, person: person,
                    token: token))
        }
    }

    /// Tries to start the program again, and expects that to be refused.
    private func expectRefused(
        _ server: RunningServer, with status: Int32 = 65, saying parts: String...
    ) async throws {
        let port = await server.port
        let result = try await ChildProcess.run(
            Programs.walletauth, ["serve", "--port", "\(port)"], environment: server.environment, folder: server.folder)
        #expect(result.ending == .exited(status), "\(result.errors)")
        // A host that is down is logged first.
        let refusals = result.errorLines.filter { !$0.contains("it is not known whether") }
        #expect(refusals.count == 1, "\(result.errors)")
        for part in parts { #expect(result.errors.contains(part), "\(result.errors)") }
    }

    @Test(
        """
        attack: a backup is restored and not declared: the start is refused, and so is a command; `database restored` \
        ends the sessions that had been revoked since
        """)
    func restored() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let name = try await postgres.createDatabase().name
        try await withServer(database: postgres.url(database: name)) { server in
            let client = StandardClient(try await server.makeRelyingApp(), at: server)
            let person = try await server.makeAccount()
            let token = try await client.signIn(person).refresh
            #expect(try await server.stop() == .exited(0))
            try await postgres.run("CREATE DATABASE \(name)_backup TEMPLATE \(name)")
            try await server.start()
            try await server.require(["account", "deactivate", person.username])
            #expect(try await client.refresh(token).status == 400)
            #expect(try await server.stop() == .exited(0))

            try await postgres.run("DROP DATABASE \(name)", "ALTER DATABASE \(name)_backup RENAME TO \(name)")
            try await expectRefused(server, saying: Self.line, "`walletauth database restored`")
            let command = try await server.administer(["account", "show", person.username])
            #expect(command.ending == .exited(65), "\(command.errors)")
            let doctor = try await server.administer(["doctor", "--port", "0"])
            #expect(doctor.output.contains(Self.line), "\(doctor.output)")
            let copy = "sqlite:" + server.folder.appending(path: "copy.db").path
            let copied = try await server.administer(["database", "copy", "--to", copy])
            #expect(copied.ending == .exited(1))
            #expect(copied.errors.contains("`walletauth database restored`"), "\(copied.errors)")

            let restored = try await server.administer(["database", "restored"])
            #expect(restored.succeeded, "\(restored.errors)")
            #expect(restored.output.contains("Every session has ended"), "\(restored.output)")
            #expect(restored.output.contains("Operators' roles end"), "\(restored.output)")
            try await server.start()
            #expect(try await client.refresh(token).status == 400)
            let report = try await server.administer(["database", "restore-report"])
            #expect(report.succeeded, "\(report.errors)")
            let audit = try await server.administer(["audit", "tail", "--kind", "database.restored"])
            #expect(audit.output.contains("database.restored"), "\(audit.output)")
            // The person is back as in the backup, and signs in again.
            _ = try await client.signIn(person)
            #expect(try await server.stop() == .exited(0))
            try await server.start()
        }
    }

    @Test("An empty database in place of the one that was seen is refused, until the operator confirms it")
    func empty() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let name = try await postgres.createDatabase().name
        try await withServer(database: postgres.url(database: name)) { server in
            #expect(try await server.stop() == .exited(0))
            try await postgres.run("DROP DATABASE \(name)", "CREATE DATABASE \(name)")
            let file = server.folder.appending(path: "walletauth.marks")
            try await expectRefused(server, saying: "belongs to a database other than", file.path)
            try FileManager.default.removeItem(at: file)
            try await server.start()
        }
    }

    @Test(
        """
        `database restored` on a database that lacks nothing is refused, and signs no one out, unless the operator \
        confirms it, as after a recovery to a moment after the last write
        """)
    func current() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let name = try await postgres.createDatabase().name
        try await withServer(database: postgres.url(database: name)) { server in
            let client = StandardClient(try await server.makeRelyingApp(), at: server)
            let person = try await server.makeAccount()
            let token = try await client.signIn(person).refresh
            #expect(try await server.stop() == .exited(0))
            let refused = try await server.administer(["database", "restored"])
            #expect(refused.ending == .exited(1))
            #expect(refused.errorLines.count == 1, "\(refused.errors)")
            #expect(refused.errors.contains("has everything that this machine has seen"), "\(refused.errors)")
            #expect(refused.errors.contains("--even-if-current"), "\(refused.errors)")
            try await server.start()
            let renewed = try client.tokens(try await client.refresh(token)).refresh
            #expect(try await server.stop() == .exited(0))

            // A machine that knows nothing asks as well.
            let file = server.folder.appending(path: "walletauth.marks")
            let seen = try Data(contentsOf: file)
            try FileManager.default.removeItem(at: file)
            let unknown = try await server.administer(["database", "restored"])
            #expect(unknown.ending == .exited(1))
            #expect(unknown.errors.contains("does not exist"), "\(unknown.errors)")
            try seen.write(to: file)

            try await server.require(["database", "restored", "--even-if-current"])
            let again = try await server.administer(["database", "restored"])
            #expect(again.ending == .exited(1), "\(again.errors)")
            try await server.start()
            #expect(try await client.refresh(renewed).status == 400)
            _ = try await client.signIn(person)
        }
    }

    @Test("A declared restore that was interrupted keeps every server away until it is declared again")
    func interrupted() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let name = try await postgres.createDatabase().name
        try await withServer(database: postgres.url(database: name)) { server in
            #expect(try await server.stop() == .exited(0))
            try await postgres.run("INSERT INTO meta VALUES ('restore.pending', '1')", database: name)
            try await expectRefused(server, saying: "is marked as restored")
            try await server.require(["database", "restored"])
            try await server.start()
        }
    }

    @Test(
        """
        A declared restore that fails changes nothing in what this machine has seen: once the operator has brought the lost commits \
        back and removed the mark, the server starts
        """)
    func failedDeclaration() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let name = try await postgres.createDatabase().name
        try await withServer(database: postgres.url(database: name)) { server in
            #expect(try await server.stop() == .exited(0))
            try await postgres.run(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now'; END $$",
                """
                CREATE TRIGGER refusing BEFORE INSERT OR UPDATE ON meta FOR EACH ROW WHEN (NEW.name = 'restored_at')
                    EXECUTE FUNCTION refuse()
                """, database: name)
            let failed = try await server.administer(["database", "restored", "--even-if-current"])
            #expect(!failed.succeeded)
            try await expectRefused(server, saying: "is marked as restored")
            try await postgres.run(
                "DROP TRIGGER refusing ON meta", "DELETE FROM meta WHERE name = 'restore.pending'", database: name)
            try await server.start()
        }
    }

    @Test(
        """
        attack: a standby that lacks commits takes over: the running server ends, and no start honors what they revoked
        """)
    func failover() async throws {
        try await withStandby { failover in
            let (primary, standby, server) = (failover.primary, failover.standby, failover.server)
            // The standby has everything up to here, and nothing from now on.
            try await standby.run("ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()")
            try await eventually("the standby to be cut off") {
                (try? await standby.run(
                    "DO $$ BEGIN IF EXISTS (SELECT 1 FROM pg_stat_wal_receiver) THEN RAISE 'not yet'; END IF; END $$"))
                    != nil
            }
            try await refreshWithMark(failover, on: primary)
            try await primary.stop()
            try await standby.run("SELECT pg_promote()")

            #expect(try await server.ended() == .exited(65))
            #expect(server.logText().contains(Self.line), "\(server.logText().suffix(2000))")
            try await expectRefused(server, saying: "is marked as restored")
            try await expectUndeclared(server, of: standby, without: primary)
            try await server.require(["database", "restored", "--even-if-away", primary.folder])
            try await server.start()
            #expect(try await failover.client.refresh(failover.token).status == 400)
            _ = try await failover.client.signIn(failover.person)
        }
    }

    @Test(
        """
        attack: `database restored` reaches an old primary while the new one is away: it is refused, names that host, and \
        changes nothing
        """, .threat("Restored databases"))
    func oldPrimaryDeclared() async throws {
        try await withStandby { failover in
            let (primary, standby, server) = (failover.primary, failover.standby, failover.server)
            #expect(try await server.stop() == .exited(0))
            try await primary.stop()
            try await standby.promote()
            try await server.start()
            let renewed = try await refreshWithMark(failover, on: standby)
            #expect(try await server.stop() == .exited(0))

            try await standby.stop()
            try await primary.startAgain()
            try await expectUndeclared(server, of: primary, without: standby)
            let marked = "SELECT count(*) FROM meta WHERE name = 'restore.pending'"
            #expect(try await primary.values(marked, database: failover.name) == ["0"])
            try await primary.stop()
            try await standby.startAgain()
            try await server.start()
            #expect(try await failover.client.refresh(renewed).status == 200)
        }
    }

    /// Expects that no restore of one host can be declared without a word about the other one, which is away.
    private func expectUndeclared(
        _ server: RunningServer, of answering: PostgreSQLServer, without away: PostgreSQLServer
    ) async throws {
        let refused = try await server.administer(["database", "restored"])
        #expect(refused.ending == .exited(1))
        #expect(refused.errorLines.count == 1, "\(refused.errors)")
        for part in [
            "it is not known whether \(away.folder) accepts writes: ",
            "declaring \(answering.folder) restored would split the data",
            "add --even-if-away \(away.folder); nothing was changed",
        ] {
            #expect(refused.errors.contains(part), "\(refused.errors)")
        }
    }

    @Test(
        """
        A standby is promoted by mistake while the primary goes on: a server that connects again goes there and ends, since it lacks \
        the last commits; once that standby is stopped, the server starts and lacks nothing
        """)
    func promotedByMistake() async throws {
        try await withStandby { failover in
            let (primary, standby, server) = (failover.primary, failover.standby, failover.server)
            try await standby.promote()
            let renewed = try await refreshWithMark(failover, on: primary)
            let command = try await server.administer(["account", "show", failover.person.username])
            #expect(command.ending == .exited(75), "\(command.errors)")
            #expect(command.errors.contains("so stop \(primary.folder). If a standby"), "\(command.errors)")
            try await expectRefused(server, with: 75, saying: "two servers accept writes")

            try await primary.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'walletauth %'")
            #expect(try await server.ended() == .exited(65))
            #expect(
                server.logText().contains("The server that responded is \(standby.folder)"),
                "\(server.logText().suffix(2000))")
            try await standby.stop()
            try await server.start()
            #expect(try await failover.client.refresh(renewed).status == 200)
        }
    }

    /// Renews the session, and waits until the database has a mark that covers this.
    /// - Returns: the new refresh token.
    @discardableResult
    private func refreshWithMark(_ failover: Failover, on postgres: PostgreSQLServer) async throws -> String {
        let began = Int64(Date().timeIntervalSince1970 * 1000)
        let client = failover.client
        let renewed = try client.tokens(try await client.refresh(failover.token)).refresh
        try await waitForMark(after: began, on: postgres, failover.name)
        return renewed
    }

    private func waitForSession(on postgres: PostgreSQLServer, _ database: String) async throws {
        try await eventually("the standby to follow") {
            (try? await postgres.run(
                "DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM sessions) THEN RAISE 'not yet'; END IF; END $$",
                database: database)) != nil
        }
    }

    /// Waits for the server's own mark, not that of commands.
    private func waitForMark(after time: Int64, on postgres: PostgreSQLServer, _ database: String) async throws {
        try await eventually("the server's mark") {
            (try? await postgres.run(
                """
                DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM meta WHERE name LIKE 'mark.%'
                    AND name <> 'mark.commands' AND value::bigint > \(time)) THEN RAISE 'not yet'; END IF; END $$
                """, database: database)) != nil
        }
    }
}
