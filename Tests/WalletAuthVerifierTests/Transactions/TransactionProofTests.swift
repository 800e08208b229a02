import Crypto
import Testing
import WalletAuthWire

@testable import WalletAuthVerifier

@Suite("The proof of a transaction, for its backend")
struct TransactionProofTests {
    private let server: TransactionsServer
    private let transactions: WalletTransactions

    init() throws {
        server = try TransactionsServer()
        transactions = try server.client()
    }

    private func proof(
        of request: TransactionRequest, by keys: JWKSet? = nil, formerIssuers: Set<Issuer> = []
    ) async throws -> VerifiedTransactionEvidence {
        try await transactions.signedEvidence(
            of: TransactionID(TransactionsServer.id), for: request, verifiedBy: keys ?? server.keys,
            formerIssuers: formerIssuers)
    }

    /// Why a document proves nothing of the request.
    private func cause(
        of document: TransactionEvidence, by keys: JWKSet? = nil, request: TransactionRequest? = nil
    ) async throws -> TransactionCallError.Cause? {
        server.serve(document.rawValue)
        return try await transactionError { _ = try await proof(of: request ?? server.request(), by: keys) }?.cause
    }

    @Test("It comes to the byte, and proves that the request was signed, and by whom")
    func proves() async throws {
        let request = try server.request(account: TestIssuer.account, factor: .pin)
        let document = try await server.evidence(of: request)
        server.serve(document.rawValue)
        let evidence = try await proof(of: request)
        #expect(evidence.document == document)
        #expect(evidence.claims.account?.rawValue == TestIssuer.account)
        #expect(try evidence.document.verified(by: server.keys) == evidence.claims)
    }

    @Test("Before the signature the proof says how far the transaction is")
    func open() async throws {
        let request = try server.request()
        for status in [TransactionStatus.created, .claimed, .confirmed] {
            server.serve(try await server.evidence(of: request, status).rawValue)
            let id = try TransactionID(TransactionsServer.id)
            #expect(try await transactions.evidence(of: id, verifiedBy: server.keys).claims.status == status)
        }
    }

    @Test("attack: the proof of another transaction, client or server is worth nothing")
    func another() async throws {
        let request = try server.request()
        let transaction = try await cause(of: server.evidence(of: request, id: TransactionsServer.otherID))
        #expect(transaction == .worthlessEvidence("it is for another transaction"))
        let client = try await cause(of: server.evidence(of: request, client: "other-shop"))
        #expect(client == .worthlessEvidence("it is for another client's transaction"))
        let outcome = try await cause(
            of: server.evidence(of: request, issuer: "https://old.example"))
        guard case .worthlessEvidence(let reason) = outcome else {
            Issue.record("it was taken: \(String(describing: outcome))")
            return
        }
        #expect(reason.contains("another server"))
        #expect(try await proof(of: request, formerIssuers: [Issuer("https://old.example")]).claims.status == .signed)
    }

    @Test("attack: a proof with one byte changed, by another key or with a part cut off is worth nothing")
    func forged() async throws {
        let document = try await server.evidence(of: server.request())
        let bytes = Array(document.rawValue.utf8)
        for place in stride(from: 0, to: bytes.count, by: 97) + [bytes.count - 40] where bytes[place] != 0x2E {
            var changed = bytes
            changed[place] = changed[place] == 0x41 ? 0x42 : 0x41
            let cause = try await cause(of: TransactionEvidence(String(decoding: changed, as: UTF8.self)))
            guard case .worthlessEvidence = cause else {
                Issue.record("byte \(place) was changed: \(String(describing: cause))")
                continue
            }
        }
        let stranger = P256Signer(P256.Signing.PrivateKey(), keyID: "audit-1")
        let documents = [
            try await server.evidence(of: server.request(), by: stranger),
            try TransactionEvidence(String(document.rawValue.prefix { $0 != "." })),
        ]
        for forged in documents {
            let found = try await cause(of: forged)
            guard case .worthlessEvidence = found else {
                Issue.record("it was taken: \(String(describing: found))")
                continue
            }
        }
        let outcome = try await cause(of: document, by: JWKSet([]))
        guard case .worthlessEvidence = outcome else {
            Issue.record("it was taken without a key: \(String(describing: outcome))")
            return
        }
    }

    @Test("attack: a report of a signature that the proof contradicts delivers nothing")
    func contradicted() async throws {
        let server = server
        let request = try server.request()
        let report = try server.report(.signed)
        server.server.on("GET", TransactionsServer.path) { _ in server.answer(report.json) }
        #expect(try await transactions.outcome(of: report.transactionID).status == .signed)
        for status in [TransactionStatus.created, .claimed, .confirmed] {
            #expect(try await cause(of: server.evidence(of: request, status)) == .notSigned(status))
        }
        // The server's own key over a claim that the history does not bear out.
        let claimed = try await server.evidence(of: request, .confirmed) { $0.status = .signed }
        let result = try await cause(of: claimed)
        guard case .worthlessEvidence = result else {
            Issue.record("a state that does not follow from the steps was taken: \(String(describing: result))")
            return
        }
    }

    @Test("attack: a signature over another amount, payee, line, reference, account or factor delivers nothing")
    func otherContent() async throws {
        let signed = try await server.evidence(of: server.request())
        let requests: [(String, TransactionRequest)] = [
            ("amount", try server.request(1249)), ("payee", try server.request(to: "Cafe Zurich")),
            ("lines", try server.request(order: "No. 43")), ("data", try server.request(data: "other terms")),
            ("reference", try server.request(reference: "order-43")),
            ("account", try server.request(account: "0b5ad25f-3dd1-4c4c-9b65-9f6a4f9d3c12")),
            ("second factor", try server.request(factor: .biometric)),
        ]
        for (member, request) in requests {
            #expect(try await cause(of: signed, request: request) == .otherContent(member))
        }
        #expect(try await cause(of: signed) == nil)
    }

    /// Compares a kept proof with the record of the shop's transaction.
    private func check(
        _ document: TransactionEvidence, as id: String = TransactionsServer.id, of request: TransactionRequest,
        client: String = "shop", issuer: String = "https://auth.example", formerIssuers: Set<Issuer> = []
    ) throws -> TransactionCallError.Cause? {
        let claims = try document.verified(by: server.keys)
        do {
            try claims.requireSigned(
                request, transactionID: TransactionID(id), clientID: ClientID(client), issuer: Issuer(issuer),
                formerIssuers: formerIssuers)
            return nil
        } catch let error as TransactionCallError { return error.cause }
    }

    @Test("A kept proof holds for its own transaction, client and server, which may have a new issuer since")
    func kept() async throws {
        let request = try server.request(reference: nil)
        #expect(try check(await server.evidence(of: request), of: request) == nil)
        let older = try await server.evidence(of: request, issuer: "https://old.example")
        #expect(try check(older, of: request, formerIssuers: [Issuer("https://old.example")]) == nil)
        #expect(try check(await server.evidence(of: request, .confirmed), of: request) == .notSigned(.confirmed))
        #expect(try check(await server.evidence(of: request), of: server.request(1249)) == .otherContent("amount"))
    }

    @Test("attack: of two purchases that are alike, the proof of one pays for neither the other nor another shop's")
    func alike() async throws {
        let request = try server.request(reference: nil)
        let document = try await server.evidence(of: request)
        #expect(
            try check(document, as: TransactionsServer.otherID, of: request)
                == .worthlessEvidence("it is for another transaction"))
        #expect(
            try check(document, of: request, client: "other-shop")
                == .worthlessEvidence("it is for another client's transaction"))
        let found = try check(document, of: request, issuer: "https://new.example")
        guard case .worthlessEvidence(let reason) = found else {
            Issue.record("another server's proof was taken: \(String(describing: found))")
            return
        }
        #expect(reason.contains("another server"))
    }
}
