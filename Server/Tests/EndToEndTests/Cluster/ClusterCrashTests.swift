import Foundation
import TestSupport
import Testing

/// What is left of refreshes, payments, sign-ins and transactions when processes end in the middle of them.
@Suite("Crashes under load", .covers("under load, kill -9 of servers and of PostgreSQL"), .onceForAllEngines)
struct ClusterCrashTests {
    private enum Victim: CaseIterable {
        case firstServer
        case secondServer
        case databaseProcess
    }

    @Test(
        """
        kill -9 of servers and of PostgreSQL's processes under refreshes, payments, sign-ins by PIN and transactions: \
        nothing acknowledged is lost, nothing happens twice
        """)
    func killed() async throws {
        let postgres = try await PostgreSQLServer.start()
        let database = try await postgres.createDatabase()
        var random = SeededGenerator()
        let victims = (Victim.allCases + [.databaseProcess]).shuffled(using: &random)
        let pauses = victims.map { _ in Int.random(in: 0...12, using: &random) }
        try await ClusterLoad.use(database: database.url, seed: random.seed) { cluster, load in
            for (victim, pause) in zip(victims, pauses) {
                // In the middle of something.
                try await load.goesOn(by: pause, "refreshes")
                switch victim {
                case .firstServer, .secondServer:
                    let server = cluster.servers[victim == .firstServer ? 0 : 1]
                    await server.crash()
                    try await load.goesOn(by: 1, "refreshes")
                    try await server.start()
                case .databaseProcess:
                    let processes = try await postgres.values(
                        """
                        SELECT pid FROM pg_catalog.pg_stat_activity
                        WHERE datname = '\(database.name)' AND pid <> pg_backend_pid() ORDER BY pid
                        """)
                    let chosen = processes.randomElement(using: &random)
                    try await postgres.kill([try #require(chosen)])
                }
                try await load.goesOn(by: 1)
            }
        }
    }

    @Test(
        """
        The primary dies under the same load, and its synchronous standby is promoted: \
        requests are answered again within ten seconds, and nothing acknowledged is lost
        """)
    func failover() async throws {
        let primary = try await PostgreSQLServer.start()
        let database = try await primary.createDatabase()
        let standby = try await PostgreSQLServer.start(standbyOf: primary)
        try await primary.confirm(by: standby)
        let url =
            "postgresql://postgres@/\(database.name)?host=\(primary.folder),\(standby.folder)"
            + "&target_session_attrs=read-write&connect_timeout=60"
        let seed = SeededGenerator().seed
        try await ClusterLoad.use(database: url, seed: seed) { cluster, load in
            try await load.goesOn(by: 1)
            // What they take on this machine without an outage.
            let usual = try await runningTime { try await load.goesOn(by: 20, "refreshes") }
            try await primary.kill()
            try await standby.promote()
            let outage = try await runningTime { try await load.goesOn(by: 20, "refreshes") }
            #expect(outage < .seconds(10) + usual, "seed \(seed), usually \(usual)")
            try await load.goesOn(by: 1)
            for server in cluster.servers {
                let web = WebClient(ledger: server.ledger)
                let ready = await server.ownURL("/health/ready")
                try await eventually("each process to be ready") { try await web.get(ready).status == 200 }
            }
        }
    }

    @Test(
        """
        One of two synchronous standbys dies under the same load: no request fails, the other standby confirms what is \
        committed, and nothing is lost
        """)
    func standbyDies() async throws {
        let primary = try await PostgreSQLServer.start()
        let database = try await primary.createDatabase()
        let two = try await PostgreSQLServer.start(standbyOf: primary)
        let three = try await PostgreSQLServer.start(standbyOf: primary)
        try await primary.confirm(by: two, three)
        let seed = SeededGenerator().seed
        let report = try await ClusterLoad.use(database: database.url, seed: seed) { _, load in
            try await load.goesOn(by: 1)
            try await two.kill()
            try await eventually("the primary to miss the standby") {
                try await primary.confirmingStandbys() == [three.name]
            }
            try await load.goesOn(by: 2)
        }
        #expect(report.failed == 0, "with CLUSTER_SEED=\(seed): \(report)")
    }
}
