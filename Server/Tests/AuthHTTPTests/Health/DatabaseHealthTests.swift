import CFaultyDisk
import Foundation
import HTTPTypes
import HummingbirdTesting
import Kernel
import Logging
import Operations
import Store
import TestSupport
import Testing
import WalletAuthWire

@Suite("Health of the database", .threat("Clocks, disks and crashes"), .covers("GET /health/live, /health/ready"))
struct DatabaseHealthTests {
    /// SQLITE_FULL.
    private static let full: CInt = 13

    @Test("Ready is 503 when the database is gone, while live stays 200")
    func databaseGone() async throws {
        try await TestServer.use { server in
            try await server.serve { client in
                await server.closeDatabase()
                let live = try await client.get("/health/live")
                #expect(live.status == .ok)
                let ready = try await client.get("/health/ready")
                #expect(ready.status == .serviceUnavailable)
            }
        }
    }

    @Test("Ready is 503 while nothing can be written, though everything can be read, and 200 once it can be again")
    func nothingKept() async throws {
        faulty_disk_install()
        try await TestServer.use { server in
            let log = server.databaseFile + "-wal"
            try await server.serve { client in
                faulty_disk_fail(log, FAULTY_WRITE, Self.full, -1)
                let found = try await client.get("/.well-known/openid-configuration")
                #expect(found.status == .ok)
                let ready = try await client.get("/health/ready")
                #expect(ready.status == .serviceUnavailable)
                let check = await server.server.administration.execute(["database", "check"])
                #expect(check.status == .refused)
                #expect(check.lines.first?.hasPrefix("The database is sound, but nothing can be written") == true)

                faulty_disk_heal(log)
                var status = ready.status
                while status != .ok { status = try await client.get("/health/ready").status }
            }
        }
    }

    @Test("Damage that any statement meets fails readiness for good, and is logged as critical once")
    func damage() async throws {
        try await TestServer.use { server in
            try await server.serve { client in
                let before = try await client.get("/health/ready")
                #expect(before.status == .ok)
                let database = server.server.context.database
                for _ in 0..<2 {
                    await #expect(throws: StoreError.self) {
                        let _: Int = try await database.read { _ in
                            throw StoreError(.damaged, "a page is malformed (SQLite 11)")
                        }
                    }
                    let ready = try await client.get("/health/ready")
                    #expect(ready.status == .serviceUnavailable)
                }
                #expect(server.log.levels(from: .critical).count == 1)
                #expect(server.log.lines.contains { $0.contains("a page is malformed") })
                let check = await server.server.administration.execute(["database", "check"])
                #expect(check.status == .refused)
                #expect(check.refusal?.code == "damaged")
                let live = try await client.get("/health/live")
                #expect(live.status == .ok)
            }
        }
    }

    @Test("A write-ahead log deleted under a running server fails readiness for good, and is logged as critical once")
    func deletedLog() async throws {
        try await TestServer.use { server in
            try await server.serve { client in
                try FileManager.default.removeItem(atPath: server.databaseFile + "-wal")
                for _ in 0..<2 {
                    let ready = try await client.get("/health/ready")
                    #expect(ready.status == .serviceUnavailable)
                    #expect(try ready.json.string("reason") == "database_file")
                }
                #expect(server.log.levels(from: .critical).count == 1)
                #expect(server.log.lines.contains { $0.contains("-wal was deleted or replaced while it was open") })
            }
        }
    }

    @Test("A database file deleted or replaced under a running server: readiness, metrics, check and log say so")
    func lostDatabase() async throws {
        for isReplaced in [false, true] {
            try await TestServer.use { server in
                try await server.serve { client in
                    let before = try await client.get("/metrics").text
                    #expect(before.contains("\ndatabase_refuses_writes 0\n"))
                    let path = server.databaseFile
                    try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
                    if isReplaced { try FileManager.default.copyItem(atPath: path + ".moved", toPath: path) }

                    let metrics = try await client.get("/metrics").text
                    #expect(metrics.contains("\ndatabase_refuses_writes 1\n"))
                    let ready = try await client.get("/health/ready")
                    #expect(ready.status == .serviceUnavailable)
                    #expect(try ready.json.string("reason") == "database_file")
                    let check = await server.server.administration.execute(["database", "check"])
                    #expect(check.refusal?.code == "file_lost")
                    let line = try #require(check.lines.first)
                    #expect(
                        line.hasSuffix(
                            " was deleted or replaced while it was open, so nothing more is written. Move that file back and "
                                + "restart, or stop the server and restore a backup."))
                    #expect(!line.contains("damage"))
                    #expect(server.log.levels(from: .critical).count == 1)
                    #expect(server.log.lines.contains { $0.contains("Move that file back and restart") })
                    #expect(!server.log.lines.contains { $0.contains("is damaged") })
                }
            }
        }
    }

    @Test("Metrics ask no database: what waits in the outbox is shown as counted last, with its age, and not before")
    func metricsWithoutDatabase() async throws {
        try await TestServer.use { server in
            try await server.serve { client in
                let uncounted = try await client.get("/metrics").text
                #expect(uncounted.contains("\noutbox_failed_total{channel=\"email\"} 0\n"))
                #expect(!uncounted.contains("outbox_waiting"))
                try await server.server.countOutbox()
                await server.closeDatabase()
                let answer = try await client.get("/metrics")
                #expect(answer.status == .ok)
                #expect(answer.text.contains("\noutbox_waiting{channel=\"email\"} 0\n"))
                #expect(answer.text.contains("\noutbox_counted_age_seconds "))
            }
        }
    }

    @Test("Metrics tell the size of the write-ahead log and when it was last copied whole")
    func logMetrics() async throws {
        try await TestServer.serve { _, client in
            let text = try await client.get("/metrics").text
            #expect(text.contains("\ndatabase_log_bytes "))
            #expect(text.contains("\ndatabase_last_whole_checkpoint_timestamp_seconds 1"))
            #expect(text.contains("\ndatabase_checkpoint_failures_total 0\n"))
            #expect(text.contains("\ndatabase_refuses_writes 0\n"))
        }
    }
}
