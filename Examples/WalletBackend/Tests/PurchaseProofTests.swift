import Foundation
import GRDB
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing
import WalletAuthVerifier
import WalletAuthWire

@testable import WalletBackend

@Suite("Proofs of purchases") struct PurchaseProofTests {
    @Test("The operator gets the proof of a signed purchase by its number, verified once more and without the server")
    func proof() async throws {
        try await ShopFront.with { shop in
            let (path, id) = try await shop.begun()
            let number = try #require(shop.server.transactions.first?.request.content.reference)
            #expect(try await shop.proof(number) == nil, "it is not signed")
            shop.server.change(id) { $0.status = .signed }
            #expect(try await shop.state(path) == "SIGNED")

            shop.server.go(down: true)
            let proof = try #require(try await shop.proof(number))
            let claims = try proof.verified(by: shop.server.auditKeys)
            #expect(claims.transactionID == id)
            #expect(claims.account == shop.server.account)
            let otherKeys = try ShopServer().auditKeys
            await #expect(throws: EvidenceFault.self) { _ = try await shop.proof(number, verifiedBy: otherKeys) }
            #expect(try await shop.proof("0123456789AB") == nil)
        }
    }

    @Test("attack: a proof that was put under another order proves nothing to the operator")
    func swappedProof() async throws {
        try await ShopFront.with { shop in
            let (path, id) = try await shop.begun()
            shop.server.change(id) { $0.status = .signed }
            #expect(try await shop.state(path) == "SIGNED")
            _ = try await shop.buy("good=beans")
            let other = try #require(shop.server.transactions.last?.request.content.reference)
            try await shop.ledger.pool.write { database in
                try database.execute(
                    sql: """
                        UPDATE purchase SET link = NULL, network = NULL, endedAt = begunAt,
                            proof = (SELECT proof FROM purchase WHERE proof IS NOT NULL) WHERE number = ?
                        """,
                    arguments: [other])
            }
            await #expect(throws: TransactionCallError.self) { _ = try await shop.proof(other) }
        }
    }

    @Test("attack: a reported signature that the proof contradicts pays nothing")
    func unproved() async throws {
        try await ShopFront.with { shop in
            let (path, id) = try await shop.begun()
            shop.server.change(id) { $0.status = .confirmed }
            shop.server.lie()
            #expect(try await shop.state(path) == "UNPROVED")
            #expect(try await shop.ledger.openPurchases().count == 1)
            shop.server.change(id) { $0.status = .signed }
            #expect(try await shop.state(path) == "SIGNED")
        }
    }

    @Test("A purchase that was not proved in time is kept, and is paid once its proof is verified after all")
    func provesLater() async throws {
        try await ShopFront.with { shop in
            let (path, id) = try await shop.begun()
            shop.server.change(id) { $0.status = .confirmed }
            shop.server.lie()
            try await shop.elapse()
            #expect(try await shop.state(path) == "UNPROVED")
            await #expect(throws: DatabaseError.self) {
                try await shop.ledger.pool.write { try $0.execute(sql: "UPDATE purchase SET status = 'REJECTED'") }
            }
            try await shop.checkout.proveAgain()
            #expect(try await shop.state(path) == "UNPROVED")
            let tomorrow = Date().addingTimeInterval(Ledger.unpaidLife + 60)
            let next = try Purchase(
                of: shop.checkout.goods[0], by: nil,
                payee: Payee(name: "Café Zürich", account: "DE02120300000000202051"), at: tomorrow)
            #expect(try await shop.ledger.begin(next, from: VisitorNetwork(nil), at: tomorrow) == nil)
            shop.server.change(id) { $0.status = .signed }
            try await shop.checkout.proveAgain()
            #expect(try await shop.state(path) == "SIGNED")
        }
    }

    @Test("attack: a signature over another amount, payee or reference pays nothing", arguments: 0..<3)
    func otherContent(_ number: Int) async throws {
        try await ShopFront.with { shop in
            let (path, id) = try await shop.begun()
            let asked = try #require(shop.server.transactions.first).request.content
            let payee = try #require(asked.payee)
            let signed = try TransactionContent(
                type: asked.type,
                amount: number == 0 ? Money(minorUnits: 1, currency: Currency("EUR")) : asked.amount,
                payee: number == 1 ? Payee(name: payee.name, account: "DE89370400440532013000") : payee,
                lines: asked.lines, reference: number == 2 ? "another" : asked.reference)
            shop.server.change(id) {
                $0.status = .signed
                $0.signed = signed
            }
            #expect(try await shop.state(path) == "UNPROVED")
            #expect(try await shop.ledger.openPurchases().count == 1)
        }
    }

    @Test("A purchase that ended is never changed, and none is paid without a proof")
    func schema() async throws {
        try await ShopFront.with { shop in
            let (path, id) = try await shop.begun()
            shop.server.change(id) { $0.status = .rejected }
            #expect(try await shop.state(path) == "REJECTED")
            for statement in [
                "UPDATE purchase SET status = NULL, proof = 'x'", "UPDATE purchase SET endedAt = NULL, status = NULL",
            ] {
                await #expect(throws: (any Error).self) {
                    try await shop.ledger.pool.write { try $0.execute(sql: statement) }
                }
            }
        }
    }
}
