import Foundation
import TestSupport
import Testing

/// `database copy` with the built program: from a file to a PostgreSQL server, and back.
@Suite("A copied database", .covers("a database is copied to the other engine"), .onceForAllEngines)
struct CopiedDatabaseTests {
    private static let pin = "804613972558"

    private static func command(_ server: RunningServer, to database: String) -> [String] {
        ["database", "copy", "--to", database, "--postgresql-folder", server.folder.path]
    }

    /// The same server on another database, at the same address.
    private static func moved(_ server: RunningServer, to database: String) async -> RunningServer {
        RunningServer(folder: server.folder, database: database, port: await server.port, ledger: server.ledger)
    }

    /// Starts a server, and stops it after the body.
    private static func serving(_ server: RunningServer, _ body: () async throws -> Void) async throws {
        try await server.start()
        do {
            try await body()
        } catch {
            await server.crash()
            throw error
        }
        #expect(try await server.stop() == .exited(0))
    }

    @Test(
        """
        Moved to PostgreSQL and back: people stay signed in, a PIN works, the audit log verifies; a database in use and a \
        finished copy are refused
        """)
    func thereAndBack() async throws {
        let database = try await PostgreSQLServer.shared().createDatabase().url
        try await withServer { server in
            let app = try await server.makeRelyingApp()
            var refresh = try await StandardClient(app, at: server).signIn(try await server.makeAccount()).refresh
            let client = try await server.makePublicClient(redirectURI: "http://127.0.0.1/callback")
            let wallet = await TerminalWallet(server, client)
            server.ledger.enter(Self.pin)
            #expect(try await wallet.signInByCode(try await server.makeReachableAccount("grace")) == .exited(0))
            try await wallet.succeeds("device", "enroll", "Terminal")
            try await wallet.succeeds("pin", "set", "--pin-stdin", input: Self.pin + "\n")

            let early = try await server.administer(Self.command(server, to: database))
            #expect(early.ending == .exited(1))
            #expect(early.errors.contains("is in use"), "\(early.errors)")
            #expect(try await server.stop() == .exited(0))
            let copied = try await server.administer(Self.command(server, to: database) + ["--json"])
            #expect(copied.succeeded, "\(copied.errors)")
            #expect((try copied.json["audit"] as? [String: Any])?["sound"] as? Bool == true)
            #expect(copied.errors.contains("comparing the two databases"), "\(copied.errors)")
            #expect(!copied.errors.contains("copied accounts"), "two rows are not worth a line")

            let onPostgres = await Self.moved(server, to: database)
            try await Self.serving(onPostgres) {
                refresh = try await Self.use(onPostgres, app, refresh, wallet)
                let used = try await server.administer(Self.command(server, to: database))
                #expect(used.ending == .exited(1))
                #expect(used.errors.contains("is in use"), "\(used.errors)")
            }
            let again = try await server.administer(Self.command(server, to: database))
            #expect(again.ending == .exited(1))
            #expect(again.errors.contains("is already a finished copy, of 20"), "\(again.errors)")
            #expect(again.errors.contains("serve it only if nothing was served from"), "\(again.errors)")

            let existing = "sqlite:" + server.databaseName
            let taken = try await onPostgres.administer(["database", "copy", "--to", existing])
            #expect(taken.ending == .exited(1))
            #expect(taken.errors.contains("\(existing) is not empty"), "\(taken.errors)")

            let file = "sqlite:" + server.folder.appending(path: "back.db").path
            let back = try await onPostgres.administer(["database", "copy", "--to", file])
            #expect(back.succeeded, "\(back.errors)")
            #expect(back.output.contains("Now set database to \(file)"), "\(back.output)")
            #expect(back.output.contains("The audit log is intact"), "\(back.output)")
            let onFile = await Self.moved(server, to: file)
            try await Self.serving(onFile) {
                _ = try await Self.use(onFile, app, refresh, wallet)
                try await onFile.require(["database", "check"])
            }
        }
    }

    /// Renews a session, signs in by PIN, and verifies the audit log.
    /// - Returns: the next refresh token.
    private static func use(
        _ server: RunningServer, _ app: RegisteredClient, _ refresh: String, _ wallet: TerminalWallet
    ) async throws -> String {
        let client = StandardClient(app, at: server)
        let next = try client.tokens(await client.refresh(refresh)).refresh
        try await wallet.succeeds("sign-out")
        try await wallet.succeeds("sign-in", "--pin", "--pin-stdin", input: pin + "\n")
        try await server.require(["audit", "verify"])
        return next
    }

    /// Begins a copy and kills it once it tells of its progress.
    private static func killedCopy(of server: RunningServer, to database: String) async throws -> ChildProcess.Ending {
        let copy = try ChildProcess(
            Programs.walletauth, command(server, to: database), environment: server.environment,
            folder: server.folder, log: server.folder.appending(path: "copy.log"), watching: .standardError)
        return try await within(.patience, "the copy to be killed") {
            for await line in copy.lines where line.hasPrefix("copying seen_jtis: ") {
                copy.send(SIGKILL)
                break
            }
            return await copy.wait()
        } otherwise: {
            copy.send(SIGKILL)
        }
    }

    @Test(
        """
        kill -9 in the middle of a copy: no server starts on it; without PostgreSQL the command says to run it again; \
        run again it goes on, and no one is signed out
        """)
    func interrupted() async throws {
        let postgres = try await PostgreSQLServer.start()
        try await withServer { server in
            let app = try await server.makeRelyingApp()
            let refresh = try await StandardClient(app, at: server).signIn(try await server.makeAccount()).refresh
            #expect(try await server.stop() == .exited(0))
            // Enough rows that the copy is not over before it is killed.
            try await server.write(
                """
                INSERT INTO seen_jtis (digest, expires_at)
                WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000)
                SELECT randomblob(32), 9000000000000 FROM numbers
                """)
            var database = ""
            var ending = ChildProcess.Ending.exited(0)
            // A copy that was over before it was killed says nothing.
            for _ in 1...10 where ending == .exited(0) {
                database = try await postgres.createDatabase().url
                ending = try await Self.killedCopy(of: server, to: database)
            }
            #expect(ending == .killed(signal: SIGKILL))

            let moved = await Self.moved(server, to: database)
            let served = try await moved.administer(["serve", "--port", "0"])
            #expect(served.ending == .exited(78))
            #expect(served.errors.contains("this database is an unfinished copy"), "\(served.errors)")
            #expect(served.errorLines.count == 1, "\(served.errors)")

            try await postgres.stop()
            let away = try await server.administer(Self.command(server, to: database))
            #expect(away.ending == .exited(75))
            #expect(away.errors.contains("has copied nothing: run the same command again"), "\(away.errors)")
            try await postgres.startAgain()

            let second = try await server.administer(Self.command(server, to: database))
            #expect(second.succeeded, "\(second.errors)")
            #expect(second.errors.contains("copied seen_jtis: 100000 rows"), "\(second.errors)")
            #expect(!second.errors.contains("copying seen_jtis: 5000 rows"), "what was copied is not copied again")
            #expect(second.errors.contains("compared seen_jtis: 100000 rows"), "\(second.errors)")
            #expect(second.output.contains("tables are empty"), "\(second.output)")
            try await Self.serving(moved) {
                let client = StandardClient(app, at: moved)
                _ = try client.tokens(await client.refresh(refresh))
                try await moved.require(["audit", "verify"])
            }
        }
    }
}
