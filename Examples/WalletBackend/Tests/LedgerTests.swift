import Foundation
import GRDB
import Testing
import WalletAuthWire

@testable import WalletBackend

@Suite("The ledger", .threat("overdrawing or rewriting the ledger")) struct LedgerTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let owner: AccountID
    private let session: SessionID

    init() throws {
        owner = try AccountID("0b5ad25f-3dd1-4c4c-9b65-9f6a4f9d3c11")
        session = try SessionID("5f0c7b52-9d60-4ed4-8f6e-4c2f8e6d7a22")
    }

    private func request(_ cents: Int64, to: String = "Bakery") throws -> TransferRequest {
        TransferRequest(
            to: to, amount: try Money(minorUnits: cents, currency: Currency("EUR")), reference: "", scaDetails: nil)
    }

    private func begin(_ ledger: Ledger, _ cents: Int64, key: String, at moment: Date? = nil) async throws
        -> Ledger.Beginning
    {
        try await ledger.begin(
            request(cents), key: IdempotencyKey("a-transfer-named-\(key.replacing(" ", with: "-"))"), by: owner,
            in: session,
            at: moment ?? now)
    }

    private func open(_ ledger: Ledger, _ cents: Int64, key: String) async throws -> Transfer {
        guard case .open(let transfer) = try await begin(ledger, cents, key: key) else {
            throw LedgerFault(reason: "the transfer \(key) is not open")
        }
        return transfer
    }

    private func complete(_ ledger: Ledger, _ transfer: Transfer) async throws -> StoredAnswer {
        let claims = AuthenticationCodeClaims(
            issuer: try Issuer("https://auth.example"), clientID: try ClientID("backend"), account: owner,
            id: "code", issuedAt: NumericDate(clamping: 1_800_000_000), operationID: transfer.operation,
            operation: try transfer.walletOperation, basis: .exempt(.lowValue))
        return try await ledger.complete(transfer, code: try AuthenticationCode("a.b.c"), claims, at: now)
    }

    private func withWallet(_ body: (Ledger) async throws -> Void) async throws {
        try await TemporaryLedger.with { ledger in
            _ = try await ledger.wallet(of: owner, at: now)
            let added = try await ledger.add(
                Payee(name: "Bakery", account: "DE02120300000000202051"), for: owner, at: now)
            #expect(added == .added)
            try await body(ledger)
        }
    }

    private func balance(_ ledger: Ledger) async throws -> Int64 {
        try await ledger.wallet(of: owner, at: now).balance.minorUnits
    }

    @Test("A wallet is opened once, however many ask at the same time, and begins with the opening balance")
    func opening() async throws {
        try await TemporaryLedger.with { ledger in
            let numbers = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 { group.addTask { try await ledger.wallet(of: owner, at: now).number } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(numbers.count == 1)
            #expect(try await balance(ledger) == 1_000_00)
        }
    }

    @Test("No statement overdraws a wallet, changes an entry or removes one")
    func constraints() async throws {
        try await withWallet { ledger in
            let number = try await ledger.wallet(of: owner, at: now).number
            for statement in [
                "INSERT INTO entry (id, debit, credit, amount, madeAt) VALUES ('x', '\(number)', 'OUTGOING', 100001, 0)",
                "INSERT INTO entry (id, debit, credit, amount, madeAt) VALUES ('x', '\(number)', '\(number)', 1, 0)",
                "INSERT INTO entry (id, debit, credit, amount, madeAt) VALUES ('x', '\(number)', 'OUTGOING', -1, 0)",
                "UPDATE entry SET amount = 1", "DELETE FROM entry",
            ] {
                await #expect(throws: DatabaseError.self, "\(statement)") {
                    try await ledger.pool.write { try $0.execute(sql: statement) }
                }
            }
            #expect(try await balance(ledger) == 1_000_00)
        }
    }

    @Test("Completed a hundred times at once, a transfer pays once, and every response is the first one")
    func once() async throws {
        try await withWallet { ledger in
            let transfer = try await open(ledger, 10_00, key: "1")
            let answers = try await withThrowingTaskGroup(of: StoredAnswer.self) { group in
                for _ in 0..<100 { group.addTask { try await complete(ledger, transfer) } }
                return try await group.reduce(into: Set<StoredAnswer>()) { $0.insert($1) }
            }
            #expect(answers.count == 1)
            #expect(answers.first?.status == 201)
            #expect(try await balance(ledger) == 990_00)
            let proof = try await ledger.proof(ofTransfer: transfer.id)
            #expect(proof?.rawValue == "a.b.c")
        }
    }

    @Test("A transfer whose row was swept and begun again under its key moves no money by the old consent")
    func sweptMeanwhile() async throws {
        try await withWallet { ledger in
            let old = try await open(ledger, 10_00, key: "1")
            let later = now.addingTimeInterval(2 * 86_400)
            _ = try await begin(ledger, 1_00, key: "2", at: later)
            let outcome = try await begin(ledger, 10_00, key: "1", at: later)
            guard case .open(let anew) = outcome else {
                Issue.record("not begun again: \(String(describing: outcome))")
                return
            }
            #expect(anew.id != old.id)
            await #expect(throws: LedgerFault.self) { _ = try await complete(ledger, old) }
            #expect(try await balance(ledger) == 1_000_00)
            _ = try await complete(ledger, anew)
            #expect(try await balance(ledger) == 990_00)
        }
    }

    @Test("Of transfers that together are more than there is, those are paid that there is money for")
    func covered() async throws {
        try await withWallet { ledger in
            var transfers: [Transfer] = []
            for number in 0..<5 { transfers.append(try await open(ledger, 400_00, key: "\(number)")) }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for transfer in transfers { group.addTask { try await complete(ledger, transfer).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.sorted() == [201, 201, 409, 409, 409])
            #expect(try await balance(ledger) == 200_00)
        }
    }

    @Test("A payment to another wallet of the ledger arrives there")
    func internalPayment() async throws {
        try await withWallet { ledger in
            let bob = try AccountID("7b1f9d52-1111-4ed4-8f6e-4c2f8e6d7a22")
            let his = try await ledger.wallet(of: bob, at: now)
            let added = try await ledger.add(Payee(name: "Bob", account: his.number), for: owner, at: now)
            #expect(added == .added)
            let found = try await ledger.begin(
                request(25_00, to: "bob"), key: IdempotencyKey("a-transfer-named-bob"), by: owner, in: session,
                at: now
            )
            guard case .open(let transfer) = found else {
                Issue.record("not open: \(String(describing: found))")
                return
            }
            _ = try await complete(ledger, transfer)
            #expect(try await balance(ledger) == 975_00)
            #expect(try await ledger.wallet(of: bob, at: now).balance.minorUnits == 1_025_00)
        }
    }

    @Test("A key goes on with its transfer, and is refused for another amount and in another session")
    func keys() async throws {
        try await withWallet { ledger in
            let first = try await open(ledger, 10_00, key: "1")
            let again = try await open(ledger, 10_00, key: "1")
            #expect(first == again)
            let outcome = try await begin(ledger, 11_00, key: "1")
            guard case .keyReused = outcome else {
                Issue.record("another amount was taken for the same transfer: \(String(describing: outcome))")
                return
            }
            let other = try SessionID("7b1f9d52-1111-4ed4-8f6e-4c2f8e6d7a22")
            let found = try await ledger.begin(
                request(10_00), key: IdempotencyKey("a-transfer-named-1"), by: owner, in: other, at: now)
            guard case .otherSession = found else {
                Issue.record("another session went on with it: \(String(describing: found))")
                return
            }
        }
    }

    @Test("Transfers without a consent are few at a time: the next can begin when the first can no longer be approved")
    func limits() async throws {
        try await withWallet { ledger in
            for number in 0..<Ledger.openLimit { _ = try await open(ledger, 1_00, key: "\(number)") }
            let answer = try await begin(ledger, 1_00, key: "one more")
            guard case .tooMany(let end) = answer else {
                Issue.record("there is no limit: \(String(describing: answer))")
                return
            }
            #expect(end == now.addingTimeInterval(Ledger.waitingLife))
            let outcome = try await begin(ledger, 1_00, key: "later", at: end)
            guard case .open = outcome else {
                Issue.record("the old ones are still there: \(String(describing: outcome))")
                return
            }
        }
    }
}
