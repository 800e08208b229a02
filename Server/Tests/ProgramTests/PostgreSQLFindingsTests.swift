import Kernel
import Store
import Testing

@testable import walletauth

@Suite("What doctor says of a PostgreSQL server", .covers("what doctor says about the role"))
struct PostgreSQLFindingsTests {
    private static let sound = PostgreSQLFacts(
        version: "15.18", database: "walletauth", role: "walletauth", isSuperuser: false, attributes: [],
        admitsEveryone: false, synchronousCommit: "on", synchronousStandbys: "", standbys: 0, connectionLimit: 97,
        connections: 10, vacuumsAutomatically: true, members: [])

    private func warnings(_ change: (inout PostgreSQLFacts) -> Void) -> [Finding] {
        var facts = Self.sound
        change(&facts)
        return PostgreSQLFindings.of(facts, connections: 8).filter { $0.status != .ok }
    }

    @Test("A server that is set up as the documentation says has no warning")
    func healthy() {
        #expect(warnings { _ in }.isEmpty)
        #expect(
            warnings {
                $0.synchronousStandbys = "ANY 1 (a, b)"
                $0.standbys = 2
            }.isEmpty)
    }

    @Test("A role with too many rights, and a database that every role may connect to, each with its statement")
    func rights() {
        let superuser = warnings { $0.isSuperuser = true }
        #expect(superuser.first?.detail.contains("is a superuser") == true)
        let able = warnings {
            $0.role = "wallet\"auth"
            $0.attributes = ["CREATEROLE", "CREATEDB"]
        }
        #expect(able.first?.remedy == "ALTER ROLE \"wallet\"\"auth\" NOCREATEROLE NOCREATEDB")
        let open = warnings { $0.admitsEveryone = true }
        #expect(open.first?.remedy == "REVOKE CONNECT ON DATABASE \"walletauth\" FROM PUBLIC")
    }

    @Test("A role that cannot read the timeline, where several hosts are named, with the statement")
    func timeline() {
        var facts = Self.sound
        facts.readsTimeline = false
        let findings = PostgreSQLFindings.of(facts, connections: 8, hasSeveralHosts: true).filter { $0.status != .ok }
        #expect(findings.count == 1)
        #expect(findings.first?.detail.contains("cannot read the timeline") == true)
        #expect(findings.first?.remedy?.hasSuffix(" TO \"walletauth\"") == true)
        #expect(PostgreSQLFindings.of(facts, connections: 8).allSatisfy { $0.status == .ok })
    }

    @Test("Standbys that follow asynchronously, synchronous ones that are away, and a commit that does not wait")
    func standbys() {
        #expect(warnings { $0.standbys = 1 }.first?.detail.contains("a failover loses the last commits") == true)
        let away = warnings { $0.synchronousStandbys = "*" }
        #expect(away.map(\.status) == [.fail])
        let local = warnings {
            $0.synchronousStandbys = "*"
            $0.standbys = 1
            $0.synchronousCommit = "local"
        }
        #expect(local.first?.detail.contains("do not wait for the standbys") == true)
        #expect(warnings { $0.synchronousCommit = "off" }.count == 1)
    }

    @Test("attack: while the database is older than what was seen, nothing says how to make an old primary writable")
    func olderWithoutStandbys() {
        var facts = Self.sound
        facts.synchronousStandbys = "*"
        let findings = PostgreSQLFindings.of(facts, connections: 8, isOlder: true).filter { $0.status == .fail }
        #expect(findings.count == 1)
        #expect(findings.first?.remedy?.contains("empty the setting") == false)
        #expect(findings.first?.remedy?.contains("may be an old primary") == true)
    }

    @Test("An empty database is a failure in production, with what a server says of it, and none in the sandbox")
    func emptyDatabase() {
        let database = DatabaseLocation(postgreSQL: SecretText("postgresql://w@db/wallet"), folder: ".")
        let fault = Fault.emptyDatabase("postgresql://w@db/wallet")
        #expect(
            PostgreSQLFindings.schema(at: 0, of: database, in: .production)
                == .fail("database", fault.problem, fault.remedy))
        let sandbox = PostgreSQLFindings.schema(at: 0, of: database, in: .sandbox)
        #expect(sandbox.status == .warn)
        #expect(sandbox.remedy?.contains("backup") == false)
        #expect(PostgreSQLFindings.schema(at: Schema.newest, of: database, in: .production).status == .ok)
    }

    @Test("Too few connections for one more server, and autovacuum that is off")
    func capacity() {
        #expect(warnings { $0.connectionLimit = 15 }.first?.remedy?.contains("max_connections") == true)
        #expect(warnings { $0.connections = 90 }.count == 1)
        #expect(warnings { $0.connections = .max }.count == 1)
        #expect(warnings { $0.vacuumsAutomatically = false }.first?.remedy?.contains("autovacuum = on") == true)
    }

    @Test("A session that holds a lock is named, as far as the role may see it, with how to end it")
    func lockHolders() {
        let findings = PostgreSQLFindings.locks(of: [
            PostgreSQLLockHolder(
                processID: 4711, name: "psql", role: "ada", state: "idle in transaction", tables: "accounts, sessions",
                transaction: .seconds(63), wait: .seconds(4)),
            PostgreSQLLockHolder(processID: 12, name: "", role: nil, state: nil, tables: "meta"),
        ])
        #expect(findings.map(\.status) == [.warn, .warn])
        #expect(
            findings.first?.detail
                == "the session 4711 (psql, role ada, idle in transaction, in a transaction for 63s) has locks on "
                + "accounts, sessions, and others have waited for it for 4s")
        #expect(findings.first?.remedy?.hasSuffix("SELECT pg_terminate_backend(4711)") == true)
        #expect(findings.last?.detail == "the session 12 has locks on meta")
        #expect(PostgreSQLFindings.locks(of: []).isEmpty)
    }

    @Test("Each way to fail has its own remedy, and none where the reason says what to do")
    func remedies() {
        let remedies: [(StoreError.Code, String)] = [
            (.loginRefused, "pg_hba.conf"), (.untrustedServer, "sslrootcert"),
            (.noDatabase, "Create the database"), (.noConnections, "pool size"), (.readOnly, "Name the primary"),
            (.notDurable, "fsync"), (.unavailable, "host and port"),
        ]
        for (code, part) in remedies {
            let error = StoreError(code, "it failed")
            #expect(error.remedy?.contains(part) == true, "\(code)")
            #expect(error.explanation.hasPrefix("it failed. "))
        }
        for error in [
            StoreError(.unsuitable, "create it with ENCODING 'UTF8'"), StoreError(.accessDenied, "grant CREATE"),
            StoreError(.foreignSchema, "name an empty database"), StoreError(.unavailable, "a lock (PostgreSQL 55P03)"),
        ] {
            #expect(error.explanation == error.reason)
        }
    }

    @Test(
        "A server tries again while the database's administrator may help, and ends for good where only its own operator can"
    )
    func statuses() {
        #expect(StoreError(.otherPrimary, "two servers accept writes").exitStatus == 75)
        for code in [StoreError.Code.loginRefused, .noDatabase, .readOnly, .accessDenied, .unavailable] {
            #expect(StoreError(code, "it failed").exitStatus == 1)
        }
        for code in [StoreError.Code.newerSchema, .olderSchema, .foreignSchema, .unsuitable] {
            #expect(StoreError(code, "it failed").exitStatus == ExitStatus.outOfService)
        }
    }

    @Test("The processes that use the database are named, and those of another version")
    func members() throws {
        let plain = try #require(PostgreSQLMember("walletauth db1/4711 ab12cd34", address: ""))
        #expect(plain.words == "db1/4711")
        #expect(plain.version == nil)
        let versioned = try #require(PostgreSQLMember("walletauth db-2/7 0.9.0 ab12cd34", address: "10.0.0.7"))
        #expect(versioned.words == "db-2/7 (0.9.0, 10.0.0.7)")
        #expect(PostgreSQLMember("psql", address: "") == nil)
        #expect(PostgreSQLMember("walletauth", address: "") == nil)
        let findings = PostgreSQLFindings.members([plain, versioned])
        #expect(findings.first?.detail == "2 processes use the database: db1/4711, db-2/7 (0.9.0, 10.0.0.7)")
        #expect(findings.last?.status == .warn)
        #expect(PostgreSQLFindings.members([]).map(\.status) == [.ok])
    }
}
