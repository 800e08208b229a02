import Core
import SignIn
import Store
import Testing
import WalletAuthWire

@testable import Consent

/// The rows of wallet operations, on every engine.
@Suite struct WalletOperationRows {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private static let later = Timestamp.start + .minutes(1)

    /// An operation with a value of its own in each column that its state has.
    private static func record(_ number: Int, _ state: SCAEvent.State = .open) -> WalletOperationRecord {
        let event = SCAEvent(
            state: state, proofs: [], spent: 3, wrong: 0, sends: 2, sentAt: later,
            expiresAt: .start + .minutes(15), challenges: 4, triedAt: later + .seconds(9),
            compared: [Sample.digest(7), Sample.digest(8)])
        var record = WalletOperationRecord(
            id: Sample.id(number), clientID: Sample.client, operationID: "op-\(number)", createKey: "key-\(number)",
            accountID: Sample.account, sessionID: Sample.session, issuer: "https://id.example.com", type: "TRANSFER",
            sealed: [1, UInt8(number)], decision: number % 2 == 0 ? .required : .exempt(.lowValue), findings: "[{}]",
            event: event, createdAt: .start, keptUntil: .start + .days(30))
        record.countedIn = 5
        switch state {
        case .challenged(let challenge):
            record.challenge.id = Sample.digest(number)
            if let end = challenge.codeExpiresAt {
                record.challenge.code = OpenFactorRecord.Code(mac: Sample.digest(99), keyID: KeyID(6), expiresAt: end)
            }
        case .used: record.use = WalletOperationRecord.Use(key: "use-\(number)", answer: [7, 8])
        case .open, .verified, .locked, .cancelled: break
        }
        return record
    }

    private static let states: [SCAEvent.State] = [
        .open, .challenged(SCAEvent.Challenge(.sms, codeExpiresAt: later)),
        .challenged(SCAEvent.Challenge(.authenticator)), .verified(at: later), .used(at: later), .locked, .cancelled,
    ]

    @Test("An operation is read as it was written, in each of its states", arguments: EngineUnderTest.all)
    func roundTrip(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        for (number, state) in Self.states.enumerated() {
            let record = Self.record(number, state)
            let (added, again, found) = try await database.write { connection in
                (
                    try WalletOperations.add(record, on: connection), try WalletOperations.add(record, on: connection),
                    try WalletOperations.find("op-\(number)", client: Sample.client, on: connection)
                )
            }
            #expect(added == .added)
            #expect(again == .taken)
            #expect(found == record)
        }
    }

    @Test("The codes of one channel are voided, and their operations stay open", arguments: EngineUnderTest.all)
    func voidedCodes(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        let byEmail = Self.record(1, .challenged(SCAEvent.Challenge(.email, codeExpiresAt: Self.later)))
        let bySMS = Self.record(2, .challenged(SCAEvent.Challenge(.sms, codeExpiresAt: Self.later)))
        let (first, second, late) = try await database.write { connection in
            for record in [byEmail, bySMS] { _ = try WalletOperations.add(record, on: connection) }
            try WalletOperations.voidCodes(of: Sample.account, sentBy: .email, on: connection)
            return (
                try WalletOperations.find(event: byEmail.id, on: connection),
                try WalletOperations.find(event: bySMS.id, on: connection),
                try WalletOperations.save(byEmail, on: connection)
            )
        }
        var opened = Self.record(1)
        opened.revision = 2
        #expect(first == opened)
        #expect(second == bySMS)
        #expect(!late)
    }

    @Test(
        "A step stores its event, challenge and use, keeps the rest, and is not written over another revision",
        arguments: EngineUnderTest.all)
    func steps(engine: EngineUnderTest) async throws {
        let database = try await engine.furnished(scratch)
        for (number, state) in Self.states.enumerated() {
            var begun = Self.record(number)
            begun.event = SCAEvent(expiresAt: .start + .minutes(5))
            let step = Self.record(number, state)
            let (saved, found, late) = try await database.write { [begun] connection in
                _ = try WalletOperations.add(begun, on: connection)
                return (
                    try WalletOperations.save(step, on: connection),
                    try WalletOperations.find(event: begun.id, on: connection),
                    try WalletOperations.save(begun, on: connection)
                )
            }
            var expected = step
            expected.revision = 2
            #expect(saved)
            #expect(found == expected)
            #expect(!late)
        }
    }
}
