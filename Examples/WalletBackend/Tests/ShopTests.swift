import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing
import WalletAuthVerifier
import WalletAuthWire

@testable import WalletBackend

@Suite("The shop") struct ShopTests {
    /// A shop on a ledger of its own.
    private struct Shop: Sendable {
        let server: ShopServer
        let ledger: Ledger
        let checkout: Checkout
        let client: any TestClientProtocol

        func get(_ path: String) async throws -> TestResponse {
            try await client.executeRequest(uri: path, method: .get, headers: [:], body: nil)
        }

        func buy(
            _ form: String = "good=espresso&account=", _ more: [String: String] = [:]
        ) async throws -> TestResponse {
            var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            for (name, value) in more { headers[try #require(HTTPField.Name(name))] = value }
            return try await client.executeRequest(
                uri: "/shop/purchases", method: .post, headers: headers, body: ByteBuffer(string: form))
        }

        /// Buys an espresso.
        /// - Returns: the path of the purchase's page, and the transaction.
        func begun() async throws -> (path: String, id: TransactionID) {
            let answer = try await buy()
            #expect(answer.status == .seeOther)
            let location = try #require(answer.headers[.location])
            return ("/shop/\(location)", try #require(server.transactions.last).created.transactionID)
        }

        /// Sells an espresso to a visitor from an address.
        @discardableResult
        func sell(from address: String) async throws -> Purchase {
            let network = VisitorNetwork(try SocketAddress(ipAddress: address, port: 49_152))
            return try await checkout.buy(checkout.goods[0], account: nil, from: network)
        }

        /// Makes the open purchases older.
        func elapse(_ seconds: Int64 = TransactionRequest.defaultLifetime) async throws {
            try await ledger.pool.write { database in
                try database.execute(
                    sql: "UPDATE purchase SET begunAt = begunAt - ? WHERE endedAt IS NULL", arguments: [seconds])
            }
        }

        func state(_ path: String, _ query: String = "") async throws -> String? {
            let answer = try await get(path + "/state" + query)
            return try JSONValue.object(parsing: Array(answer.body.readableBytesView))["state"]?.string
        }

        func page(_ path: String) async throws -> String { String(buffer: try await get(path).body) }

        /// What the operator gets.
        func proof(_ number: String, verifiedBy keys: JWKSet? = nil) async throws -> TransactionEvidence? {
            try await ledger.purchase(numbered: number)?.proof(verifiedBy: keys ?? server.auditKeys)
        }
    }

    private static func checkout(_ server: ShopServer, _ ledger: Ledger) throws -> Checkout {
        let transactions = WalletTransactions(
            issuer: TrustedIssuer(server.issuer, transport: server, clock: server.clock),
            credential: .secret(try ClientID("wallet-backend"), try ClientSecret("secret")))
        return try Checkout(
            ledger: ledger, transactions: transactions, auditKeys: server.auditKeys, logger: Logger(label: "shop"))
    }

    private func withShop(
        _ setup: TestingSetup = .router, _ body: @escaping @Sendable (Shop) async throws -> Void
    ) async throws {
        try await TemporaryLedger.with { ledger in
            let server = try ShopServer()
            let checkout = try Self.checkout(server, ledger)
            let router = Router(context: BackendContext.self)
            router.add(middleware: Faults())
            let url = try WebURL("https://shop.example")
            ShopEndpoints(ledger: ledger, checkout: checkout, url: url).addRoutes(to: router)
            try await Application(router: router).test(setup) { client in
                try await body(Shop(server: server, ledger: ledger, checkout: checkout, client: client))
            }
        }
    }

    @Test("A visitor picks something, scans the code, and sees each state until the signature is proved")
    func buys() async throws {
        try await withShop { shop in
            let shelf = try await shop.page("/shop")
            #expect(shelf.contains("Espresso") && shelf.contains("Buy for 3.80 EUR"))
            let (path, id) = try await shop.begun()
            let request = try #require(shop.server.transactions.first).request
            #expect(request.account == nil)
            #expect(request.content.payee?.name == "Café Zürich")
            #expect(request.content.lines.map(\.label) == ["Order"])

            let waiting = try await shop.page(path)
            #expect(waiting.contains("<h1>Waiting for your wallet</h1>"))
            #expect(waiting.contains("<svg") && waiting.contains("Open in my wallet"))
            #expect(waiting.contains("href=\"https://auth.example/t/\(id)#"))
            for (status, heading) in [
                (TransactionStatus.claimed, "Scanned"), (.confirmed, "Confirmed"), (.signed, "Signed"),
            ] {
                shop.server.change(id) { $0.status = status }
                let page = try await shop.page(path)
                #expect(page.contains("<h1>\(heading)</h1>"))
                #expect(!page.contains("<svg"), "there is nothing to scan any more")
            }
            #expect(try await shop.state(path) == "SIGNED")
        }
    }

    @Test(
        "A purchase that ended without a signature says how",
        arguments: [
            (.rejected, .wrongData, "Rejected: something was wrong"),
            (.rejected, .other, "Rejected"), (.expired, nil, "Expired"), (.failed, nil, "Not signed"),
            (.cancelled, nil, "Cancelled"),
        ] as [(TransactionStatus, RejectionReason?, String)])
    func ends(_ status: TransactionStatus, _ reason: RejectionReason?, _ heading: String) async throws {
        try await withShop { shop in
            let (path, id) = try await shop.begun()
            shop.server.change(id) {
                $0.status = status
                $0.reason = reason
            }
            let page = try await shop.page(path)
            #expect(page.contains("<h1>\(heading)</h1>"))
            #expect(page.contains("Nothing was paid."))
            #expect(!page.contains("refresh"), "a page that is over asks for nothing more")
            #expect(!page.contains("<time"))
        }
    }

    @Test("attack: the page of a signed purchase is a receipt, and says nothing about the person who signed")
    func receipt() async throws {
        try await withShop { shop in
            let (path, id) = try await shop.begun()
            shop.server.change(id) { $0.status = .signed }
            let page = try await shop.page(path)
            let number = try #require(shop.server.transactions.first?.request.content.reference)
            for text in [number, "3.80 EUR", "Café Zürich", "<time datetime="] { #expect(page.contains(text)) }

            let proof = try #require(try await shop.proof(number)).rawValue
            let state = String(buffer: try await shop.get(path + "/state").body)
            for answer in [page, state] {
                #expect(!answer.contains(shop.server.account.rawValue))
                #expect(!answer.contains("device-1"))
                #expect(!answer.contains(proof))
            }
            #expect(try await shop.get(path + "/proof").status == .notFound)
        }
    }

    @Test("The operator gets the proof of a signed purchase by its number, verified once more and without the server")
    func proof() async throws {
        try await withShop { shop in
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
        try await withShop { shop in
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
        try await withShop { shop in
            let (path, id) = try await shop.begun()
            shop.server.change(id) { $0.status = .confirmed }
            shop.server.lie()
            #expect(try await shop.state(path) == "UNPROVED")
            #expect(try await shop.ledger.openPurchases().count == 1)
            shop.server.change(id) { $0.status = .signed }
            #expect(try await shop.state(path) == "SIGNED")
        }
    }

    @Test("attack: signatures that prove nothing close neither the shop nor a network once their time is over")
    func unprovedKeepsNoPlace() async throws {
        // Over a socket, whose address counts.
        try await withShop(.live) { shop in
            var paths: [String] = []
            for _ in 0..<VisitorNetwork.openPurchaseLimit { paths.append(try await shop.begun().path) }
            let path = try #require(paths.first)
            shop.server.lie()
            try await shop.checkout.settleAll()
            #expect(try await shop.state(path) == "UNPROVED")
            #expect(try await shop.buy().status == .tooManyRequests, "there is time to prove them")

            try await shop.elapse()
            try await shop.checkout.settleAll()
            #expect(try await shop.ledger.openPurchases().isEmpty)
            #expect(try await shop.ledger.unprovedPurchases().count == paths.count)
            let asked = shop.server.requests.count
            try await shop.checkout.settleAll()
            #expect(try await shop.page(path).contains("<h1>Not verified</h1>"))
            #expect(shop.server.requests.count == asked, "nobody asks for them again and again")
            #expect(try await shop.buy().status == .seeOther)
        }
    }

    @Test("A purchase that was not proved in time is kept, and is paid once its proof is verified after all")
    func provesLater() async throws {
        try await withShop { shop in
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

    @Test("attack: purchases that the server refuses, or never hears of, keep no place")
    func refusedKeepsNoPlace() async throws {
        try await withShop(.live) { shop in
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
        try await withShop { shop in
            let answer = try await shop.buy("good=cake", headers)
            #expect(answer.status == (isOwn ? .seeOther : .forbidden))
            #expect(shop.server.transactions.count == (isOwn ? 1 : 0))
        }
    }

    @Test("attack: a signature over another amount, payee or reference pays nothing", arguments: 0..<3)
    func otherContent(_ number: Int) async throws {
        try await withShop { shop in
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

    @Test("A purchase whose page was closed is settled once its time is over, and a restart keeps it")
    func settles() async throws {
        try await withShop { shop in
            let (path, signed) = try await shop.begun()
            let (other, expired) = try await shop.begun()
            shop.server.change(signed) { $0.status = .signed }
            shop.server.change(expired) { $0.status = .expired }
            try await shop.elapse()
            let (open, young) = try await shop.begun()
            // Another process on the same ledger.
            try await Self.checkout(shop.server, shop.ledger).settleAll()
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
        try await withShop { shop in
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
                Issue.record("the broken one was settled")
                return
            }
        }
    }

    @Test("A purchase whose transaction is gone is cancelled once its time is over", arguments: [true, false])
    func isGone(isLookedAt: Bool) async throws {
        try await withShop { shop in
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
        try await withShop { shop in
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

    @Test("The page waits for the next state, and is answered at once where it has missed one")
    func waits() async throws {
        try await withShop { shop in
            let (path, id) = try await shop.begun()
            #expect(try await shop.state(path, "?wait=20&seen=WAITING") == "WAITING")
            #expect(shop.server.requests.last?.url.hasSuffix("?wait=20") == true)
            #expect(shop.server.requests.last?.timeout == .seconds(30))
            shop.server.change(id) { $0.status = .claimed }
            #expect(try await shop.state(path, "?wait=20&seen=WAITING") == "SCANNED")
            #expect(shop.server.requests.last?.url.hasSuffix(id.rawValue) == true)
            _ = try await shop.state(path, "?wait=900&seen=SCANNED")
            #expect(shop.server.requests.last?.url.hasSuffix("?wait=25") == true)
            #expect(try await shop.get(path + "/state?wait=soon").status == .badRequest)
        }
    }

    @Test("attack: one purchase, looked at by many pages at once, occupies few requests to the server")
    func manyLooks() async throws {
        try await withShop { shop in
            let (path, _) = try await shop.begun()
            let id = try #require(path.split(separator: "/").last.map(String.init))
            let purchase = try #require(try await shop.ledger.purchase(id))
            shop.server.hold()
            let looks = (0..<50).map { number in
                Task {
                    try await shop.checkout.progress(
                        of: purchase, seen: number % 2 == 0 ? .waiting : nil,
                        wait: number % 2 == 0 ? .seconds(20) : .zero)
                }
            }
            try await shop.server.whenHeld(1)
            shop.server.release()
            for look in looks { #expect(try await look.value == .waiting) }
            // A look, shared or taken after another one, of each page, and few that wait.
            let waiting = shop.server.requests.filter { $0.url.hasSuffix("?wait=20") }
            #expect(shop.server.mostAtOnce <= 1 + Checkout.waitingLimitPerPurchase, "\(waiting.count) waited")
        }
    }

    @Test("An account may be named, and something that is no account is sent back")
    func account() async throws {
        try await withShop { shop in
            _ = try await shop.buy("good=beans&account=\(shop.server.account)")
            #expect(shop.server.transactions.first?.request.account == shop.server.account)
            #expect(try await shop.buy("good=beans&account=%3Cscript%3E").status == .badRequest)
            #expect(try await shop.buy("good=everything").status == .badRequest)
            #expect(shop.server.transactions.count == 1)
        }
    }

    @Test("Purchases have unguessable addresses and no two the same")
    func addresses() async throws {
        try await withShop { shop in
            var paths: Set<String> = []
            for _ in 0..<VisitorNetwork.openPurchaseLimit { paths.insert(try await shop.begun().path) }
            #expect(paths.count == VisitorNetwork.openPurchaseLimit)
            #expect(paths.allSatisfy { Base64URL.decode(String($0.split(separator: "/").last ?? ""))?.count == 16 })
            #expect(try await shop.get("/shop/purchases/AAAAAAAAAAAAAAAAAAAAAA").status == .notFound)
            #expect(try await shop.get("/shop/purchases/AAAAAAAAAAAAAAAAAAAAAA/state").status == .notFound)
        }
    }

    @Test("Pages run and load nothing but the shop's own files, and are kept by nobody")
    func policy() async throws {
        try await withShop { shop in
            let (path, _) = try await shop.begun()
            for path in ["/shop", path, "/shop/purchases/none"] {
                let answer = try await shop.get(path)
                let policy = try #require(answer.headers[.contentSecurityPolicy])
                #expect(policy.hasPrefix("default-src 'none'; style-src 'self'; script-src 'self'"))
                #expect(answer.headers[.cacheControl] == "no-store")
                let html = String(buffer: answer.body)
                #expect(!html.contains("style=") && !html.contains("<style") && !html.contains("<script>"))
                #expect(!html.contains(" onclick") && !html.contains("src=\"http"))
            }
            for file in ["shop.css", "shop.js"] { #expect(try await shop.get("/shop/\(file)").status == .ok) }
            #expect(try await shop.page(path).contains("<noscript><meta http-equiv=\"refresh\""))
        }
    }

    @Test("attack: text stays text, also where a mark sits on a quotation mark")
    func escaping() {
        #expect(ShopPages.escaped("<b>&'\"") == "&lt;b&gt;&amp;&#39;&quot;")
        #expect(
            ShopPages.escaped("\"\u{301}>\u{338}").unicodeScalars.elementsEqual(
                "&quot;\u{301}&gt;\u{338}".unicodeScalars))
    }

    @Test("A purchase that ended is never changed, and none is paid without a proof")
    func schema() async throws {
        try await withShop { shop in
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

    @Test("Strangers fill no disk: beyond a number of open purchases the shop is full")
    func full() async throws {
        try await withShop { shop in
            for number in 0..<Ledger.openPurchaseLimit {
                try await shop.sell(from: "192.0.2.\(number / VisitorNetwork.openPurchaseLimit)")
            }
            #expect(try await shop.buy().status == .serviceUnavailable)
            #expect(shop.server.transactions.count == Ledger.openPurchaseLimit)
        }
    }

    @Test("A purchase that ended unpaid is deleted after a day, and a paid one never")
    func sweeps() async throws {
        try await withShop { shop in
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

    @Test("attack: one network cannot fill the café: beyond a few open purchases its page says what to do")
    func networkFull() async throws {
        // Over a socket, whose address counts.
        try await withShop(.live) { shop in
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
    @Test("attack: a household's /56 or /48 has more networks, and closes the shop to nobody")
    func delegatedNetworks() async throws {
        try await withShop { shop in
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
