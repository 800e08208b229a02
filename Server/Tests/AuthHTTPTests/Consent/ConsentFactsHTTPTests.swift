import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import SignIn
import Testing

@testable import Consent
@testable import HTTP

@Suite("What a person reads on the page of a consent, over HTTP")
struct ConsentFactsHTTPTests {
    private func withShop(_ body: @Sendable (ShopOverHTTP) async throws -> Void) async throws {
        try await TestServer.serve { server, client in
            try await body(ShopOverHTTP.open(server, client) { $0.consentReturnURLs = [ShopOverHTTP.returnURL] })
        }
    }

    /// The page of an operation.
    private func page(of operation: String, in shop: ShopOverHTTP) async throws -> String {
        let asked = try await shop.call(.post, "/v1/wallet-operations", shop.request("op-1", operation))
        let event = try #require(try asked.member("eventId"), "\(asked.text)")
        let url = try #require(try await shop.challengePage(event).member("redirectUrl"))
        return try await shop.phone.client.get(String(url.dropFirst(TestServer.issuer.count))).text
    }

    @Test("XSS: what a backend writes into payee and details is text on the page, shown to the letter")
    func markup() async throws {
        try await withShop { shop in
            let operation = """
                "type":"TRANSFER","amount":{"value":"5","currency":"JPY"},\
                "payee":{"name":"<script>alert(1)</script>","account":"\\"><b>x"},"details":{"note":"<i>rent</i>"}
                """
            let page = try await page(of: operation, in: shop)
            #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
            #expect(page.contains("&quot;&gt;&lt;b&gt;x"))
            #expect(page.contains("&lt;i&gt;rent&lt;/i&gt;"))
            #expect(page.contains("JPY\u{A0}5"))
            #expect(!page.contains("<script"))
        }
    }

    @Test("attack: details that are called like the page's own rows pass for the amount and the payee")
    func detailsByTheirOwnLabel() async throws {
        try await withShop { shop in
            let operation = """
                \(ShopOverHTTP.operation),"details":{"Amount":"1.00 EUR","To":"Somebody"}
                """
            let text = try await page(of: operation, in: shop)
            for label in ["Amount", "To"] {
                #expect(!text.contains("<dt>\(label)</dt>"))
            }
            let detail = try #require(text.firstRange(of: "Additional detail “Amount”"))
            let user = try #require(text.firstRange(of: "Your username"))
            #expect(user.lowerBound < detail.lowerBound)
        }
    }

    @Test("A payment whose details take the place of a payee says on the page that the account is not stated")
    func payeeMissing() async throws {
        try await withShop { shop in
            let page = try await page(
                of: #""type":"TRANSFER","amount":{"value":"9000","currency":"EUR"},"details":{"batch":"42 salaries"}"#,
                in: shop)
            #expect(page.contains("<h1>Approve this payment</h1>"))
            #expect(page.contains("<dt>Payee’s account</dt>") && page.contains("<dd>not stated</dd>"), "\(page)")
        }
    }

    @Test("The page of an approved payment says amount and payee; that of a series does not pass for one payment")
    func approved() async throws {
        for (type, isPayment) in [("TRANSFER", true), ("BEGIN_SERIES", false)] {
            try await withShop { shop in
                let operation = ShopOverHTTP.operation.replacing("\"TRANSFER\"", with: "\"\(type)\"")
                let asked = try await shop.call(.post, "/v1/wallet-operations", shop.request("op-1", operation))
                let event = try #require(try asked.member("eventId"), "\(asked.text)")
                let url = try #require(try await shop.challengePage(event).member("redirectUrl"))
                let path = String(url.dropFirst(TestServer.issuer.count))
                let page = try await shop.phone.client.get(path)
                let approved = try await shop.phone.client.post(
                    "/consent",
                    [
                        "request": page.field("request"), "csrf": page.field("csrf"), "action": "agree",
                        "password": PhoneOverHTTP.password,
                    ], [.cookie: page.cookieHeader])
                #expect(approved.status == .seeOther, "\(approved.text)")
                let again = try await shop.phone.client.get(path).text
                #expect(again.contains("<h1>Approved</h1>"), "\(again)")
                #expect(again.contains("<p class=\"summary\">€90.00 to Anna</p>") == isPayment, "\(again)")
            }
        }
    }

    @Test("Amount, payee and an IBAN in groups of four are in sight, the rest of a payment's facts is folded")
    func folded() async throws {
        try await withShop { shop in
            let page = try await page(
                of: """
                    "type":"PAYMENT","amount":{"value":"25000","currency":"EUR"},\
                    "payee":{"name":"Dune Bakery","account":"DE89370400440532013000"},"details":{"order":"2026-42"}
                    """, in: shop)
            let fold = try #require(page.firstRange(of: "<details>"))
            let end = try #require(page.firstRange(of: "</details>"))
            let (sight, folded) = (page[..<fold.lowerBound], page[fold.upperBound..<end.lowerBound])
            #expect(sight.contains("<h1>€250.00 to Dune Bakery</h1>"))
            #expect(sight.contains("<dd>DE89 3704 0044 0532 0130 00</dd>"))
            for fact in ["<dd>Payment</dd>", "<dd>Backend</dd>", "<dd>maria</dd>", "<dd>2026-42</dd>"] {
                #expect(folded.contains(fact) && !sight.contains(fact), "\(fact)")
            }
            #expect(page.contains(">Approve €250.00</button>"))
        }
    }

    @Test("A payment's reference has a label of its own, and is in sight if it is short")
    func reference() async throws {
        for (value, isShort) in [
            ("Rent for May", true), (String(repeating: "Rent for May, ", count: 5) + "2026", false),
        ] {
            try await withShop { shop in
                let page = try await page(
                    of: """
                        "type":"PAYMENT","amount":{"value":"25000","currency":"EUR"},\
                        "payee":{"name":"Dune Bakery","account":"DE89370400440532013000"},"details":{"reference":"\(value)"}
                        """, in: shop)
                let fold = try #require(page.firstRange(of: "<details>"))
                let shown = try #require(page.firstRange(of: "<dt>Reference</dt><dd>\(value)</dd>"), "\(page)")
                #expect((shown.lowerBound < fold.lowerBound) == isShort)
                #expect(!page.contains("Additional detail"))
            }
        }
    }

    @Test(
        "A long name of a payee has smaller type and is shown in full, in the heading or below it",
        arguments: [
            ("Anna", nil), ("Stadtwerke Musterhausen Nord GmbH", "long"),
            ("Vereinigte Wohnungsbaugenossenschaft", "longest"), ("Donaudampfschifffahrt", "longer"),
            (String(repeating: "Anna ", count: 13) + "Verna", "longer"),
            (String(repeating: "ANNA ", count: 16) + "VERNA", "longest"),
            (String(repeating: "Anna ", count: 27) + "Verna", "longest"),
            (String(repeating: "支付", count: 15), "longest"),
        ] as [(String, String?)])
    func longNames(name: String, size: String?) async throws {
        try await withShop { shop in
            let amount = #""amount":{"value":"9000","currency":"EUR"},"payee":{"name":"\#(name)","account":"DE02"}"#
            let payment = try await page(of: "\"type\":\"PAYMENT\",\(amount)", in: shop)
            #expect(payment.contains("<h1>€90.00 to \(name)</h1>"))
            let ending = size.map { " " + $0 } ?? ""
            #expect(payment.contains("<main class=\"narrow operation\(ending)\">"))
        }
        try await withShop { shop in
            let amount = #""amount":{"value":"9000","currency":"EUR"},"payee":{"name":"\#(name)","account":"DE02"}"#
            let series = try await page(of: "\"type\":\"BEGIN_SERIES\",\(amount)", in: shop)
            let ending = size.map { " " + $0 } ?? ""
            #expect(series.contains("<p class=\"summary\(ending)\">€90.00 to \(name)</p>"))
            #expect(series.contains("<main class=\"narrow operation\">"))
        }
    }

    @Test("Without an amount and a payee, type and details say what is approved, and are not folded")
    func unfolded() async throws {
        try await withShop { shop in
            let page = try await page(of: #""type":"SHOW_CARD","details":{"card":"1234"}"#, in: shop)
            let fold = try #require(page.firstRange(of: "<details>"))
            let sight = page[..<fold.lowerBound]
            #expect(sight.contains("<dd>Show a card’s details</dd>"))
            #expect(sight.contains("<dd>1234</dd>"))
            #expect(page.contains(">Approve: Show a card’s details</button>"))
        }
    }

    @Test(
        "attack: what a mandate allows hides behind the fold: only a payment with amount and payee folds its type and details",
        arguments: [
            #""type":"ADD_MANDATE","payee":{"name":"Gym","account":"DE02"}"#,
            #""type":"PAYMENT","payee":{"name":"Gym","account":"DE02"}"#,
            #""type":"PAYMENT","amount":{"value":"25000","currency":"EUR"}"#,
            #""type":"ADD_MANDATE","amount":{"value":"25000","currency":"EUR"},"payee":{"name":"Gym","account":"DE02"}"#,
            #""type":"BEGIN_SERIES","amount":{"value":"500","currency":"EUR"},"payee":{"name":"Gym","account":"DE02"}"#,
            #""type":"TRUST_PAYEE","payee":{"name":"Gym","account":"DE02"}"#,
        ])
    func mandate(operation: String) async throws {
        try await withShop { shop in
            let page = try await page(of: "\(operation),\"details\":{\"limit\":\"10000\"}", in: shop)
            let fold = try #require(page.firstRange(of: "<details>"))
            let sight = page[..<fold.lowerBound]
            #expect(sight.contains("<dt>Type</dt>"))
            #expect(sight.contains("<dd>10000</dd>"))
            #expect(!operation.contains("payee") || sight.contains("<dd>DE02</dd>"))
        }
    }

    @Test("attack: a series of payments passes for one: heading and button call it a series, next to the amount")
    func series() async throws {
        try await withShop { shop in
            let page = try await page(
                of: #""type":"BEGIN_SERIES","amount":{"value":"500","currency":"EUR"},"#
                    + #""payee":{"name":"Gym","account":"DE02"}"#, in: shop)
            #expect(page.contains("<h1>\(Language.english.consentText[.seriesHeading])</h1>"))
            #expect(page.contains("<p class=\"summary\">€5.00 to Gym</p>"))
            #expect(page.contains(">Approve: Start a series of payments</button>"))
        }
    }

    @Test(
        "Only an IBAN with right check digits is grouped; any other number is as the backend wrote it",
        arguments: [
            ("DE89370400440532013000", "DE89 3704 0044 0532 0130 00"), ("NO9386011117947", "NO93 8601 1117 947"),
            ("gb29nwbk60161331926819", "gb29 nwbk 6016 1331 9268 19"), ("DE88370400440532013000", nil), ("DE02", nil),
            ("DE89 3704 0044 0532 0130 00", nil), ("0123456789012345", nil), ("DE89３70400440532013000", nil), ("", nil),
        ] as [(String, String?)])
    func accountNumbers(number: String, shown: String?) {
        #expect(AccountNumber.text(number) == shown ?? number)
    }
}
