import Testing
import WalletAuthWire

@testable import WalletAuthVerifier

@Suite("A backend's list of transactions")
struct TransactionListTests {
    private let server: TransactionsServer
    private let transactions: WalletTransactions

    init() throws {
        server = try TransactionsServer()
        transactions = try server.client()
    }

    private func serve(_ query: String, _ ids: [String], cursor: String? = nil) throws {
        let server = server
        let page = TransactionPage(
            transactions: try ids.map { try server.report(.signed, of: $0) },
            cursor: try cursor.map { try TransactionID($0) })
        server.server.on("GET", Endpoints.transactions.path + query) { _ in server.answer(page.json) }
    }

    @Test("A filter goes into the query, several states in one parameter")
    func filter() async throws {
        try serve(
            "?accountId=\(TestIssuer.account)&state=CLAIMED%2CSIGNED&since=1800000000&cursor=\(TransactionsServer.id)",
            [TransactionsServer.otherID])
        let page = try await transactions.list(
            TransactionFilter(
                account: AccountID(TestIssuer.account), states: [.signed, .claimed], since: ManualBackendClock.start),
            after: TransactionID(TransactionsServer.id))
        #expect(page.transactions.map(\.transactionID.rawValue) == [TransactionsServer.otherID])
        #expect(page.cursor == nil)
    }

    @Test("The sequence fetches page after page, also behind an empty one, and no page that is not asked for")
    func sequence() async throws {
        try serve("", ["a", "b"], cursor: "b")
        try serve("?cursor=b", [], cursor: "c")
        try serve("?cursor=c", ["d"])
        var found: [String] = []
        for try await report in transactions.all() { found.append(report.transactionID.rawValue) }
        #expect(found == ["a", "b", "d"])
        for try await report in transactions.all() where report.transactionID.rawValue == "a" { break }
        #expect(server.server.requests(to: Endpoints.transactions.path + "?cursor=b").count == 1)
    }

    @Test("A page that leads to itself ends the sequence with an error")
    func loop() async throws {
        try serve("", ["a"], cursor: "a")
        try serve("?cursor=a", [], cursor: "a")
        let error = try await transactionError { for try await _ in transactions.all() {} }
        #expect(error?.cause == .malformedAnswer)
    }

    @Test("A page of a hundred long transactions is read")
    func longPage() async throws {
        let server = server
        var report = try server.report(.signed)
        report.payload = Array(repeating: 65, count: 8_192)
        report.data = Array(repeating: 66, count: 4_096)
        let page = TransactionPage(transactions: Array(repeating: report, count: 100), cursor: nil)
        server.server.on("GET", Endpoints.transactions.path) { request in
            OutboundResponse(status: page.json.bytes.count <= request.maximumAnswer ? 200 : 500, body: page.json.bytes)
        }
        #expect(try await transactions.list().transactions.count == 100)
    }
}
