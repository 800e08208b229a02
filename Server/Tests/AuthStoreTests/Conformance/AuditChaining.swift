import Core
import Operations
import Store
import Testing

@testable import Kernel

@Suite(.covers("an entry cannot pass for another")) struct AuditChaining {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static func append(
        _ number: Int, of account: UniqueID?, client: String? = nil, on connection: any SQLConnection
    ) throws {
        try SecurityEvents.append(
            SecurityEvent(
                id: Sample.id(number), accountID: account, clientID: client, kind: "login", occurredAt: .start,
                details: "{\"address\":\"192.0.2.1\"}"),
            salt: Sample.id(number).bytes, key: Sample.auditKey, on: connection)
    }

    private static func verify(_ database: any Database) async throws -> AuditVerification {
        var verification = AuditVerification { $0 == 1 ? Sample.auditKey : nil }
        for partition in AuditPartition.all {
            for record in try await database.read({
                try AuditChains.page(of: partition, after: 0, limit: 10_000, on: $0)
            }) { verification.read(record) }
        }
        verification.finish(unchained: try await database.read { try AuditChains.unchained(on: $0) })
        return verification
    }

    @Test("Writers of one chain and of many at once leave no gap and no wrong link", arguments: EngineUnderTest.all)
    func concurrent(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        _ = try await concurrently(400) { number in
            let account = number % 3 == 0 ? nil : Sample.id(number % 7)
            try await database.write { try Self.append(number, of: account, on: $0) }
        }
        let verification = try await Self.verify(database)
        #expect(verification.findings.isEmpty)
        #expect(verification.entries == 400)
    }

    @Test(
        "attack: a row that was forged to the last number there is lets no other follow",
        arguments: EngineUnderTest.all)
    func lastNumber(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        try await database.write { try Self.append(1, of: Sample.account, on: $0) }
        try await database.write { connection in
            _ = try connection.execute("UPDATE security_events SET seq = $1", [.integer(.max)])
        }
        await #expect(throws: StoreError.self) {
            try await database.write { try Self.append(2, of: Sample.account, on: $0) }
        }
    }

    @Test("An entry whose client does not fit into it is refused, and leaves no row", arguments: EngineUnderTest.all)
    func oversized(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        let client = String(repeating: "a", count: 65_535)
        try await database.write { try Self.append(1, of: nil, client: client, on: $0) }
        let refusal = await #expect(throws: StoreError.self) {
            try await database.write { try Self.append(2, of: nil, client: client + "a", on: $0) }
        }
        #expect(refusal?.code == .statement)
        let verification = try await Self.verify(database)
        #expect(verification.findings.isEmpty && verification.entries == 1)
    }

    @Test(
        "attack: a row whose number was removed is counted as outside the chains, and hides no other from the newest",
        arguments: EngineUnderTest.all)
    func removedNumber(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        try await database.write { connection in
            for number in 1...2 { try Self.append(number, of: Sample.account, on: connection) }
            _ = try connection.execute("UPDATE security_events SET seq = NULL WHERE seq = 1", [])
        }
        let (newest, unchained) = try await database.read { connection in
            (
                try AuditChains.recent(account: Sample.account, kind: nil, limit: 9, on: connection),
                try AuditChains.unchained(on: connection)
            )
        }
        #expect(newest.map { $0.entry.sequence } == [2])
        #expect(unchained == 1)
    }

    @Test(
        "The first entry since a time is found, next to a removed one and past the end too",
        arguments: EngineUnderTest.all)
    func since(engine: EngineUnderTest) async throws {
        let database = try await engine.migrated(scratch)
        try await database.write { connection in
            for number in 1...9 { try Self.append(number, of: nil, on: connection) }
            for number in 1...9 {
                _ = try connection.execute(
                    "UPDATE security_events SET occurred_at = $1 WHERE seq = $2",
                    [.time(Timestamp.start + .seconds(number)), .integer(Int64(number))])
            }
            _ = try connection.execute("DELETE FROM security_events WHERE seq = 5", [])
        }
        let (found, empty) = try await database.read { connection in
            (
                try (0...10).map {
                    try AuditChains.first(of: .operators, since: Timestamp.start + .seconds($0), on: connection)
                },
                try AuditChains.first(of: AuditPartition(account: [1]), since: Timestamp.start, on: connection)
            )
        }
        #expect(found == [1, 1, 2, 3, 4, 5, 5, 7, 8, 9, 10])
        #expect(empty == 1)
    }

    @Test(
        "An entry goes with the transaction that it tells of, and leaves its place to the next",
        arguments: EngineUnderTest.all)
    func undone(engine: EngineUnderTest) async throws {
        struct Undone: Error {}
        let database = try await engine.migrated(scratch)
        try await database.write { try Self.append(1, of: Sample.account, on: $0) }
        await #expect(throws: Undone.self) {
            try await database.write { connection in
                try Self.append(2, of: Sample.account, on: connection)
                throw Undone()
            }
        }
        try await database.write { connection in
            try Self.append(3, of: Sample.account, on: connection)
            try Self.append(4, of: Sample.account, on: connection)
        }
        let verification = try await Self.verify(database)
        #expect(verification.findings.isEmpty && verification.entries == 3)
        let head = try await database.read {
            try AuditChains.head(of: AuditPartition(account: Sample.account.bytes), on: $0)
        }
        #expect(head.sequence == 3)
    }

    @Test("Erased circumstances are gone with their salt, and no link is", arguments: EngineUnderTest.all)
    func erased(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let partition = AuditPartition(account: Sample.account.bytes)
        try await database.write { try Self.append(1, of: Sample.account, on: $0) }
        let before = try await database.read { try AuditChains.page(of: partition, after: 0, limit: 9, on: $0) }
        _ = try await database.write { try Accounts.erase(Sample.account, with: Sample.dependents, on: $0) }
        let after = try await database.read { try AuditChains.page(of: partition, after: 0, limit: 9, on: $0) }
        #expect(after.map(\.entry) == before.map(\.entry) && after.map(\.link) == before.map(\.link))
        #expect(after.map(\.details) == ["{}"] && after.allSatisfy { $0.salt == nil })
    }
}
