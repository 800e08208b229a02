import Core
import Crypto
import HTTPTypes
import HummingbirdTesting
import Kernel
import NIOCore
import Operations
import QRCodes
import Store
import Testing
import WalletAuthWire

@testable import Consent
@testable import HTTP
@testable import SignIn
@testable import Transactions
@testable import Web

@Suite(
    "The page of a transaction's link over HTTP", .covers("GET /.well-known/apple-app-site-association, GET /t/{id}"))
struct TransactionPageHTTPTests {
    private typealias Till = TransactionHTTPTests.Till

    @Test("The page of a link says to open the app, in each language, and is the same for every unknown id")
    func page() async throws {
        try await TestServer.serve { _, client in
            var pages: Set<String> = []
            for language in ["en", "de", "fr", "es", "bg"] {
                let first = try await client.get("/t/0190b3f2-0000-7000-8000-00000000002a", [.acceptLanguage: language])
                let second = try await client.get("/t/anything", [.acceptLanguage: language])
                // It has neither link nor code, so it leads back to where they are; the page with the code does not.
                let text = HTMLEscaping().escapeText(Language(rawValue: language)?.transactions[.nextStep] ?? "")
                #expect(first.text.contains("<p class=\"next\" id=\"next-step\">\(text)</p>"))
                #expect(!first.text.contains("class=\"symbol\""))
                let drawn = try await client.post("/t/anything", ["secret": "AAAAAAAAAAAAAAAAAAAAAA"])
                #expect(!drawn.text.contains("next-step") && drawn.text.contains("class=\"symbol\""))
                #expect(first.status == .ok)
                #expect(first.headers[.contentLanguage] == language)
                #expect(first.text == second.text)
                pages.insert(first.text)
            }
            #expect(pages.count == 5)
        }
    }

    @Test(
        "The page of a transaction's link has its brand's name and where to get the app, and nothing of the transaction"
    )
    func storeLinks() async throws {
        try await TestServer.use(settings: { $0.devices.coolingPeriod = .zero }) { server in
            try await server.serve { client in
                let till = try await Till.open(server, client)
                try await server.makePublicClient("app") {
                    $0.appStoreURL = "https://apps.apple.com/app/id123456789"
                    $0.playStoreURL = "https://play.google.com/store/apps/details?id=com.example.wallet&hl=en"
                }
                let id = try #require(try await till.create().member("transactionId"))
                let page = try await client.get("/t/\(id)")
                #expect(page.text.contains("<span class=\"brand-name\">"))
                #expect(page.text.contains("<a href=\"https://apps.apple.com/app/id123456789\""))
                #expect(page.text.contains("data-package=\"com.example.wallet\" hidden"))
                _ = try await till.shop.call(.delete, "/v1/transactions/\(id)")
                #expect(try await client.get("/t/\(id)").text == page.text)
            }
        }
    }

    @Test(
        "On a phone, the page has the store of its system alone, and says on an iPhone what to tap, as it cannot scan itself",
        arguments: Language.allCases)
    func phones(language: Language) async throws {
        try await TestServer.use(settings: { $0.devices.coolingPeriod = .zero }) { server in
            try await server.serve { client in
                let till = try await Till.open(server, client)
                try await server.makePublicClient("app") {
                    $0.appStoreURL = "https://apps.apple.com/app/id1"
                    $0.playStoreURL = "https://play.google.com/store/apps/details?id=com.example.wallet"
                }
                let id = try #require(try await till.create().member("transactionId"))
                typealias Case = (system: String, stores: [TransactionText], step: TransactionText)
                let cases: [Case] = [
                    ("iPhone; CPU iPhone OS 18_5 like Mac OS X", [.appStoreLabel], .nextStepOnIOS),
                    ("Linux; Android 15; Pixel 9", [.playStoreLabel], .nextStepOnAndroid),
                    ("X11; Linux x86_64", [.appStoreLabel, .playStoreLabel], .nextStep),
                ]
                for (system, stores, step) in cases {
                    let page = try await client.get(
                        "/t/\(id)", [.userAgent: "Mozilla/5.0 (\(system))", .acceptLanguage: language.rawValue])
                    let escaping = HTMLEscaping()
                    for store in [TransactionText.appStoreLabel, .playStoreLabel] {
                        let link = "rel=\"noreferrer\">\(escaping.escapeText(language.transactions[store]))</a>"
                        #expect(page.text.contains(link) == stores.contains(store), "\(system) \(store)")
                    }
                    let text = escaping.escapeText(language.transactions[step])
                    #expect(page.text.contains("<p class=\"next\" id=\"next-step\">\(text)</p>"), "\(page.text)")
                }
            }
        }
    }

    @Test(
        "The page of a transaction whose time is over says so and draws no code, also if it ended before",
        arguments: Language.allCases)
    func expired(language: Language) async throws {
        try await TestServer.use(settings: { $0.devices.coolingPeriod = .zero }) { server in
            try await server.serve { client in
                let till = try await Till.open(server, client)
                try await server.makePublicClient("app") { $0.appStoreURL = "https://apps.apple.com/app/id1" }
                let open = try #require(try await till.create().member("transactionId"))
                let cancelled = try #require(try await till.create(key: "fedcba9876543210").member("transactionId"))
                _ = try await till.shop.call(.delete, "/v1/transactions/\(cancelled)")
                let headers: HTTPFields = [.acceptLanguage: language.rawValue]
                let heading = "<h1>\(HTMLEscaping().escapeText(language.transactions[.overHeading]))</h1>"
                for id in [open, cancelled] {
                    #expect(try await !client.get("/t/\(id)", headers).text.contains(heading))
                }
                let now = server.server.context.clock.now()
                try await server.server.context.database.write {
                    _ = try $0.execute("UPDATE transactions SET expires_at = $1", [.time(now)])
                }
                var pages: Set<String> = []
                for id in [open, cancelled] {
                    let page = try await client.get("/t/\(id)", headers)
                    #expect(page.status == .ok)
                    #expect(page.text.contains(heading), "\(page.text)")
                    for part in ["next-step", "<script", "apps.apple.com", "class=\"symbol\""] {
                        #expect(!page.text.contains(part), "\(part)")
                    }
                    let drawn = try await client.post("/t/\(id)", ["secret": "AAAAAAAAAAAAAAAAAAAAAA"], headers)
                    #expect(drawn.text == page.text)
                    pages.insert(page.text)
                }
                #expect(pages.count == 1)
            }
        }
    }

    @Test(
        "attack: another party's app passes for the brand's on a payment's page: it has no store links, nor keeps them")
    func anotherPartysStoreLinks() async throws {
        try await TestServer.use(settings: { $0.devices.coolingPeriod = .zero }) { server in
            try await server.serve { client in
                let till = try await Till.open(server, client)
                let (own, other) = ("https://apps.apple.com/app/id2", "https://apps.apple.com/app/id1")
                let create = [
                    "client", "create", "another", "--name", "Another", "--redirect-uri",
                    "https://other.example/callback",
                ]
                for option in [["--app-store-url", other], ["--apple-app-id", "ABCDE12345.com.example.other"]] {
                    let refused = await server.server.administration.execute(AdminRequest(create + option))
                    #expect(refused.status == .refused)
                    #expect(refused.lines.contains { $0.contains("only the brand's own app") }, "\(refused.lines)")
                }
                // Its id comes first.
                try await server.makePublicClient("a") { $0.appStoreURL = other }
                try await server.makePublicClient("b") { $0.appStoreURL = own }
                let foreign = ["client", "update", "a", "--no-first-party"]
                #expect(await server.server.administration.execute(AdminRequest(foreign)).status == .refused)
                let id = try #require(try await till.create().member("transactionId"))
                #expect(try await client.get("/t/\(id)").text.contains(other))
                let cleared = AdminRequest(foreign + ["--app-store-url", ""])
                #expect(await server.server.administration.execute(cleared).status == .done)
                let page = try await client.get("/t/\(id)")
                #expect(page.text.contains(own) && !page.text.contains(other))
                // A row from before the rule.
                try await server.server.context.database.write { connection in
                    let row = try #require(try Clients.find("a", on: connection))
                    var settings = try RegisteredClient(row).settings
                    settings.appStoreURL = other
                    settings.appleAppIDs = ["ABCDE12345.com.example.other"]
                    var changed = row
                    changed.settings = try settings.json()
                    #expect(try Clients.update(changed, seen: row.updatedAt, on: connection))
                }
                server.server.context.clients.forget(try ClientID("a"))
                let stored = try await client.get("/t/\(id)")
                #expect(stored.text.contains(own) && !stored.text.contains(other))
                let apps = try await client.get("/.well-known/apple-app-site-association")
                #expect(!apps.text.contains("com.example.other"))
            }
        }
    }

    @Test(
        "The code of a link's page is drawn from the secret that the browser posts, for the address of the page alone")
    func codeOfPage() async throws {
        try await TestServer.serve { _, client in
            let (id, secret) = ("0190b3f2-0000-7000-8000-00000000002a", "AAAAAAAAAAAAAAAAAAAAAA")
            let page = try await client.post("/t/\(id)", ["secret": secret])
            #expect(page.status == .ok)
            let code = try #require(QRCode("\(TestServer.issuer)/t/\(id)#\(secret)"))
            #expect(page.text.contains("<path d=\"\(code.svgPath)\"/>"))
            #expect(!page.text.contains(secret))
            #expect(!page.text.contains("<script"))
            let wrong: [(id: String, secret: String?)] = [
                (id, "short"), (id, "\"><script>alert(1)</script>"), (id, nil), ("a%20b", secret),
            ]
            for (id, secret) in wrong {
                let refused =
                    if let secret {
                        try await client.post("/t/\(id)", ["secret": secret])
                    } else {
                        try await client.post("/t/\(id)", [:])
                    }
                #expect(refused.status == .badRequest)
                #expect(!refused.text.contains("<script") && !refused.text.contains("class=\"symbol\""))
            }
        }
    }

    /// A page that goes on by itself, as the browser opens it next.
    /// - Parameter headers: with its cookie.
    private func next(
        _ page: TestResponse, _ client: any TestClientProtocol, _ headers: HTTPFields
    ) async throws -> TestResponse {
        let refresh = try #require(page.headers[.refresh], "\(page.text)")
        let address = try #require(refresh.split(separator: "url=").last)
        #expect(refresh.hasPrefix("5;url=\(TestServer.issuer)/t/"))
        return try await client.get(String(address.dropFirst(TestServer.issuer.count)), headers)
    }

    private func heading(_ text: TransactionText, in language: Language = .english) -> String {
        "<h1>\(HTMLEscaping().escapeText(language.transactions[text]))</h1>"
    }

    @Test(
        "The page with the code goes on by itself to what became of the transaction, and has no code after the scan",
        arguments: Language.allCases, [TransactionText.signedHeading, .refusedHeading, .unsignedHeading])
    func watched(language: Language, end: TransactionText) async throws {
        try await TestServer.use(settings: { $0.devices.coolingPeriod = .zero }) { server in
            try await server.serve { client in
                let till = try await Till.open(server, client)
                var headers: HTTPFields = [.acceptLanguage: language.rawValue]
                let created = try await till.create().json
                let link = try TransactionLink(try #require(created["qrData"]?.string))
                let path = "/t/\(link.transactionID)"
                let drawn = try await client.post(path, ["secret": link.secret.reveal()], headers)
                headers[.cookie] = drawn.cookieHeader
                let open = try await next(drawn, client, headers)
                #expect(open.text.contains("class=\"symbol\"") && open.text == drawn.text)
                #expect(open.headers[.refresh] == drawn.headers[.refresh])
                #expect(open.headers[.contentSecurityPolicy] == drawn.headers[.contentSecurityPolicy])
                let claimed = try DeviceTransaction(try await till.claim(created).json)
                let scanned = try await next(open, client, headers)
                #expect(scanned.text.contains(heading(.scannedHeading, in: language)), "\(scanned.text)")
                #expect(!scanned.text.contains("class=\"symbol\""))
                switch end {
                case .signedHeading:
                    let confirmed = try DeviceTransaction(try await till.confirm(claimed).json)
                    #expect(try await till.sign(confirmed).status == .ok)
                case .refusedHeading:
                    let refusal =
                        #"{"deviceId":"\#(till.phone.id.rawValue)","payloadHash":"\#(PayloadHash.transaction(claimed.payload))","#
                        + #""reason":"OTHER"}"#
                    #expect(try await till.send("/v1/transactions/\(link.transactionID)/reject", refusal).status == .ok)
                default: _ = try await till.shop.call(.delete, "/v1/transactions/\(link.transactionID)")
                }
                let ended = try await next(scanned, client, headers)
                #expect(ended.text.contains(heading(end, in: language)), "\(ended.text)")
                #expect(ended.headers[.refresh] == nil && ended.headers[.contentLanguage] == language.rawValue)
                #expect(ended.text.contains("href=\"\(TestServer.issuer)/account?brand=default\""))
                for hidden in ["Café", "12.50", "12,50", "DE02", "maria", link.secret.reveal(), "<script"] {
                    #expect(!ended.text.contains(hidden) && !scanned.text.contains(hidden), "\(hidden)")
                }
            }
        }
    }

    @Test("The page with the code says when the time is over, and goes on no more")
    func watchedUntilOver() async throws {
        try await TestServer.use(settings: { $0.devices.coolingPeriod = .zero }) { server in
            try await server.serve { client in
                let till = try await Till.open(server, client)
                let link = try TransactionLink(try #require(try await till.create().member("qrData")))
                let drawn = try await client.post("/t/\(link.transactionID)", ["secret": link.secret.reveal()])
                let now = server.server.context.clock.now()
                try await server.server.context.database.write {
                    _ = try $0.execute("UPDATE transactions SET expires_at = $1", [.time(now)])
                }
                let over = try await next(drawn, client, [.cookie: drawn.cookieHeader])
                #expect(over.text.contains(heading(.overHeading)) && over.headers[.refresh] == nil, "\(over.text)")
            }
        }
    }

    @Test(
        "attack: a link that is opened after the scan, or with a wrong secret, shows the code and never what became of it",
        .threat("Attacks on transactions"), arguments: [true, false])
    func opensLate(hasSecret: Bool) async throws {
        try await TestServer.use(settings: { $0.devices.coolingPeriod = .zero }) { server in
            try await server.serve { client in
                let till = try await Till.open(server, client)
                let created = try await till.create().json
                let link = try TransactionLink(try #require(created["qrData"]?.string))
                let path = "/t/\(link.transactionID)"
                let secret = hasSecret ? link.secret.reveal() : "AAAAAAAAAAAAAAAAAAAAAA"
                let before = try await client.post(path, ["secret": secret])
                let claimed = try DeviceTransaction(try await till.claim(created).json)
                let late = try await client.post(path, ["secret": secret])
                // Not even the length of what is sealed says more.
                #expect(late.text == before.text)
                #expect(late.headers[.refresh]?.count == before.headers[.refresh]?.count)
                let confirmed = try DeviceTransaction(try await till.confirm(claimed).json)
                #expect(try await till.sign(confirmed).status == .ok)
                for page in [
                    try await next(late, client, [.cookie: late.cookieHeader]),
                    try await client.post(path, ["secret": secret]),
                ] {
                    #expect(page.text == before.text)
                }
                let own = try await next(before, client, [.cookie: before.cookieHeader])
                #expect((own.text == before.text) == !hasSecret)
            }
        }
    }

    @Test("attack: the sealed part of a page's address shows nothing at another transaction's, nor altered")
    func otherWatch() async throws {
        try await TestServer.use(settings: { $0.devices.coolingPeriod = .zero }) { server in
            try await server.serve { client in
                let till = try await Till.open(server, client)
                let link = try TransactionLink(try #require(try await till.create().member("qrData")))
                let other = try #require(
                    try await till.create(key: "fedcba9876543210").member("transactionId"))
                let drawn = try await client.post("/t/\(link.transactionID)", ["secret": link.secret.reveal()])
                let sealed = try #require(drawn.headers[.refresh]?.split(separator: "watch=").last)
                let plain = try await client.get("/t/\(other)")
                for path in ["/t/\(other)?watch=\(sealed)", "/t/\(other)?watch=AAAA"] {
                    let page = try await client.get(path, [.cookie: drawn.cookieHeader])
                    #expect(page.text == plain.text && page.headers[.refresh] == nil, "\(path)")
                }
            }
        }
    }

    @Test("attack: the address of a page with the code, from a log, shows neither code nor outcome in another browser")
    func watchOfAnotherBrowser() async throws {
        try await TestServer.use(settings: { $0.devices.coolingPeriod = .zero }) { server in
            try await server.serve { client in
                let till = try await Till.open(server, client)
                let created = try await till.create().json
                let link = try TransactionLink(try #require(created["qrData"]?.string))
                let path = "/t/\(link.transactionID)"
                let drawn = try await client.post(path, ["secret": link.secret.reveal()])
                let cookie = try #require(drawn.headers[.setCookie])
                #expect(cookie.hasPrefix("wa_watch=") && cookie.contains("; HttpOnly; SameSite=Lax; Max-Age="))
                let another = try await client.post("/t/anything", ["secret": "AAAAAAAAAAAAAAAAAAAAAA"])
                let plain = try await client.get(path)
                for isClaimed in [false, true] {
                    if isClaimed { _ = try await till.claim(created) }
                    for headers in [[:], [.cookie: another.cookieHeader]] as [HTTPFields] {
                        let page = try await next(drawn, client, headers)
                        #expect(page.text == plain.text && page.headers[.refresh] == nil, "\(page.text)")
                    }
                }
                let own = try await next(drawn, client, [.cookie: drawn.cookieHeader])
                #expect(own.text.contains(heading(.scannedHeading)))
            }
        }
    }

    @Test(
        "attack: a form of another site takes the cookie from no page that goes on",
        arguments: ["cross-site", "same-site"])
    func formOfAnotherSite(site: String) async throws {
        try await TestServer.serve { _, client in
            let fields: KeyValuePairs = ["secret": "AAAAAAAAAAAAAAAAAAAAAA"]
            let refused = try await client.post("/t/anything", fields, [.secFetchSite: site])
            #expect(refused.status == .badRequest && refused.headers[.setCookie] == nil, "\(refused.text)")
            let own = try await client.post("/t/anything", fields, [.secFetchSite: "same-origin"])
            #expect(own.status == .ok && own.headers[.setCookie] != nil)
        }
    }

    @Test("Parameters that a mail program adds to a link change nothing, even twice")
    func addedParameters() async throws {
        try await TestServer.serve { _, client in
            let plain = try await client.get("/t/anything")
            for query in ["utm_source=mail", "utm_source=mail&utm_source=mail", "a=%FF", "watch=a&watch=b"] {
                let page = try await client.get("/t/anything?\(query)")
                #expect(page.status == .ok && page.text == plain.text, "\(query)")
            }
        }
    }
}
