import Core
import Crypto
import FlowSupport
import SignIn
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Transactions

/// Attackers who can write to the database, and have none of the server's keys.
@Suite(
    "States of transactions that only the database has",
    .covers("writing to the database makes neither a genuine consent nor a proof that a transaction was rejected"))
struct WrittenTransactionAttackTests {
    /// The end that the attackers write into the rows of a confirmed transaction.
    struct End: Sendable, CustomTestStringConvertible {
        let status: TransactionStatus
        let reason: String?

        var testDescription: String { status.rawValue }

        static let all = [
            End(status: .rejected, reason: RejectionReason.unexpected.rawValue), End(status: .failed, reason: nil),
            End(status: .cancelled, reason: CancellationReason.backend.rawValue),
        ]
    }

    /// What the written step names as its entry of the audit log.
    enum Entry: CaseIterable, Sendable {
        /// There is no step.
        case none
        /// That of another transaction, which did end so.
        case ofAnother
        /// One that the attackers append, with a key of their own.
        case oneOfTheirOwn
    }

    /// Ends a transaction of Ada's.
    private func end(_ transaction: DeviceTransaction, as end: End, at till: TestTill) async throws {
        switch end.status {
        case .rejected: _ = try await till.reject(transaction).get()
        case .cancelled: try await till.cancel(transaction.transactionID).get()
        default: for _ in 0..<5 { _ = try await till.sign(transaction, till.byPIN(transaction, "314159")) }
        }
    }

    private func write(
        _ end: End, of transaction: TransactionID, naming entry: Entry, from other: TransactionID, at till: TestTill
    ) async throws {
        let id = try #require(UniqueID(uuid: transaction.rawValue))
        let otherID = try #require(UniqueID(uuid: other.rawValue))
        let account = try #require(UniqueID(bytes: till.account.bytes))
        let event = try #require(TransactionEvent(end.status))
        var details = JSONObject()
        details.set("transaction_id", id.uuid)
        details.set("device", till.phone.id)
        details.set("reason", end.reason)
        let text = String(decoding: details.bytes, as: UTF8.self)
        let (entryID, client) = (try till.server.context.random.uniqueID(), till.client.id.rawValue)
        let key = DataKey(id: KeyID(1), label: KeyPurpose.audit.rawValue, key: SymmetricKey(size: .bits256))
        try await till.server.context.database.write { connection in
            guard let copied = try TransactionSteps.all(of: otherID, on: connection).last else { return }
            try connection.execute(
                "UPDATE transactions SET state = $2, reason = $3, ended_at = $4 WHERE id = $1",
                [.id(id), .text(end.status.rawValue.lowercased()), .optional(end.reason), .time(copied.at)])
            var step = copied
            switch entry {
            case .none: return
            case .ofAnother: break
            case .oneOfTheirOwn:
                step.place = try SecurityEvents.append(
                    SecurityEvent(
                        id: entryID, accountID: account, clientID: client, kind: event.rawValue, occurredAt: copied.at,
                        details: text),
                    salt: [UInt8](repeating: 1, count: AuditEntry.saltLength), key: key, on: connection)
            }
            try TransactionSteps.add(step, to: id, on: connection)
        }
    }

    @Test(
        """
        attack: someone who can write to the database, without a key, has the server prove that a transaction was rejected, \
        failed or was cancelled by its backend
        """, .threat("Attacks on transactions"), arguments: End.all, Entry.allCases)
    func ended(end: End, entry: Entry) async throws {
        let till = try await TestTill.open()
        let target = try await till.confirmed()
        let other = try await till.confirmed()
        try await self.end(other, as: end, at: till)
        try await write(end, of: target.transactionID, naming: entry, from: other.transactionID, at: till)
        let report = try await till.report(target.transactionID)
        #expect(report.status == end.status, "the rows are those of a transaction that ended so")
        await #expect(throws: RecordedTransaction.NotRecorded.self) { try await till.proof(target.transactionID) }

        let genuine = try await till.proof(other.transactionID)
        #expect(genuine.status == end.status, "an end that was recorded is proved")
    }

    @Test(
        "attack: someone who can write to the database, without a key, changes why, when or by whom a transaction was rejected",
        .threat("Attacks on transactions"),
        arguments: [
            "UPDATE transactions SET reason = 'OTHER' WHERE id = $1",
            "UPDATE transactions SET ended_at = ended_at - 1 WHERE id = $1",
            "UPDATE transactions SET device_id = zeroblob(16) WHERE id = $1",
            "UPDATE transactions SET client_id = 'other' WHERE id = $1",
            "UPDATE transaction_steps SET at = at - 1 WHERE transaction_id = $1",
            "DELETE FROM transaction_steps WHERE transaction_id = $1 AND status = 'REJECTED'",
        ])
    func changed(sql: String) async throws {
        let till = try await TestTill.open()
        let transaction = try await till.confirmed()
        _ = try await till.reject(transaction, because: .unexpected).get()
        let id = try #require(UniqueID(uuid: transaction.transactionID.rawValue))
        try await till.server.context.database.write { _ = try $0.execute(sql, [.id(id)]) }
        let context = till.server.context
        let record = try #require(try await context.database.read { try Transactions.find(id, on: $0) })
        let recorded = RecordedTransaction(audit: context.audit, record: record, now: till.server.clock.now())
        await #expect(throws: RecordedTransaction.NotRecorded.self) {
            try await context.database.read { try recorded.require(on: $0) }
        }
    }

    @Test("Half deleted after its retention, a transaction has no proof and raises no alarm")
    func halfSwept() async throws {
        let till = try await TestTill.open()
        let transaction = try await till.confirmed()
        _ = try await till.reject(transaction).get()
        let id = try #require(UniqueID(uuid: transaction.transactionID.rawValue))
        let now = till.server.clock.now()
        try await till.server.context.database.write { connection in
            try connection.execute("UPDATE transactions SET kept_until = $2 WHERE id = $1", [.id(id), .time(now)])
            try connection.execute("DELETE FROM transaction_steps WHERE transaction_id = $1", [.id(id)])
        }
        await #expect(throws: TransactionRefusal.notFound) { try await till.proof(transaction.transactionID) }
    }
}
