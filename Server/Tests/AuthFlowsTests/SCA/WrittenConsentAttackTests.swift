import AuthCore
import AuthStore
import Crypto
import Testing
import WalletAuthWire

@testable import AuthConsent
@testable import AuthFlows
@testable import AuthFoundation

/// Attackers who can write to the database, and have none of the server's keys.
@Suite("Consents that only the database has")
struct WrittenConsentAttackTests {
    /// What the forged consent names as its entry of the audit log.
    enum Entry: CaseIterable, Sendable {
        case none
        /// A payment's that the person did agree to.
        case ofAnother
        /// One that the attackers append, with a key of their own.
        case oneOfTheirOwn
    }

    /// Writes into an operation's rows that the person agreed to it.
    private func agree(to event: SCAEventID, in shop: TestShop, naming entry: Entry) async throws {
        let id = try #require(UniqueID(uuid: event.rawValue))
        let account = try #require(UniqueID(bytes: shop.account.bytes))
        let copied = try await shop.server.context.database.read { connection in
            try WalletOperations.find("agreed", client: shop.client.id.rawValue, on: connection)
                .flatMap { try SCASteps.last("verified", of: $0.id, on: connection) }
        }
        // At the moment of the consent that they copy from.
        let now = copied?.at ?? shop.server.clock.now()
        let key = DataKey(id: KeyID(1), label: KeyPurpose.audit.rawValue, key: SymmetricKey(size: .bits256))
        try await shop.server.context.database.write { connection in
            let place: AuditHead.Place?
            switch entry {
            case .none: place = nil
            case .ofAnother: place = copied?.place
            case .oneOfTheirOwn:
                place = try SecurityEvents.append(
                    SecurityEvent(
                        id: id, accountID: account, clientID: shop.client.id.rawValue, kind: "operation.verified",
                        occurredAt: now, details: #"{"event_id":"\#(id.uuid)","amr":["sms"]}"#),
                    salt: [UInt8](repeating: 1, count: AuditEntry.saltLength), key: key, on: connection)
            }
            try connection.execute(
                """
                UPDATE wallet_operations SET state = 'verified', completed_at = $2, expires_at = $3 WHERE event_id = $1
                """, [.id(id), .time(now), .time(now + SCALimits.consentLifetime)])
            try WalletOperations.add(
                WalletOperations.Attempt(
                    proof: SCAEvent.Proof(.sms, methods: ["sms"], at: now), isRight: true, evidence: nil),
                to: id, on: connection)
            try SCASteps.add(
                SCASteps.Record(
                    kind: "challenged", facts: #"{"verification":{"method":"OTP","channel":"SMS"}}"#,
                    circumstances: nil,
                    place: nil, at: now), to: id, on: connection)
            try SCASteps.add(
                SCASteps.Record(
                    kind: "verified",
                    facts: #"{"signIn":{"amr":["pwd"],"authTime":\#(now.milliseconds),"counted":true}}"#,
                    circumstances: nil, place: place, at: now), to: id, on: connection)
        }
    }

    @Test(
        "attack: someone who can write to the database, without a key, has an operation authorized that no one agreed to",
        arguments: Entry.allCases)
    func forged(entry: Entry) async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let agreed = try await shop.required(transfer, id: "agreed")
        try await shop.agree(to: agreed, id: "agreed")
        let event = try await shop.required(transfer)
        try await agree(to: event, in: shop, naming: entry)
        let status = try await shop.status()
        #expect(status == .verified, "the rows are those of a consent")
        await #expect(throws: RecordedSteps.NotRecorded.self) { try await shop.consume(transfer, event: event) }
        await #expect(throws: RecordedSteps.NotRecorded.self) { try await shop.evidence() }
        let authorized = try await shop.server.rows(of: "security_events WHERE kind = 'operation.authorized'")
        #expect(authorized == 0)

        let consumed = try await shop.consume(transfer, event: agreed, id: "agreed")
        #expect(consumed.refusal == nil, "a consent that was recorded still counts")
    }

    @Test("attack: someone who can write to the database, without a key, prolongs a consent that ran out")
    func prolonged() async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let event = try await shop.required(transfer)
        try await shop.agree(to: event)
        let id = try #require(UniqueID(uuid: event.rawValue))
        let consentAt = shop.server.clock.now()
        shop.server.clock.advance(by: .minutes(6))
        let now = shop.server.clock.now()
        for beginning in [consentAt, now] {
            try await shop.server.context.database.write { connection in
                _ = try connection.execute(
                    "UPDATE wallet_operations SET completed_at = $2, expires_at = $3 WHERE event_id = $1",
                    [.id(id), .time(beginning), .time(now + .minutes(5))])
            }
            await #expect(throws: RecordedSteps.NotRecorded.self) { try await shop.consume(transfer, event: event) }
        }
    }
}
