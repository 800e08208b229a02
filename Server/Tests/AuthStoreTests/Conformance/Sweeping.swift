import AuthCore
import AuthStore
import Testing
import WalletAuthWire

@Suite struct Sweeping {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private actor Counter {
        private(set) var value = 0
        func count() { value += 1 }
        func reset() { value = 0 }
    }

    /// Passes everything on, and counts the writes.
    private final class Counting: Database {
        let base: any Database
        let writes = Counter()

        init(_ base: any Database) { self.base = base }

        func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
            try await base.read(body)
        }

        func write<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
            try await write(isolation: .serializable, body)
        }

        func write<T: Sendable>(
            isolation: WriteIsolation, _ body: @escaping @Sendable (any SQLConnection) throws -> T
        ) async throws -> T {
            await writes.count()
            return try await base.write(isolation: isolation, body)
        }
    }

    @Test("The sweep removes what has expired and nothing else, in bounded batches", arguments: EngineUnderTest.all)
    func sweep(engine: EngineUnderTest) async throws {
        let database = Counting(try await engine.furnished(scratch))
        try await database.write { connection in
            for number in 0..<40 {
                // Every other row is still good.
                let end = Timestamp.start + .days(number % 2 == 0 ? 1 : 3)
                let digest = Sample.digest(number)
                try connection.execute(
                    "INSERT INTO redeemed_codes (id, session_id, expires_at) VALUES ($1, $2, $3)",
                    [.blob(digest), .id(Sample.session), .time(end)])
                try StoredCodes.keep(digest, sealed: [1], until: end, on: connection)
                _ = try SeenJTIs.remember(digest, until: end, on: connection)
                _ = try Attempts.reserve(
                    digest,
                    under: AttemptPolicy(
                        free: 5, afterwards: .delay(first: .seconds(1), longest: .seconds(2)),
                        forgottenAfter: end - .start), now: .start, on: connection)
                _ = try BrowserSessions.begin(
                    BrowserSessionRecord(
                        idHash: digest, accountID: Sample.account, securityVersion: 1, authTime: .start, acr: nil,
                        amr: "pwd", createdAt: .start, expiresAt: end), on: connection)
                try OpenFactors.open(
                    OpenFactorRecord(
                        id: Sample.id(9000 + number), accountID: Sample.account, kind: .email, expiresAt: end),
                    on: connection)
                let code = OpenFactorRecord.Code(
                    mac: [UInt8](repeating: 1, count: 32), keyID: KeyID(1), expiresAt: end)
                try Recoveries.open(
                    RecoveryRecord(
                        id: Sample.id(number), accountID: nil, budget: code.mac, ceiling: nil, securityVersion: 0,
                        code: code, sentAt: .start, expiresAt: end), on: connection)
                try Outbox.post(
                    OutboxRecord(
                        id: Sample.id(number), accountID: Sample.account, kind: "mail", sealed: [1],
                        createdAt: .start, dueAt: .start, expiresAt: end), on: connection)
                var session = Sample.newSession(Sample.id(5000 + number))
                session.expiresAt = end
                _ = try Sessions.open(session, on: connection)
            }
            try TOTPSecrets.begin(
                [1], of: Sample.account, by: Sample.session, until: .start + .days(1), now: .start, on: connection)
        }
        await database.writes.reset()
        let removed = try await Sweep.run(database, now: .start + .days(2), batch: 7)
        #expect(removed == 9 * 20 + 1)
        // Eight tables in batches of 7 (7 + 7 + 6), one with a single row, eleven with none, and 41 sessions in six
        // pages.
        let writes = await database.writes.value
        #expect(writes == 8 * 3 + 1 + 11 + 6)
        let counts = try await database.read { connection in
            try [
                "redeemed_codes", "stored_codes", "seen_jtis", "attempts", "browser_sessions", "open_factors", "outbox",
                "recoveries", "sessions",
            ].map { table in
                try ["<=", ">"].map { sign in
                    try connection.row(
                        "SELECT COUNT(*) AS number FROM \(table) WHERE expires_at \(sign) $1",
                        [.time(.start + .days(2))])?.integer("number")
                }
            }
        }
        #expect(counts == Array(repeating: [0, 20], count: 8) + [[0, 21]])
        let again = try await Sweep.run(database, now: .start + .days(2), batch: 7)
        #expect(again == 0)
    }
}
