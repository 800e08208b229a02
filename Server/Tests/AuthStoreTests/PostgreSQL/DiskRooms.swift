import Store
import StorePostgreSQL
import TestSupport
import Testing

/// The probe of writes, on a disk without room for new rows.
@Suite struct DiskRooms {
    @Test(
        "While the tables' disk is full, a row is still changed in place and a probe fails; with room, the probe succeeds",
        .enabled("a file system of its own takes root") { await PostgreSQLServer.mayMount() })
    func full() async throws {
        let server = try await PostgreSQLServer.start(smallDisk: 32)
        try await server.run("CREATE TABLESPACE small LOCATION '\(PostgreSQLServer.smallDisk)'")
        let own = try await server.createDatabase("TABLESPACE small")
        let database = try await PostgreSQLDatabase.open(own.string, options: .patient(connections: 1))
        try await Schema.migrate(database, now: .start)
        func change(_ value: String) async throws {
            try await database.write { try Meta.set("probe", to: value, on: $0) }
        }
        func probe() async throws { try await database.probe { try Meta.set("probe", to: "probed", on: $0) } }
        try await change("first")
        try await probe()

        let filler = PostgreSQLServer.smallDisk + "/filler"
        // Fails when the disk is full.
        try? await server.run("COPY (SELECT repeat('x', 1000) FROM generate_series(1, 1000000)) TO '\(filler)'")
        try await change("second")
        let error = await #expect(throws: StoreError.self) { try await probe() }
        #expect(error?.code == .full, "\(String(describing: error))")
        await #expect(throws: StoreError.self) { try await database.requireRoom() }

        try await server.run("COPY (SELECT 1 WHERE false) TO '\(filler)'")
        try await probe()
        await database.close()
    }

    @Test("A probe leaves its settings nowhere, and an operator's small limit of temporary files is no full disk")
    func traces() async throws {
        let server = try await PostgreSQLServer.shared()
        let own = try await server.createDatabase()
        for statement in ["SELECT 1", "ALTER DATABASE \(own.name) SET temp_file_limit = 0"] {
            try await server.run(statement)
            let database = try await PostgreSQLDatabase.open(own.string, options: .patient(connections: 1))
            try await Schema.migrate(database, now: .start)
            try await database.probe { try Meta.set("probe", to: "probed", on: $0) }
            let setting = try await database.read {
                try $0.row("SELECT current_setting('work_mem') AS memory", [])?.text("memory")
            }
            #expect(setting != "64kB")
            await database.close()
        }
    }
}
