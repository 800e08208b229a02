import Foundation
import GRDB
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing
import WalletAuthVerifier
import WalletAuthWire

@testable import WalletBackend

@Suite("Purchases whose time is over") struct PurchaseSettlingTests {
    @Test("A purchase whose page was closed is settled once its time is over, and a restart keeps it")
    func settles() async throws {
        try await ShopFront.with { shop in
            let (path, signed) = try await shop.begun()
            let (other, expired) = try await shop.begun()
            shop.server.change(signed) { $0.status = .signed }
            shop.server.change(expired) { $0.status = .expired }
            try await shop.elapse()
            let (open, young) = try await shop.begun()
            // Another process on the same ledger.
            try await ShopFront.checkout(shop.server, shop.ledger).settleAll()
            #expect(!shop.server.requests.contains { $0.url.contains(young.rawValue) }, "it is not asked about yet")
            shop.server.go(down: true)
            #expect(try await shop.state(path) == "SIGNED")
            #expect(try await shop.state(other) == "EXPIRED")
            #expect(try await shop.get(open).status == .serviceUnavailable)
            shop.server.go(down: false)
            #expect(try await shop.state(open) == "WAITING")
        }
    }

    @Test("A purchase that cannot be settled keeps no other from being settled")
    func settlesTheOthers() async throws {
        try await ShopFront.with { shop in
            let (_, broken) = try await shop.begun()
            shop.server.breakDown(for: broken)
            for _ in 0..<5 {
                let (_, id) = try await shop.begun()
                shop.server.change(id) { $0.status = .signed }
            }
            try await shop.elapse()
            try await shop.checkout.settleAll()
            let left = try await shop.ledger.openPurchases().map(\.state)
            #expect(left.count == 1)
            guard case .open(broken, _)? = left.first else {
                Issue.record("the broken one was settled: \(String(describing: left.first))")
                return
            }
        }
    }

    @Test("A purchase whose transaction is gone is cancelled once its time is over", arguments: [true, false])
    func isGone(isLookedAt: Bool) async throws {
        try await ShopFront.with { shop in
            let (path, id) = try await shop.begun()
            shop.server.remove(id)
            #expect(try await shop.get(path).status == .serviceUnavailable, "there is time to sign yet")
            try await shop.checkout.settleAll()
            #expect(try await shop.ledger.openPurchases().count == 1)

            try await shop.elapse()
            if isLookedAt {
                #expect(try await shop.page(path).contains("<h1>Cancelled</h1>"))
            } else {
                try await shop.checkout.settleAll()
            }
            #expect(try await shop.ledger.openPurchases().isEmpty)
            #expect(try await shop.state(path) == "CANCELLED")
        }
    }

    @Test("A round of settling asks about a few purchases, and the next rounds about the rest")
    func settlesInRounds() async throws {
        try await ShopFront.with { shop in
            for number in 0..<(Checkout.settlingLimit + 5) { try await shop.sell(from: "192.0.2.\(number)") }
            for transaction in shop.server.transactions {
                shop.server.change(transaction.created.transactionID) { $0.status = .expired }
            }
            try await shop.elapse()
            try await shop.checkout.settleAll()
            #expect(try await shop.ledger.openPurchases().count == 5)
            try await shop.checkout.settleAll()
            #expect(try await shop.ledger.openPurchases().isEmpty)
        }
    }

    @Test("A purchase that ended unpaid is deleted after a day, and a paid one never")
    func sweeps() async throws {
        try await ShopFront.with { shop in
            let (unpaid, rejected) = try await shop.begun()
            let (paid, signed) = try await shop.begun()
            shop.server.change(rejected) { $0.status = .rejected }
            shop.server.change(signed) { $0.status = .signed }
            #expect(try await shop.state(unpaid) == "REJECTED")
            #expect(try await shop.state(paid) == "SIGNED")
            _ = try await shop.begun()
            #expect(try await shop.state(unpaid) == "REJECTED", "it is kept for a day")

            let tomorrow = Date().addingTimeInterval(Ledger.unpaidLife + 60)
            let next = try Purchase(
                of: shop.checkout.goods[0], by: nil,
                payee: Payee(name: "Café Zürich", account: "DE02120300000000202051"), at: tomorrow)
            let refusal = try await shop.ledger.begin(next, from: VisitorNetwork(nil), at: tomorrow)
            #expect(refusal == nil)
            #expect(try await shop.get(unpaid).status == .notFound)
            #expect(try await shop.state(paid) == "SIGNED")
            await #expect(throws: DatabaseError.self) {
                try await shop.ledger.pool.write { try $0.execute(sql: "DELETE FROM purchase") }
            }
        }
    }
}
