import Core
import Kernel
import Store
import Testing

@Suite struct Values {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("Placeholders are bound by name: `$2, $1` swaps nothing, `$1` may come twice", arguments: EngineUnderTest.all)
    func order(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let row = try await database.read {
            try $0.row(
                "SELECT $2, $1, $1, $11 FROM (SELECT $3, $4, $5, $6, $7, $8, $9, $10) AS others",
                ["one", "two", 3, 4, 5, 6, 7, 8, 9, 10, "eleven"])
        }
        #expect(row?.values == ["two", "one", "one", "eleven"])
    }

    @Test("Too few and too many arguments are refused", arguments: EngineUnderTest.all)
    func count(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        for arguments: [SQLValue] in [[], ["a"], ["a", "b", "c"]] {
            await #expect(throws: StoreError.self) {
                try await database.read { try $0.query("SELECT $1, $2", arguments).count }
            }
        }
        await #expect(throws: StoreError.self) {
            try await database.read { try $0.query("SELECT ?", ["a"]).count }
        }
    }

    @Test("Every kind of value comes back as it went in", arguments: EngineUnderTest.all)
    func roundTrip(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let kept: [SQLValue] = [
            .integer(.min), .integer(.max), .integer(0), .text(""), .text("zażółć 🔑 end"), .blob([]),
            .blob([0, 255, 39]), .null,
        ]
        try await database.write { connection in
            try connection.define(
                """
                CREATE TABLE samples (id BIGINT NOT NULL PRIMARY KEY, number BIGINT, words TEXT, bytes BYTEA)
                """)
            for (index, value) in kept.enumerated() {
                let column =
                    switch value {
                    case .integer, .null: "number"
                    case .text: "words"
                    case .blob: "bytes"
                    }
                try connection.execute(
                    "INSERT INTO samples (id, \(column)) VALUES ($1, $2)", [.integer(Int64(index)), value])
            }
        }
        let rows = try await database.read {
            try $0.query("SELECT number, words, bytes FROM samples ORDER BY id", [])
        }
        let found = rows.map { row in row.values.first { $0 != .null } ?? .null }
        #expect(found == kept)
    }

    @Test("A text with U+0000 comes back whole or is refused, and is never cut", arguments: EngineUnderTest.all)
    func zero(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let text = "before \u{0} after"
        do {
            try await database.write { try Meta.set("name", to: text, on: $0) }
            #expect(try await database.read { try Meta.value("name", on: $0) } == text)
        } catch let error as StoreError {
            #expect(error.code == .constraint)
            #expect(try await database.read { try Meta.value("name", on: $0) } == nil)
        }
    }

    @Test("A column holds only what its type says", arguments: EngineUnderTest.all)
    func strict(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        for value: SQLValue in [.text("soon"), .blob([1])] {
            await #expect(throws: StoreError.self) {
                try await database.write {
                    _ = try $0.execute(
                        "INSERT INTO seen_jtis (digest, expires_at) VALUES ($1, $2)",
                        [.blob(Sample.digest(1)), value])
                }
            }
        }
    }

    @Test("A row tells which column is not what was expected, and not what it holds")
    func mismatch() throws {
        let row = SQLRow(columns: ["secret", "number"], values: ["hunter2", nil])
        for access: (SQLRow) throws -> Void in [
            { _ = try $0.integer("secret") }, { _ = try $0.id("secret") }, { _ = try $0.blob("secret") },
            { _ = try $0.name("secret", as: AccountState.self) },
        ] {
            let error = #expect(throws: StoreError.self) { try access(row) }
            #expect(error?.reason.contains("secret") == true)
            #expect(error?.description.contains("hunter2") == false)
        }
        #expect(throws: StoreError.self) { try row.integer("number") }
        #expect(throws: StoreError.self) { try row.integer("absent") }
        #expect(try row.optionalInteger("number") == nil)
    }

    @Test("Ids keep their bytes, their text and their order")
    func ids() throws {
        let text = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"  // RFC 9562, appendix A.6
        let id = try #require(UniqueID(uuid: text))
        #expect(id.uuid == text)
        #expect(UniqueID(bytes: id.bytes) == id)
        let random = [UInt8](repeating: 0xFF, count: 16)
        let ordered = try #require(UniqueID.timeOrdered(Timestamp(milliseconds: 0x017F_22E2_79B0), random))
        #expect(ordered.uuid == "017f22e2-79b0-7fff-bfff-ffffffffffff")
        #expect(UniqueID.random(random)?.uuid == "ffffffff-ffff-4fff-bfff-ffffffffffff")
        #expect(id < ordered)
        for malformed in [
            "", "017f22e279b07cc398c4dc0c0c07398f", text + "0", text.replacing("7", with: "g"),
            text.uppercased(), text.replacing("f", with: "F", maxReplacements: 1),
        ] {
            #expect(UniqueID(uuid: malformed) == nil)
        }
    }
}
