import Core
import StoreSQLite
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import SignIn
@testable import Store
@testable import Transactions

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

    /// The tables with rows that expire and that no statement of the list sweeps, and why.
    private static let unlisted = [
        "device_tokens": "a device has one row, which is removed with it and says what its holder decided",
        "sessions": "they have no index on their end, and are walked by their ids",
    ]

    @Test("The rows of every table that has an end are swept, or the table says why not")
    func tables() async throws {
        let database = try SQLiteDatabase.open(path: scratch.database)
        try await Schema.migrate(database, now: .start)
        let expiring = try await database.read { connection in
            try connection.query(
                """
                SELECT DISTINCT m.name AS name FROM sqlite_master m JOIN pragma_table_info(m.name) c
                WHERE m.type = 'table' AND c.name IN ('expires_at', 'kept_until')
                """, []
            ).map { try $0.text("name") }
        }
        await database.close()
        // The last statement of each table deletes its own rows: DELETE FROM table WHERE …
        let swept = Sweep.expirations.compactMap { $0.last?.split(separator: " ").dropFirst(2).first.map(String.init) }
        #expect(Set(expiring) == Set(swept).union(Self.unlisted.keys))
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
                try WaitingRegistrations.open(
                    WaitingRegistration(id: Sample.id(number), code: code, expiresAt: end), on: connection)
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
        #expect(removed == 10 * 20 + 1)
        // Nine tables in batches of 7 (7 + 7 + 6), one write for each other statement, and 41 sessions in six pages.
        let writes = await database.writes.value
        let others = Sweep.expirations.flatMap(\.self).count - 9
        #expect(writes == 9 * 3 + others + 6)
        let counts = try await database.read { connection in
            try [
                "redeemed_codes", "stored_codes", "seen_jtis", "attempts", "browser_sessions", "open_factors", "outbox",
                "recoveries", "registrations", "sessions",
            ].map { table in
                try ["<=", ">"].map { sign in
                    try connection.row(
                        "SELECT COUNT(*) AS number FROM \(table) WHERE expires_at \(sign) $1",
                        [.time(.start + .days(2))])?.integer("number")
                }
            }
        }
        #expect(counts == Array(repeating: [0, 20], count: 9) + [[0, 21]])
        let again = try await Sweep.run(database, now: .start + .days(2), batch: 7)
        #expect(again == 0)
    }

    @Test(
        "One run removes every operation and transaction whose retention is over, with all rows that refer to it",
        arguments: EngineUnderTest.all)
    func referredTo(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let end = Timestamp.start + .days(1)
        try await database.write { connection in
            // The last of each is kept longer.
            for number in 0...20 {
                let (id, keptUntil) = (Sample.id(number), number == 20 ? end + .milliseconds(1) : end)
                let operation = WalletOperationRecord(
                    id: id, clientID: Sample.client, operationID: "op-\(number)", createKey: nil,
                    accountID: Sample.account, sessionID: Sample.session, issuer: "https://id.example.com",
                    type: "TRANSFER", sealed: [1], decision: .required, findings: "[]",
                    event: SCAEvent(expiresAt: .start + .minutes(15)), createdAt: .start, keptUntil: keptUntil)
                let operationAdded = try WalletOperations.add(operation, on: connection)
                #expect(operationAdded == .added)
                let transaction = TransactionRecord(
                    id: id, origin: .server, clientID: Sample.client, brandID: "default",
                    issuer: "https://id.example.com", accountID: Sample.account,
                    state: TransactionState(expiresAt: .start + .minutes(5), requiredSecondFactor: .any), sealed: [1],
                    createdAt: .start, keptUntil: keptUntil)
                let transactionAdded = try Transactions.add(transaction, on: connection)
                #expect(transactionAdded == .added)
                for sequence in Int64(1)...2 {
                    try SCASteps.add(
                        SCASteps.Record(kind: "requested", facts: "{}", circumstances: nil, place: nil, at: .start),
                        to: id, on: connection)
                    try TransactionSteps.add(
                        TransactionSteps.Record(
                            status: .created, circumstances: nil,
                            place: AuditHead.Place(partition: .operators, sequence: sequence, link: [1]), at: .start),
                        to: id, on: connection)
                }
                try WalletOperations.add(
                    WalletOperations.Attempt(
                        proof: SCAEvent.Proof(.sms, methods: ["sms"], at: .start), isRight: true, evidence: nil),
                    to: id, on: connection)
            }
        }
        let early = try await Sweep.run(database, now: end, observed: end - .milliseconds(1), batch: 3)
        #expect(early == 0, "by the second clock, the retention has another millisecond")
        let removed = try await Sweep.run(database, now: end, observed: end, batch: 3)
        #expect(removed == 20 * (1 + 2 + 1) + 20 * (1 + 2))
        let left = try await database.read { connection in
            try ["wallet_operations", "sca_steps", "sca_attempts", "transactions", "transaction_steps"].map { table in
                try connection.row("SELECT COUNT(*) AS number FROM \(table)", [])?.integer("number")
            }
        }
        #expect(left == [1, 2, 1, 1, 2])
    }
}
