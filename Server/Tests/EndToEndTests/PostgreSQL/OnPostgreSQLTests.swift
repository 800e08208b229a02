import Foundation
import TestSupport
import Testing

/// The built program on a PostgreSQL server, as one process. Several are in the other suites.
@Suite("On PostgreSQL", .covers("sign-in, payment and sign-out"), .onceForAllEngines)
struct OnPostgreSQLTests {
    @Test("Password, code, linked device, PIN, a payment, sign-out: each in the terminal wallet")
    func journey() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let database = try await postgres.createDatabase()
        try await PaymentWorld.use(database: database.url) { world in
            let wallet = try await world.wallet()
            let pin = "804613972558"
            world.server.ledger.enter(pin)
            try await wallet.succeeds("pin", "set", "--pin-stdin", input: pin + "\n")
            // What takes a day otherwise.
            try await postgres.run("UPDATE devices SET cooling_until = 0", database: database.name)
            try await wallet.succeeds("sign-out")
            try await wallet.succeeds("sign-in", "--pin", "--pin-stdin", input: pin + "\n")
            let paid = try await wallet.run(
                [
                    "transfer", "--to", PaymentWorld.payee, "--amount", "250.00", "--answers-stdin", "--json",
                    "--factor", "pin",
                ], input: "804613972559\n\(pin)\n")
            #expect(paid.succeeded, "\(paid.errors)")
            #expect(paid.errors.contains("You have 4 attempts left."), "\(paid.errors)")
            #expect(try await world.balance(wallet) == "75000")
            try await wallet.succeeds("sign-out")
            let audit = try await world.server.administer(["audit", "verify"])
            #expect(audit.succeeded, "\(audit.errors)")
        }
    }

    @Test(
        """
        kill -9 in the middle of 16 parallel refreshes and restart, 5 times: \
        no acknowledged rotation is lost, no session has two living successors
        """)
    func crashes() async throws {
        let database = try await PostgreSQLServer.shared().createDatabase()
        try await withServer(database: database.url) { server in
            try await CrashRecoveryTests().survive(5, sessions: 16, on: server)
        }
    }

    @Test(
        "PostgreSQL goes down under refreshes: 503 with Retry-After, and not ready; when it is back, no session was lost"
    )
    func restart() async throws {
        let postgres = try await PostgreSQLServer.start()
        let database = try await postgres.createDatabase()
        try await withServer(database: database.url) { server in
            let client = StandardClient(try await server.makeRelyingApp(), at: server)
            let person = try await server.makeAccount()
            var tokens: [String] = []
            for _ in 0..<4 { tokens.append(try await client.signIn(person).refresh) }
            let idle = try await client.signIn(person).refresh
            let ready = await server.url("/health/ready")
            let web = WebClient(ledger: server.ledger)

            let refreshing = Task { [tokens] in
                try await withThrowingTaskGroup(of: String.self) { group in
                    for token in tokens {
                        group.addTask { try await Self.refresh(token, 100, with: client) }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            try await postgres.restart()
            try await postgres.stop()
            try await eventually("the server to be not ready") { try await web.get(ready).status == 503 }
            let refused = try await client.refresh(idle, attempt: randomText(16))
            #expect(refused.status == 503, "\(refused.text)")
            #expect(refused.header("retry-after") != nil)
            try await postgres.startAgain()
            try await eventually("the server to be ready") { try await web.get(ready).status == 200 }
            let newest = try await within(Duration.patience * 2, "the refreshes") { try await refreshing.value }
            for token in newest + [idle] { _ = try client.tokens(await client.refresh(token)) }
        }
    }

    /// Refreshes a session many times. What is not answered is repeated as the same attempt.
    private static func refresh(_ first: String, _ count: Int, with client: StandardClient) async throws -> String {
        var token = first
        for _ in 0..<count {
            let attempt = randomText(16)
            token = try await firstResult("a refresh") { [token] in
                let answer = try await client.refresh(token, attempt: attempt)
                if answer.status == 503 { return nil }
                return try client.tokens(answer).refresh
            }
        }
        return token
    }

    @Test("The doctor finds the database, its protection and its clock; commands for a file name PostgreSQL's tools")
    func commands() async throws {
        let database = try await PostgreSQLServer.shared().createDatabase()
        try await withServer(database: database.url) { server in
            let doctor = try await server.administer(["doctor", "--port", "0"])
            #expect(doctor.succeeded, "\(doctor.output)")
            for text in ["the role has the rights it needs", "stays on this machine", "clock differs by"] {
                #expect(doctor.output.contains(text), "\(doctor.output)")
            }
            let tools = [
                (["database", "backup", "--to", server.folder.appending(path: "copy").path], "pg_dump"),
                (["database", "restore", "--from", "copy"], "pg_restore"), (["database", "check"], "pg_amcheck"),
            ]
            for (arguments, tool) in tools {
                let refused = try await server.administer(arguments)
                #expect(refused.ending == .exited(1))
                #expect(refused.errors.contains(tool), "\(refused.errors)")
                #expect(refused.errorLines.count == 1, "\(refused.errors)")
            }
        }
    }
}
