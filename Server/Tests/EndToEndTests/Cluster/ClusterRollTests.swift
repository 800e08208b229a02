import Foundation
import TestSupport
import Testing

/// Servers that are replaced on purpose, one after the other, while people go on.
@Suite("Rolling restarts under load", .covers("rolling restarts behind HAProxy and nginx"), .onceForAllEngines)
struct ClusterRollTests {
    @Test(
        """
        Both servers are drained and restarted one after the other under refreshes, payments, sign-ins by PIN and transactions: \
        no request fails, no one is signed out, nothing is lost
        """)
    func drained() async throws {
        let database = try await PostgreSQLServer.shared().createDatabase()
        let seed = SeededGenerator().seed
        let report = try await ClusterLoad.use(database: database.url, seed: seed) { cluster, load in
            for (name, server) in zip(["one", "two"], cluster.servers) {
                try await load.goesOn(by: 1)
                try await cluster.proxy.drain(name)
                #expect(try await server.stop() == .exited(0))
                try await load.goesOn(by: 1)
                try await server.start()
                try await cluster.proxy.resume(name)
            }
            try await load.goesOn(by: 1)
        }
        #expect(report.failed == 0, "with CLUSTER_SEED=\(seed): \(report)")
    }

    @Test(
        """
        Both servers are restarted one after the other by SIGTERM alone, with a delay in which the proxy notices it, under the \
        same load: no request fails
        """)
    func delayed() async throws {
        let database = try await PostgreSQLServer.shared().createDatabase()
        let seed = SeededGenerator().seed
        // HAProxy looks twice a second. A busy machine lets it and the server be late.
        let delay = ["WALLETAUTH_SHUTDOWN_DELAY": "6s"]
        let report = try await ClusterLoad.use(database: database.url, settings: delay, seed: seed) { cluster, load in
            for (name, server) in zip(["one", "two"], cluster.servers) {
                try await load.goesOn(by: 1)
                #expect(try await server.stop() == .exited(0))
                try await load.goesOn(by: 1)
                try await server.start()
                try await cluster.proxy.waitUntilUp(name)
            }
            try await load.goesOn(by: 1)
        }
        #expect(report.failed == 0, "with CLUSTER_SEED=\(seed): \(report)")
    }

    @Test(
        """
        Behind nginx both servers are marked as down, restarted, and taken back one after the other under the same \
        load: no request gets a 5xx, and one without a response has reached no server
        """)
    func reloaded() async throws {
        let database = try await PostgreSQLServer.shared().createDatabase()
        let seed = SeededGenerator().seed
        let report = try await ClusterLoad.use(.nginx, database: database.url, seed: seed) { cluster, load in
            for server in cluster.servers {
                try await load.goesOn(by: 1)
                try await cluster.proxy.reload(down: await server.port)
                let answered = server.answeredRequests
                try await load.goesOn(by: 1)
                #expect(server.answeredRequests == answered, "nothing more is sent to it")
                #expect(try await server.stop() == .exited(0))
                try await server.start()
                try await cluster.proxy.reload()
            }
            try await load.goesOn(by: 1)
        }
        #expect(report.failed == report.unanswered, "with CLUSTER_SEED=\(seed): \(report)")
        #expect(report.answered == report.requests - report.failed, "with CLUSTER_SEED=\(seed): \(report)")
    }

    @Test(
        """
        Behind nginx, which checks nothing, both servers are restarted one after the other by SIGTERM with a delay, under the \
        same load: no one is signed out, nothing is lost, and a request that fails has reached no server
        """)
    func delayedUnchecked() async throws {
        let database = try await PostgreSQLServer.shared().createDatabase()
        let seed = SeededGenerator().seed
        let delay = ["WALLETAUTH_SHUTDOWN_DELAY": "2s"]
        let report = try await ClusterLoad.use(
            .nginx, database: database.url, settings: delay, seed: seed
        ) { cluster, load in
            for server in cluster.servers {
                try await load.goesOn(by: 1)
                #expect(try await server.stop() == .exited(0))
                let answered = server.answeredRequests
                try await load.goesOn(by: 1)
                try await server.start()
                // It leaves a server out for a while after a failure. Until then the other one is the only one.
                try await eventually("nginx to use the server again") { server.answeredRequests > answered }
            }
            try await load.goesOn(by: 1)
        }
        #expect(report.answered == report.requests - report.failed, "with CLUSTER_SEED=\(seed): \(report)")
    }

    @Test(
        """
        A newer program migrates the schema under the same load: no request fails, and a start of the older program is \
        refused in one line
        """)
    func newerSchema() async throws {
        let postgres = try await PostgreSQLServer.shared()
        let database = try await postgres.createDatabase()
        let seed = SeededGenerator().seed
        let report = try await ClusterLoad.use(database: database.url, seed: seed) { cluster, load in
            try await load.goesOn(by: 1)
            // What a migration may contain (docs/architecture.md), in one step, under the lock of the engine, and like there
            // with half a second for each table's lock.
            let migration = """
                SELECT pg_advisory_xact_lock(131260314576244);
                SET LOCAL lock_timeout = '500ms';
                ALTER TABLE sessions ADD COLUMN of_a_newer_program BIGINT,
                    ADD COLUMN with_a_default TEXT NOT NULL DEFAULT 'x';
                CREATE INDEX sessions_of_a_newer_program ON sessions (of_a_newer_program);
                CREATE TABLE table_of_a_newer_program (id BYTEA NOT NULL PRIMARY KEY);
                INSERT INTO schema_migrations (version, name, applied_at)
                SELECT MAX(version) + 1, 'of a newer program', 0 FROM schema_migrations
                """
            // Like the engine, again if it did not get a lock or was chosen to end a deadlock. The engine's pauses are longer.
            try await eventually("the migration") {
                (try? await postgres.run(migration, database: database.name)) != nil
            }
            try await load.goesOn(by: 2)
            let refused = try await cluster.server.administer(["serve", "--port", "0"])
            #expect(refused.ending == .exited(78))
            #expect(refused.errorLines.count == 1, "\(refused.errors)")
            #expect(refused.errors.contains("but this program knows only up to"), "\(refused.errors)")
            try await load.goesOn(by: 1)
        }
        #expect(report.failed == 0, "with CLUSTER_SEED=\(seed): \(report)")
    }
}
