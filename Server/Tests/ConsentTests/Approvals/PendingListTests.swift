import Core
import FlowSupport
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Transactions

@Suite("What waits on a device", .covers("GET /v1/approvals"))
struct PendingListTests {
    private func pending(
        _ till: TestTill, on phone: TestPIN? = nil, after cursor: TransactionID? = nil
    ) async throws -> ApprovalPage {
        let phone = if let phone { phone } else { try await till.phone.signedInAgain() }
        return try await till.flows.approvals.page(
            after: cursor.map { try TransactionCursor($0.rawValue) },
            call: phone.device.call(.get, Endpoints.approvals.path)
        ).get()
    }

    @Test("A transaction for the account comes with the link to claim it, and after the claim as the device sees it")
    func transactions() async throws {
        let till = try await TestTill.open()
        let created = try await till.created()
        let waiting = try #require(try await pending(till).approvals.first)
        #expect(waiting.kind == .transaction && waiting.id == created.transactionID)
        #expect(waiting.link == created.link.reveal())
        #expect(waiting.transaction == nil)
        _ = try await till.claim(created.link).get()
        let claimed = try #require(try await pending(till).approvals.first)
        #expect(claimed.link == nil)
        #expect(claimed.transaction?.status == .claimed)
        _ = try await till.cancel(created.transactionID).get()
        #expect(try await pending(till).approvals.isEmpty)
    }

    @Test(
        "attack: a code on a wall, addressed to no account, is in no one's list before it is claimed",
        .threat("Attacks on transactions"))
    func unaddressed() async throws {
        let till = try await TestTill.open(withoutAccount: true)
        _ = try await till.ask(till.purchase(for: nil)).get()
        #expect(try await pending(till).approvals.isEmpty)
    }

    @Test("More than a page: a hundred, oldest first, and the cursor leads to the rest")
    func pages() async throws {
        let till = try await TestTill.open()
        let phone = try await till.phone.signedInAgain()
        // One backend may have twenty open.
        for shop in 0..<6 {
            let client = try await till.server.confidentialClient("shop-\(shop)") {
                $0.scopes = [BackendTransactions.scope]
            }
            for _ in 0..<18 {
                _ = try await till.ask(till.purchase(for: till.account, expiresIn: 900), as: client).get()
            }
        }
        let page = try await pending(till, on: phone)
        #expect(page.approvals.count == 100)
        let rest = try await pending(till, on: phone, after: page.cursor)
        #expect(rest.approvals.count == 8 && rest.cursor == nil)
        let ids = (page.approvals + rest.approvals).map(\.id.rawValue)
        #expect(ids == ids.sorted() && Set(ids).count == 108)
    }
}
