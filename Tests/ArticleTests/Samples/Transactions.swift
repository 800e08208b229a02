import WalletAuthVerifier

/// A shop around the samples about transactions.
struct ExampleShop {
    struct Order {
        let number: String
        let idempotencyKey: IdempotencyKey
        let transactionID: TransactionID
        func close(as status: TransactionStatus) {}
        func deliver(keeping proof: TransactionEvidence) throws {}
    }

    func log(_ line: String) {}
    func show(_ drawing: [UInt8], _ link: String) {}

    func transactions(
        issuer: TrustedIssuer, clientID: ClientID, clientSecret: ClientSecret
    ) async throws -> WalletTransactions {
        let transactions = WalletTransactions(issuer: issuer, credential: .secret(clientID, clientSecret))
        try await transactions.prepare()
        return transactions
    }

    func sell(_ order: Order, through transactions: WalletTransactions, auditKeys: JWKSet) async throws {
        let request = try TransactionRequest(
            account: nil, type: WalletOperationType("PURCHASE"),
            amount: Money(minorUnits: 1250, currency: Currency("EUR")),
            payee: Payee(name: "Café Zürich", account: "DE02120300000000202051"),
            lines: [TransactionLine(label: "Order", value: "Two coffees")], reference: order.number)
        let created = try await transactions.create(request, idempotencyKey: order.idempotencyKey)
        try await show(created, through: transactions)

        let report = try await transactions.outcome(of: created.transactionID)
        guard report.status == .signed else { return order.close(as: report.status) }
        let evidence = try await transactions.signedEvidence(
            of: created.transactionID, for: request, verifiedBy: auditKeys)
        try order.deliver(keeping: evidence.document)
    }

    func show(_ created: TransactionCreated, through transactions: WalletTransactions) async throws {
        let drawing = try await transactions.qrCode(of: created.transactionID, format: .svg)
        let button = created.link.reveal()
        show(drawing, button)
    }

    func verifyLater(
        _ archivedProof: TransactionEvidence, of order: Order, for request: TransactionRequest,
        through transactions: WalletTransactions, auditKeys: JWKSet
    ) throws -> TransactionEvidenceClaims {
        let claims = try archivedProof.verified(by: auditKeys)
        try claims.requireSigned(
            request, transactionID: order.transactionID, clientID: transactions.clientID,
            issuer: transactions.issuer.issuer)
        return claims
    }

    func close(
        _ created: TransactionCreated, since yesterday: NumericDate, through transactions: WalletTransactions
    ) async throws {
        for try await report in transactions.all(TransactionFilter(states: [.signed], since: yesterday)) {
            log("\(report.reference ?? "") was signed")
        }
        try await transactions.cancel(created.transactionID)
    }
}
