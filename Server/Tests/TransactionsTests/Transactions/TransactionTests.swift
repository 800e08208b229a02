import Consent
import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Transactions

@Suite("A transaction from the till to the phone and back")
struct TransactionTests {
    @Test("Created, claimed, confirmed and signed by PIN: the backend gets a proof that holds with public keys alone")
    func byPIN() async throws {
        let till = try await TestTill.open()
        let created = try await till.created()
        #expect(created.status == .created)
        #expect(created.link.leads(to: till.server.context.settings.issuer))
        #expect(created.expiresAt.secondsSince1970 == till.server.clock.now().seconds + 300)

        let claimed = try await till.claim(created.link).get()
        #expect(claimed.status == .claimed)
        #expect(claimed.allowedSecondFactors == [.pin, .biometric])
        #expect(claimed.challenge == nil)
        let payload = try TransactionPayload(parsing: claimed.payload)
        #expect(payload.transactionID == created.transactionID)
        #expect(payload.content.amount?.minorUnits == 12_50)
        #expect(payload.content.payee?.name == "Café Zürich")
        #expect(payload.content.dataHash == TransactionDataHash(of: [1, 2, 3]))
        #expect(payload.account == till.account)

        let confirmed = try await till.confirm(claimed).get()
        #expect(confirmed.status == .confirmed)
        let signed = try await till.sign(confirmed, till.byPIN(confirmed)).get()
        #expect(signed.status == .signed)

        let report = try await till.report(created.transactionID)
        #expect(report.status == .signed)
        #expect(report.account == till.account)
        #expect(report.deviceID == till.phone.id)
        #expect(report.secondFactor == .pin)
        #expect(report.reference == "order-42")
        #expect(report.data == [1, 2, 3])
        #expect(report.payload == claimed.payload)
        let proof = try await till.proof(created.transactionID)
        #expect(proof.status == .signed)
        #expect(proof.payload == claimed.payload)
        #expect(proof.steps.map(\.status) == [.created, .claimed, .confirmed, .signed])
        #expect(proof.signature?.device.signature == report.signature)
    }

    @Test("Signed behind the phone's check of presence, by the challenge that came with the confirmation")
    func byBiometrics() async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed(by: .biometric)
        #expect(confirmed.allowedSecondFactors == [.biometric])
        let signed = try await till.sign(confirmed, till.byBiometrics(confirmed)).get()
        #expect(signed.status == .signed)
        #expect(try await till.proof(confirmed.transactionID).signature?.secondFactor == .biometric)
    }

    @Test("The signature by the PIN's key is never given out")
    func withheld() async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed()
        let assertion = try await till.byPIN(confirmed)
        _ = try await till.sign(confirmed, assertion).get()
        let signatures = try GeneralJWS(Array(assertion.reveal().utf8)).signatures
        #expect(signatures.count == 2)
        let report = String(decoding: try await till.report(confirmed.transactionID).json.bytes, as: UTF8.self)
        let proof = String(decoding: try await till.proof(confirmed.transactionID).json.bytes, as: UTF8.self)
        #expect(report.contains(Base64URL.encode(signatures[0].signature)))
        #expect(proof.contains(Base64URL.encode(signatures[0].signature)))
        #expect(!report.contains(Base64URL.encode(signatures[1].signature)))
        #expect(!proof.contains(Base64URL.encode(signatures[1].signature)))
    }

    @Test("Each step repeated by the same phone gets the same answer and changes nothing", arguments: [false, true])
    func repetitions(byPIN: Bool) async throws {
        let till = try await TestTill.open()
        let created = try await till.created()
        let claimed = try await till.claim(created.link).get()
        #expect(try await till.claim(created.link).get() == claimed)
        let confirmed = try await till.confirm(claimed).get()
        #expect(try await till.confirm(claimed).get().status == .confirmed)
        let assertion = byPIN ? try await till.byPIN(confirmed) : try await till.byBiometrics(confirmed)
        let signed = try await till.sign(confirmed, assertion).get()
        #expect(try await till.sign(confirmed, assertion).get() == signed)
        #expect(try await till.proof(created.transactionID).steps.count == 4)
        #expect(try await till.phone.record()?.state == .active(.first, failed: 0))
    }

    @Test(
        "Rejected without a second factor, with the reason for the backend, also after the confirmation",
        arguments: RejectionReason.allCases)
    func rejected(reason: RejectionReason) async throws {
        let till = try await TestTill.open()
        let claimed = try await till.claim(till.created().link).get()
        let confirmed = try await till.confirmed()
        for transaction in [claimed, confirmed] {
            let rejected = try await till.reject(transaction, because: reason).get()
            #expect(rejected.status == .rejected)
            #expect(rejected.reason == reason)
            #expect(try await till.reject(transaction, because: reason).get() == rejected)
            let report = try await till.report(transaction.transactionID)
            #expect(report.status == .rejected)
            #expect(report.reason == reason)
            #expect(report.endedAt != nil)
            #expect(try await till.proof(transaction.transactionID).reason == reason)
        }
    }

    @Test("A wrong PIN tells how many tries are left; the fifth locks the PIN, and the transaction has failed")
    func wrongPIN() async throws {
        let till = try await TestTill.open()
        let confirmed = try await till.confirmed()
        for remaining in [4, 3, 2, 1] {
            let outcome = try await till.sign(confirmed, till.byPIN(confirmed, "314159"))
            #expect(outcome.refusal == .assertion(.wrongPIN(remaining: remaining)))
            #expect(try await till.report(confirmed.transactionID).status == .confirmed)
        }
        #expect(
            try await till.sign(confirmed, till.byPIN(confirmed, "314159")).refusal
                == .assertion(.locked(.tooManyTries)))
        #expect(try await till.report(confirmed.transactionID).status == .failed)
        #expect(try await till.proof(confirmed.transactionID).status == .failed)
    }

    @Test("A PIN that is locked already fails the transaction at the evaluation, and charges nothing")
    func lockedBefore() async throws {
        let till = try await TestTill.open()
        let first = try await till.confirmed()
        let second = try await till.confirmed()
        for _ in 0..<5 { _ = try await till.sign(first, till.byPIN(first, "314159")) }
        let exchange = try till.phone.exchange(TestTill.pin)
        let outcome = try await till.phone.evaluate(till.phone.use(exchange, act: till.act(second)))
        #expect(outcome.refusal == .locked(.tooManyTries))
        #expect(try await till.report(second.transactionID).status == .failed)
    }

    @Test(
        "A new transaction asks for the second factor again, however recently another was signed",
        .covers("rules for every signature"))
    func nothingCached() async throws {
        let till = try await TestTill.open()
        let first = try await till.confirmed()
        let assertion = try await till.byPIN(first)
        _ = try await till.sign(first, assertion).get()
        let second = try await till.confirmed()
        #expect(try await till.sign(second, assertion).refusal == .assertion(.invalidCredentials))
        #expect(try await till.report(second.transactionID).status == .confirmed)
    }

    @Test("Cancelled by its backend in each open state, once and for all")
    func cancelled() async throws {
        let till = try await TestTill.open()
        let created = try await till.created()
        let claimed = try await till.claim(till.created().link).get()
        let confirmed = try await till.confirmed()
        for id in [created.transactionID, claimed.transactionID, confirmed.transactionID] {
            try await till.cancel(id).get()
            try await till.cancel(id).get()
            #expect(try await till.report(id).status == .cancelled)
            #expect(try await till.proof(id).status == .cancelled)
        }
        #expect(try await till.claim(created.link).refusal == .refused(.over(.cancelled)))
        #expect(try await till.confirm(claimed).refusal == .refused(.over(.cancelled)))
    }

    @Test("After its time every step is refused because the transaction expired")
    func expired() async throws {
        let till = try await TestTill.open()
        let created = try await till.created(expiresIn: 30)
        let claimed = try await till.claim(till.created(expiresIn: 30).link).get()
        let confirmed = try await till.confirmed(expiresIn: 30)
        let assertion = try await till.byPIN(confirmed)
        till.server.clock.advance(by: .seconds(30))
        #expect(try await till.claim(created.link).refusal == .refused(.over(.expired)))
        #expect(try await till.confirm(claimed).refusal == .refused(.over(.expired)))
        #expect(try await till.reject(claimed).refusal == .refused(.over(.expired)))
        #expect(try await till.sign(confirmed, assertion).refusal == .refused(.over(.expired)))
        #expect(try await till.cancel(created.transactionID).refusal == .over(.expired))
        for id in [created.transactionID, claimed.transactionID, confirmed.transactionID] {
            #expect(try await till.report(id).status == .expired)
            #expect(try await till.proof(id).status == .expired)
        }
        #expect(try await till.phone.record()?.state == .active(.first, failed: 0))
    }

    @Test("The same key with the same request gets the same transaction; with another request it is refused")
    func idempotency() async throws {
        let till = try await TestTill.open()
        let request = try till.purchase(for: till.account)
        let first = try await till.ask(request, key: "0123456789abcdef").get()
        #expect(try await till.ask(request, key: "0123456789abcdef").get() == first)
        let other = try till.purchase(12_51, for: till.account)
        #expect(try await till.ask(other, key: "0123456789abcdef").refusal == .idempotencyMismatch)
        #expect(try await till.ask(request).get().transactionID != first.transactionID)
    }

    @Test(
        "A code without an account is claimed by the first account that scans it, where the client may, and the backend learns who signed"
    )
    func withoutAccount() async throws {
        let strict = try await TestTill.open()
        let request = try strict.purchase(for: nil)
        #expect(try await strict.ask(request).refusal == .accountMissing)
        let till = try await TestTill.open(withoutAccount: true)
        let created = try await till.ask(till.purchase(for: nil)).get()
        #expect(try await till.report(created.transactionID).account == nil)
        let claimed = try await till.claim(created.link).get()
        #expect(try TransactionPayload(parsing: claimed.payload).account == till.account)
        let confirmed = try await till.confirm(claimed).get()
        _ = try await till.sign(confirmed, till.byPIN(confirmed)).get()
        let report = try await till.report(created.transactionID)
        #expect(report.account == till.account)
        #expect(report.deviceID == till.phone.id)
        #expect(report.payload == claimed.payload)
        let proof = try await till.proof(created.transactionID)
        #expect(proof.account == till.account)
        #expect(proof.steps.allSatisfy { $0.place != nil && $0.circumstances != nil })
        let list = try await till.flows.ofBackends.list(TransactionQuery(account: till.account), call: till.call())
        #expect(list.transactions == [report])
    }

    @Test("A signed payment resets the counts of small payments, and a signed contract does not")
    func counts() async throws {
        let till = try await TestTill.open()
        let account = try #require(UniqueID(bytes: till.account.bytes))
        func consents() async throws -> Int64 {
            try await till.server.context.database.read { try SCAHistory.find(account, on: $0).consents }
        }
        let before = try await consents()
        let contract = try TransactionRequest(
            account: till.account, type: WalletOperationType("CONTRACT"),
            lines: [TransactionLine(label: "Contract", value: "Rent")])
        let signedContract = try await till.confirm(till.claim(till.ask(contract).get().link).get()).get()
        _ = try await till.sign(signedContract, till.byPIN(signedContract)).get()
        #expect(try await consents() == before)
        let confirmed = try await till.confirmed()
        _ = try await till.sign(confirmed, till.byPIN(confirmed)).get()
        #expect(try await consents() == before + 1)
    }

    @Test("Lists show a backend its own transactions and those of its brand's apps, page by page")
    func lists() async throws {
        let till = try await TestTill.open()
        let other = try await till.server.confidentialClient("other") { $0.scopes = [BackendTransactions.scope] }
        var ids: [TransactionID] = []
        for _ in 0..<3 {
            till.server.clock.advance(by: .milliseconds(1))
            ids.append(try await till.created().transactionID)
        }
        till.server.clock.advance(by: .milliseconds(1))
        let draft = try await till.draft().get()
        _ = try await till.store(draft.draft, till.byPIN(draft.transaction, draft: draft.draft)).get()
        try await till.cancel(ids[1]).get()
        func list(
            _ query: TransactionQuery = TransactionQuery(), as client: TestClient? = nil
        ) async throws -> [TransactionID] {
            try await till.flows.ofBackends.list(query, call: till.call(as: client)).transactions
                .map(\.transactionID)
        }
        let own = draft.transaction.transactionID
        #expect(try await list() == ids + [own])
        #expect(try await list(as: other) == [own])
        #expect(try await list(TransactionQuery(statuses: [.cancelled])) == [ids[1]])
        #expect(try await list(TransactionQuery(statuses: [.created, .signed])) == [ids[0], ids[2], own])
        #expect(try await list(TransactionQuery(cursor: TransactionCursor(ids[1].rawValue))) == [ids[2], own])
        #expect(try await list(TransactionQuery(account: till.account)).count == 4)
    }

    @Test("The app that was killed finds the open transactions of its device again, and goes on with them")
    func goesOn() async throws {
        let till = try await TestTill.open()
        let claimed = try await till.claim(till.created().link).get()
        till.server.clock.advance(by: .milliseconds(1))
        let confirmed = try await till.confirmed()
        _ = try await till.created()
        let session = try await till.phone.device.app.redeem(till.phone.signIn(TestTill.pin).code()).tokens()
        let device = TestDevice(app: till.phone.device.app, tokens: session, deviceKey: till.phone.device.deviceKey)
        let open = try await till.flows.onDevices.open(
            after: nil, call: device.call(.get, Endpoints.transactions.path))
        #expect(open.transactions.map(\.transactionID) == [claimed.transactionID, confirmed.transactionID])
        #expect(open.transactions.map(\.payload) == [claimed.payload, confirmed.payload])
        let found = try #require(open.transactions.last)
        _ = try await till.sign(found, till.byPIN(found)).get()
        #expect(try await till.report(confirmed.transactionID).status == .signed)
    }
}

@Suite("A transaction that the app begins")
struct ClientTransactionTests {
    @Test(
        "Nothing is stored before the signature, then once, with the app's state and data",
        .covers("/v1/transactions/drafts, transactions an app begins"), arguments: [false, true])
    func stored(byPIN: Bool) async throws {
        let till = try await TestTill.open()
        let begun = try await till.draft().get()
        let (draft, transaction) = (begun.draft, begun.transaction)
        #expect(transaction.status == .confirmed)
        let payload = try ClientTransactionPayload(parsing: transaction.payload)
        #expect(payload.clientStateHash == TransactionDataHash(of: [7]))
        #expect(payload.clientAdditionalDataHash == TransactionDataHash(of: [8, 9]))
        let before = try await till.flows.ofBackends.list(TransactionQuery(), call: till.call())
        #expect(before.transactions.isEmpty)
        let assertion =
            byPIN ? try await till.byPIN(transaction, draft: draft) : try await till.byBiometrics(transaction)
        let unsigned = try await till.flows.ofBackends.list(TransactionQuery(), call: till.call())
        #expect(unsigned.transactions.isEmpty)
        let signed = try await till.store(draft, assertion).get()
        #expect(signed.status == .signed)
        #expect(try await till.store(draft, assertion).get() == signed)
        let report = try await till.report(transaction.transactionID)
        #expect(report.origin == .client)
        #expect(report.clientState == [7])
        #expect(report.clientAdditionalData == [8, 9])
        #expect(report.payload == transaction.payload)
        let proof = try await till.proof(transaction.transactionID)
        #expect(proof.origin == .client)
        #expect(proof.steps.map(\.status) == [.signed])
    }

    @Test("Of a draft that was being signed, the database holds neither state nor data nor draft")
    func leavesNothing() async throws {
        let till = try await TestTill.open()
        let begun = try await till.draft(state: Array("a-state-to-find".utf8), data: Array("data-to-find".utf8)).get()
        let exchange = try till.phone.exchange(TestTill.pin)
        let request = try till.phone.use(exchange, act: till.act(begun.transaction), draft: begun.draft)
        _ = try await till.phone.evaluate(request).get()
        let vault = PINChallengeVault(till.server.context.sealing)
        let kept = try await till.server.context.database.read { connection in
            try connection.query("SELECT id, request FROM pin_challenges", []).map { row in
                let sealed = try Base64URL.decode(row.text("request"))
                return String(decoding: try vault.bytes(sealed, .request, of: row.id("id")), as: UTF8.self)
            }
        }
        #expect(kept.contains { $0.contains(begun.transaction.transactionID.rawValue) })
        #expect(!kept.contains { $0.contains(begun.draft.reveal()) || $0.contains("draft") })
        let rows = try await till.server.context.database.read { try $0.query("SELECT id FROM transactions", []) }
        #expect(rows.isEmpty)
    }

    @Test(
        "Without state and data, or with empty ones, there is still a transaction to sign, and its payload says so",
        arguments: [nil, []] as [[UInt8]?])
    func empty(content: [UInt8]?) async throws {
        let till = try await TestTill.open()
        let begun = try await till.draft(state: content, data: content).get()
        let payload = try ClientTransactionPayload(parsing: begun.transaction.payload)
        #expect(payload.clientStateHash == nil)
        #expect(payload.clientAdditionalDataHash == nil)
        _ = try await till.store(begun.draft, till.byPIN(begun.transaction, draft: begun.draft)).get()
    }

    @Test("It never counts as a payment")
    func noPayment() async throws {
        let till = try await TestTill.open()
        let account = try #require(UniqueID(bytes: till.account.bytes))
        let begun = try await till.draft().get()
        _ = try await till.store(begun.draft, till.byPIN(begun.transaction, draft: begun.draft)).get()
        let counted = try await till.server.context.database.read { try SCAHistory.find(account, on: $0) }
        #expect(counted.consents == 0)
    }
}
