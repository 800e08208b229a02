import Foundation
import GRDB
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing
import WalletAuthVerifier
import WalletAuthWire

@testable import WalletBackend

@Suite("The shop", .covers("a shop's page, in Examples/WalletBackend")) struct ShopTests {
    @Test("A visitor picks something, scans the code, and sees each state until the signature is proved")
    func buys() async throws {
        try await ShopFront.with { shop in
            let shelf = try await shop.page("/shop")
            #expect(shelf.contains("Espresso") && shelf.contains("Buy for 3.80\u{a0}EUR"))
            // What Enter would press is not seen: a display of buttons would otherwise undo `hidden`.
            let style = String(buffer: try await shop.get("/shop/shop.css").body)
            #expect(shelf.contains("<button disabled hidden>"))
            #expect(style.contains("[hidden] { display: none !important; }"))
            let (path, id) = try await shop.begun()
            let request = try #require(shop.server.transactions.first).request
            #expect(request.account == nil)
            #expect(request.content.payee?.name == "Café Zürich")
            #expect(request.content.lines.map(\.label) == ["Order"])

            let waiting = try await shop.page(path)
            #expect(waiting.contains("<h1>Waiting for your wallet</h1>"))
            #expect(waiting.contains("<svg") && waiting.contains("Open in my wallet"))
            #expect(waiting.contains(">Back to the shop</a>"))
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
        try await ShopFront.with { shop in
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
        try await ShopFront.with { shop in
            let (path, id) = try await shop.begun()
            shop.server.change(id) { $0.status = .signed }
            let page = try await shop.page(path)
            let number = try #require(shop.server.transactions.first?.request.content.reference)
            for text in [number, "3.80\u{a0}EUR", "Café Zürich", "<time datetime="] { #expect(page.contains(text)) }

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

    @Test("The page waits for the next state, and is answered at once where it has missed one")
    func waits() async throws {
        try await ShopFront.with { shop in
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

    @Test("An account may be named, and something that is no account is sent back")
    func account() async throws {
        try await ShopFront.with { shop in
            _ = try await shop.buy("good=beans&account=\(shop.server.account)")
            #expect(shop.server.transactions.first?.request.account == shop.server.account)
            #expect(try await shop.buy("good=beans&account=%3Cscript%3E").status == .badRequest)
            #expect(try await shop.buy("good=everything").status == .badRequest)
            #expect(shop.server.transactions.count == 1)
        }
    }

    @Test("Purchases have unguessable addresses and no two the same")
    func addresses() async throws {
        try await ShopFront.with { shop in
            var paths: Set<String> = []
            for _ in 0..<VisitorNetwork.openPurchaseLimit { paths.insert(try await shop.begun().path) }
            #expect(paths.count == VisitorNetwork.openPurchaseLimit)
            #expect(paths.allSatisfy { Base64URL.decode(String($0.split(separator: "/").last ?? ""))?.count == 16 })
            #expect(try await shop.get("/shop/purchases/AAAAAAAAAAAAAAAAAAAAAA").status == .notFound)
            #expect(try await shop.get("/shop/purchases/AAAAAAAAAAAAAAAAAAAAAA/state").status == .notFound)
        }
    }

    @Test("Pages run and load nothing but the shop's own files, and are not cached")
    func policy() async throws {
        try await ShopFront.with { shop in
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
}
