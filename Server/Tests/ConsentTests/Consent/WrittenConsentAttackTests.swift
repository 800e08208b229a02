import Core
import Crypto
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations

/// Attackers who can write to the database, and have none of the server's keys.
@Suite(
    "Consents that only the database has",
    .covers("writing to the database makes neither a genuine consent nor a proof that a transaction was rejected"))
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
        "attack: someone who can write to the database, without a key, has an operation authorized that no one approved",
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

    @Test(
        "attack: someone who can write to the database, without a key, marks the account as erased to prove another's consent",
        .threat("A payer who contests, and an app that keeps asking"),
        arguments: [false, true])
    func calledErased(hasEntry: Bool) async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        // Before the consent that they copy from, so that times and entries fit.
        let event = try await shop.required(transfer)
        let agreed = try await shop.required(transfer, id: "agreed")
        try await shop.agree(to: agreed, id: "agreed")
        try await agree(to: event, in: shop, naming: .ofAnother)
        let account = try #require(UniqueID(bytes: shop.account.bytes))
        let (id, now) = (try shop.server.context.random.uniqueID(), shop.server.clock.now())
        let key = DataKey(id: KeyID(1), label: KeyPurpose.audit.rawValue, key: SymmetricKey(size: .bits256))
        try await shop.server.context.database.write { connection in
            try connection.execute(
                """
                UPDATE accounts SET state = 'erased', password = NULL, password_state = 'none', password_changed_at = NULL,
                    email = NULL, email_state = 'none', phone = NULL, profile = NULL WHERE id = $1
                """, [.id(account)])
            try connection.execute(
                """
                UPDATE security_events SET salt = NULL, details = '{}'
                WHERE account_id = $1 AND kind = 'operation.verified'
                """, [.id(account)])
            guard hasEntry else { return }
            try SecurityEvents.append(
                SecurityEvent(
                    id: id, accountID: account, clientID: nil, kind: AuditVerification.erasure, occurredAt: now,
                    details: "{}"),
                salt: [UInt8](repeating: 1, count: AuditEntry.saltLength), key: key, on: connection)
        }
        await #expect(throws: RecordedSteps.NotRecorded.self) { try await shop.evidence() }
    }

    @Test(
        "attack: someone who can write to the database, without a key, reopens an erased account to use its consent",
        .threat("A payer who contests, and an app that keeps asking"))
    func reopened() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer(), id: "agreed")
        try await shop.agree(to: event, id: "agreed")
        let context = shop.server.context
        func steps() async throws -> RecordedSteps {
            let record = try await context.database.read {
                try WalletOperations.find("agreed", client: shop.client.id.rawValue, on: $0)
            }
            return RecordedSteps(
                audit: context.audit, record: try #require(record), now: shop.server.clock.now())
        }
        let before = try await steps()
        let consent = try await context.database.read { try before.consent(on: $0) }
        #expect(consent.kind == "verified")
        try await shop.server.administer(["account", "erase", "ada"])
        // The row as it was, with an account that is active again. The erasure itself is genuine.
        await #expect(throws: RecordedSteps.NotRecorded.self) {
            _ = try await context.database.read { try before.consent(on: $0) }
        }
        let after = try await steps()
        await #expect(throws: Never.self) { try await context.database.read { try after.require(on: $0) } }
    }

    @Test(
        "attack: someone who can write to the database, without a key, deletes steps, or writes a state that no step leads to",
        arguments: [
            "DELETE FROM sca_steps WHERE event_id = $1",
            "DELETE FROM sca_steps WHERE event_id = $1 AND kind = 'requested'",
            "DELETE FROM sca_steps WHERE event_id = $1 AND kind = 'verified'",
            "UPDATE wallet_operations SET completed_at = completed_at - 1 WHERE event_id = $1",
            "UPDATE wallet_operations SET state = 'used' WHERE event_id = $1",
            "UPDATE wallet_operations SET state = 'open', completed_at = NULL WHERE event_id = $1",
            "UPDATE wallet_operations SET state = 'locked', completed_at = NULL WHERE event_id = $1",
            "UPDATE wallet_operations SET state = 'cancelled', completed_at = NULL WHERE event_id = $1",
        ])
    func otherState(sql: String) async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        try await shop.agree(to: event)
        _ = try await shop.evidence()
        let id = try #require(UniqueID(uuid: event.rawValue))
        let changed = try await shop.server.context.database.write { try $0.execute(sql, [.id(id)]) }
        #expect(changed > 0)
        await #expect(throws: RecordedSteps.NotRecorded.self) { try await shop.evidence() }
    }

    @Test(
        "attack: someone who can write to the database, without a key, changes what the payer signed in with",
        .threat("A payer who contests, and an app that keeps asking"))
    func otherSignIn() async throws {
        let shop = try await TestShop.open()
        let transfer = try TestShop.transfer()
        let event = try await shop.required(transfer)
        try await shop.agree(to: event)
        let id = try #require(UniqueID(uuid: event.rawValue))
        let now = shop.server.clock.now()
        for signIn in [
            #"{"signIn":{"amr":["hwk","pin"],"authTime":\#(now.milliseconds),"counted":true}}"#, "{}",
        ] {
            try await shop.server.context.database.write { connection in
                _ = try connection.execute(
                    "UPDATE sca_steps SET facts = $2 WHERE event_id = $1 AND kind = 'verified'",
                    [.id(id), .text(signIn)])
            }
            await #expect(throws: RecordedSteps.NotRecorded.self) { try await shop.consume(transfer, event: event) }
            await #expect(throws: RecordedSteps.NotRecorded.self) { try await shop.evidence() }
        }
    }

    @Test("attack: someone who can write to the database, without a key, adds a sign-in to a step that has none")
    func addedSignIn() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        try await shop.agree(to: event)
        _ = try await shop.evidence()
        let id = try #require(UniqueID(uuid: event.rawValue))
        let now = shop.server.clock.now()
        let signIn = #"{"signIn":{"amr":["hwk","pin"],"authTime":\#(now.milliseconds),"counted":true}}"#
        let changed = try await shop.server.context.database.write { connection in
            try connection.execute(
                "UPDATE sca_steps SET facts = $2 WHERE event_id = $1 AND kind = 'requested'", [.id(id), .text(signIn)])
        }
        #expect(changed == 1)
        await #expect(throws: RecordedSteps.NotRecorded.self) { try await shop.evidence() }
    }

    @Test(
        "attack: someone who can write to the database, without a key, extends a consent that has expired",
        .threat("A payer who contests, and an app that keeps asking"))
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

    @Test("Half deleted after its retention, an operation has no evidence and raises no alarm")
    func halfSwept() async throws {
        let shop = try await TestShop.open()
        let event = try await shop.required(TestShop.transfer())
        try await shop.agree(to: event)
        let id = try #require(UniqueID(uuid: event.rawValue))
        let now = shop.server.clock.now()
        try await shop.server.context.database.write { connection in
            try connection.execute(
                "UPDATE wallet_operations SET kept_until = $2 WHERE event_id = $1", [.id(id), .time(now)])
            try connection.execute("DELETE FROM sca_steps WHERE event_id = $1", [.id(id)])
        }
        await #expect(throws: WalletOperationRefusal.operationNotFound) { try await shop.evidence() }
    }
}
