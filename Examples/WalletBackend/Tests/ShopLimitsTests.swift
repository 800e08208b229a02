import Foundation
import GRDB
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing
import WalletAuthVerifier
import WalletAuthWire

@testable import WalletBackend

@Suite("What could close the shop") struct ShopLimitsTests {
    @Test("attack: signatures that prove nothing close neither the shop nor a network once their time is over")
    func unprovedKeepsNoPlace() async throws {
        // Over a socket, whose address counts.
        try await ShopFront.with(.live) { shop in
            var paths: [String] = []
            for _ in 0..<VisitorNetwork.openPurchaseLimit { paths.append(try await shop.begun().path) }
            let path = try #require(paths.first)
            shop.server.lie()
            try await shop.checkout.settleAll()
            let checked = try await shop.told(path)
            #expect(checked["state"]?.string == "UNPROVED")
            #expect(checked["over"] == JSONValue.bool(false))
            #expect(try await shop.buy().status == .tooManyRequests, "there is time to prove them")

            try await shop.elapse()
            try await shop.checkout.settleAll()
            #expect(try await shop.ledger.openPurchases().isEmpty)
            #expect(try await shop.ledger.unprovedPurchases().count == paths.count)
            let asked = shop.server.requests.count
            try await shop.checkout.settleAll()
            // The page's script compares the state, which is the same, and whether it is over.
            let unproved = try await shop.told(path)
            #expect(unproved["state"]?.string == "UNPROVED")
            #expect(unproved["over"] == JSONValue.bool(true))
            #expect(try await shop.page(path).contains("<h1>Not verified</h1>"))
            #expect(shop.server.requests.count == asked, "they are not requested again and again")
            #expect(try await shop.buy().status == .seeOther)
        }
    }

    @Test(
        "attack: purchases that the server refuses, or never hears of, keep no place",
        .threat("Attacks on transactions"))
    func refusedKeepsNoPlace() async throws {
        try await ShopFront.with(.live) { shop in
            let unknown = "good=cake&account=0b5ad25f-3dd1-4c4c-9b65-9f6a4f9d3c12"
            for _ in 0...VisitorNetwork.openPurchaseLimit {
                #expect(try await shop.buy(unknown).status == .badRequest)
            }
            shop.server.go(down: true)
            for _ in 0...VisitorNetwork.openPurchaseLimit {
                #expect(try await shop.buy().status == .serviceUnavailable)
            }
            shop.server.go(down: false)
            let kept = try await shop.ledger.pool.read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM purchase") }
            #expect(kept == 0)
            #expect(try await shop.buy().status == .seeOther)
        }
    }

    @Test(
        "attack: a page of another site buys nothing with its visitors' quotas",
        arguments: [
            (["Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"], false),
            (["Sec-Fetch-Site": "same-site", "Origin": "https://other.shop.example"], false),
            (["Sec-Fetch-Site": "cross-site"], false), (["Origin": "https://evil.example"], false),
            (["Origin": "null"], false), (["Origin": "http://shop.example"], false),
            (["Sec-Fetch-Site": "same-origin", "Origin": "https://shop.example"], true),
            (["Origin": "https://shop.example"], true), ([:], true),
        ] as [([String: String], Bool)])
    func otherSites(_ headers: [String: String], _ isOwn: Bool) async throws {
        try await ShopFront.with { shop in
            let answer = try await shop.buy("good=cake", headers)
            #expect(answer.status == (isOwn ? .seeOther : .forbidden))
            #expect(shop.server.transactions.count == (isOwn ? 1 : 0))
        }
    }

    @Test("attack: one purchase, looked at by many pages at once, occupies few requests to the server")
    func manyLooks() async throws {
        try await ShopFront.with { shop in
            let (path, _) = try await shop.begun()
            let id = try #require(path.split(separator: "/").last.map(String.init))
            let purchase = try #require(try await shop.ledger.purchase(id))
            shop.server.gate.close()
            let looks = (0..<50).map { number in
                Task {
                    try await shop.checkout.progress(
                        of: purchase, seen: number % 2 == 0 ? .waiting : nil,
                        wait: number % 2 == 0 ? .seconds(20) : .zero)
                }
            }
            for await _ in shop.server.gate.arrivals { break }
            shop.server.gate.open()
            for look in looks { #expect(try await look.value == .waiting) }
            // A look, shared or taken after another one, of each page, and few that wait.
            let waiting = shop.server.requests.filter { $0.url.hasSuffix("?wait=20") }
            #expect(shop.server.mostAtOnce <= 1 + Checkout.waitingLimitPerPurchase, "\(waiting.count) waited")
        }
    }

    @Test("Strangers fill no disk: beyond a number of open purchases the shop is full")
    func full() async throws {
        try await ShopFront.with { shop in
            for number in 0..<Ledger.openPurchaseLimit {
                try await shop.sell(from: "192.0.2.\(number / VisitorNetwork.openPurchaseLimit)")
            }
            #expect(try await shop.buy().status == .serviceUnavailable)
            #expect(shop.server.transactions.count == Ledger.openPurchaseLimit)
        }
    }

    @Test("attack: one network cannot fill the café: beyond a few open purchases its page says what to do")
    func networkFull() async throws {
        // Over a socket, whose address counts.
        try await ShopFront.with(.live) { shop in
            let (path, id) = try await shop.begun()
            for _ in 1..<VisitorNetwork.openPurchaseLimit { _ = try await shop.begun() }
            let refused = try await shop.buy()
            #expect(refused.status == .tooManyRequests)
            #expect(String(buffer: refused.body).contains("Sign or reject one of them in your wallet"))
            #expect(shop.server.transactions.count == VisitorNetwork.openPurchaseLimit)
            try await shop.sell(from: "2001:db8::1")

            shop.server.change(id) { $0.status = .rejected }
            #expect(try await shop.state(path) == "REJECTED")
            #expect(try await shop.buy().status == .seeOther, "one that ended makes room for another")
            let keptAddresses = try await shop.ledger.pool.read {
                try Int.fetchOne(
                    $0, sql: "SELECT COUNT(*) FROM purchase WHERE endedAt IS NOT NULL AND network IS NOT NULL")
            }
            #expect(keptAddresses == 0)
        }
    }

    @Test(
        "A visitor's network is an IPv4 address, mapped or not, or the /64 of an IPv6 address",
        arguments: [
            ("192.0.2.1", "192.0.2.2", false), ("192.0.2.1", "::ffff:192.0.2.1", true),
            ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false), ("2001:db8:0:1::1", "2001:db8:0:1:ffff::2", true),
            ("2001:db8:0:1::1", "2001:db8:0:2::1", false),
        ] as [(String, String, Bool)])
    func networks(_ one: String, _ other: String, _ isSame: Bool) throws {
        let first = VisitorNetwork(try SocketAddress(ipAddress: one, port: 1))
        let second = VisitorNetwork(try SocketAddress(ipAddress: other, port: 2))
        #expect((first == second) == isSame)
    }

    @Test("attack: a household's /56 or /48 has more networks, and does not close the shop to others")
    func delegatedNetworks() async throws {
        try await ShopFront.with { shop in
            let limit = VisitorNetwork.openPurchaseLimit
            for number in 0..<(2 * limit) { try await shop.sell(from: "2001:db8:1:\(number)::1") }
            await #expect(throws: PurchaseRefusal.networkFull) { try await shop.sell(from: "2001:db8:1:ff::1") }
            for number in 0..<(2 * limit) { try await shop.sell(from: "2001:db8:1:\(number + 1)00::1") }
            await #expect(throws: PurchaseRefusal.networkFull) { try await shop.sell(from: "2001:db8:1:ff00::1") }
            try await shop.sell(from: "2001:db8:2::1")
            // The first four bytes of the full /48, as an IPv4 address.
            try await shop.sell(from: "32.1.13.184")
        }
    }
}
