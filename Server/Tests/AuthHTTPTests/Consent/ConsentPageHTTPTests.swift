import Core
import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import SignIn
import TestSupport
import Testing
import WalletAuthWire

@testable import Consent
@testable import HTTP
@testable import Web

@Suite("The page on which a person agrees, over HTTP")
struct ConsentPageHTTPTests {
    private static let wrong = "not the password"

    private func withShop(
        consentReturnURLs: [String] = [ShopOverHTTP.returnURL], _ body: @Sendable (ShopOverHTTP) async throws -> Void
    ) async throws {
        try await TestServer.serve { server, client in
            try await body(ShopOverHTTP.open(server, client) { $0.consentReturnURLs = consentReturnURLs })
        }
    }

    /// Asks for an operation, challenges the password, and gives the event and the page's path with its ticket.
    private func link(_ shop: ShopOverHTTP, _ id: String = "op-1") async throws -> (event: String, path: String) {
        let event = try await shop.ask(id)
        let answer = try await shop.challengePage(event, id: id)
        try #require(answer.status == .ok, "\(answer.text)")
        let url = try #require(try answer.member("redirectUrl"))
        try #require(url.hasPrefix(TestServer.issuer + "/consent?ticket="))
        return (event, String(url.dropFirst(TestServer.issuer.count)))
    }

    private func press(
        _ action: String, on page: TestResponse, in shop: ShopOverHTTP, password: String? = nil,
        headers: HTTPFields? = nil
    ) async throws -> TestResponse {
        var form = FormParameters()
        form.append("request", try page.field("request"))
        form.append("csrf", try page.field("csrf"))
        form.append("action", action)
        if let password { form.append("password", password) }
        return try await shop.phone.client.post(
            "/consent", body: form.encoded, "application/x-www-form-urlencoded",
            headers ?? [.cookie: page.cookieHeader])
    }

    /// The app's answer when it asks for the outcome.
    private func outcome(_ event: String, in shop: ShopOverHTTP, id: String = "op-1") async throws -> TestResponse {
        try await shop.phone.send(
            .post, "/v1/sca/events/\(event)/attempts",
            #"{"walletOperationId":"\#(id)","verification":{"method":"PASSWORD","channel":"REDIRECT"},"value":""}"#)
    }

    @Test(
        "The link opens in a browser without a session, the page says all, the password agrees, and nothing is logged")
    func wholeWay() async throws {
        try await withShop { shop in
            let (event, path) = try await link(shop)
            let page = try await shop.phone.client.get(path)
            #expect(page.status == .ok, "\(page.text)")
            for part in [
                "<title>Approve this payment", "<h1>€90.00 to Anna</h1>", "DE02", ">Approve €90.00</button>",
                "<dd>Transfer</dd>", "Backend", "Aurora Wallet", "maria",
            ] {
                #expect(page.text.contains(part), "missing: \(part)")
            }
            #expect(page.headers[.cacheControl] == "no-store")
            #expect(page.headers[.referrerPolicy] == "no-referrer")
            #expect(page.headers[.xFrameOptions] == "DENY")
            let policy = try #require(page.headers[.contentSecurityPolicy])
            #expect(
                policy == "default-src 'none'; style-src 'self'; img-src 'self'; "
                    + "form-action 'self' https://app.example.com; base-uri 'none'; frame-ancestors 'none'")
            #expect(!page.text.contains("<script"))
            #expect(page.headers[.setCookie]?.contains("HttpOnly; SameSite=Lax") == true)

            let wrong = try await press("agree", on: page, in: shop, password: Self.wrong)
            #expect(wrong.status == .badRequest)
            #expect(wrong.text.contains("Attempts left: 4."))
            #expect(wrong.text.contains("aria-invalid=\"true\""))
            #expect(!wrong.text.contains(Self.wrong))
            let again = try await outcome(event, in: shop)
            #expect(try again.member("statusReason") == "INVALID_VALUE", "\(again.text)")

            let agreed = try await press("agree", on: page, in: shop, password: PhoneOverHTTP.password)
            #expect(agreed.status == .seeOther, "\(agreed.text)")
            #expect(
                agreed.headers[.location] == "\(ShopOverHTTP.returnURL)?event_id=\(event)&wallet_operation_id=op-1")
            #expect(agreed.text.isEmpty)
            // A cookie that is set makes Chromium forget the page with the password.
            #expect(agreed.headers[.setCookie]?.hasPrefix(page.cookieHeader + ";") == true)
            let told = try await outcome(event, in: shop)
            #expect(try told.member("status") == "VERIFIED", "\(told.text)")
            let used = try await shop.call(
                .post, "/v1/wallet-operations/op-1/consume", #"{"eventId":"\#(event)",\#(ShopOverHTTP.operation)}"#)
            #expect(used.status == .ok, "\(used.text)")
            // As after a lost answer, without a key to repeat it by.
            let lost = try await shop.call(
                .post, "/v1/wallet-operations/op-1/consume", #"{"eventId":"\#(event)",\#(ShopOverHTTP.operation)}"#)
            #expect(lost.status == .conflict)
            #expect(try lost.member("code") == "sca_already_used")
            #expect(try lost.member("detail")?.contains("send the Idempotency-Key of that call") == true)

            let ticket = try #require(path.split(separator: "=").last)
            let hidden = [String(ticket), try page.field("request"), PhoneOverHTTP.password, Self.wrong, "Anna"]
            for secret in hidden {
                #expect(!shop.phone.server.log.lines.contains { $0.contains(secret) }, "\(secret)")
            }
        }
    }

    @Test(
        "A forgotten password has a way out that promises nothing for this payment: the account page, or the app's own"
    )
    func forgotten() async throws {
        for resetURLs in [[], ["https://app.example.com/reset"]] {
            try await TestServer.serve { server, client in
                let shop = try await ShopOverHTTP.open(server, client) {
                    $0.consentReturnURLs = [ShopOverHTTP.returnURL]
                    $0.resetCredentialsURLs = resetURLs
                }
                let page = try await shop.phone.client.get(try await link(shop).path)
                let fold = /(?s)<details class="forgot">.*?<\/details>/
                let folded = try #require(page.text.firstMatch(of: fold)?.output)
                #expect(folded.contains("<summary>Forgot your password?</summary>"))
                #expect(folded.contains("That signs you out everywhere and ends this request"))
                #expect(folded.contains("For 24\u{A0}hours after a reset, the new password may not be enough"))
                let address = resetURLs.first ?? TestServer.issuer + "/account"
                #expect(folded.contains("<a href=\"\(address)\" rel=\"noreferrer\">"))
                let button = try #require(page.text.firstRange(of: "value=\"agree\""))
                #expect(button.upperBound < folded.startIndex)
            }
        }
    }

    @Test("A browser goes back to the app by a page, since the app may redirect on", arguments: ["agree", "cancel"])
    func wayBack(action: String) async throws {
        try await withShop { shop in
            let (event, path) = try await link(shop)
            let page = try await shop.phone.client.get(path)
            let back = try await press(
                action, on: page, in: shop, password: PhoneOverHTTP.password,
                headers: [.cookie: page.cookieHeader, .secFetchDest: "document", .secFetchSite: "same-origin"])
            #expect(back.status == .ok, "\(back.text)")
            let url = "\(ShopOverHTTP.returnURL)?event_id=\(event)&wallet_operation_id=op-1"
            #expect(back.headers[.refresh] == "0;url=" + url)
            #expect(back.text.contains("<a class=\"button\" href=\"\(url.replacing("&", with: "&amp;"))\""))
        }
    }

    @Test(
        "On the way to an app's own scheme the page says what happened, also when it is loaded again",
        arguments: [("agree", ConsentText.agreed), ("cancel", .left)], Language.allCases)
    func ownScheme(button: (action: String, lead: ConsentText), language: Language) async throws {
        let own = "com.example.wallet:/agreed"
        try await withShop(consentReturnURLs: [own]) { shop in
            let event = try await shop.ask()
            let challenge = try await shop.challengePage(event, returnURL: own)
            let link = try #require(try challenge.member("redirectUrl"), "\(challenge.text)")
            let page = try await shop.phone.client.get(
                String(link.dropFirst(TestServer.issuer.count)), [.acceptLanguage: language.rawValue])
            let asked = try #require(page.text.firstMatch(of: /<h1>(.*?)<\/h1>/)).1
            let headers: HTTPFields = [
                .cookie: page.cookieHeader, .secFetchDest: "document", .secFetchSite: "same-origin",
                .acceptLanguage: language.rawValue,
            ]
            // A person who typed a wrong password first must not find its error behind the app.
            let wrong = try await press("agree", on: page, in: shop, password: Self.wrong, headers: headers)
            #expect(wrong.status == .badRequest)
            let url = "\(own)?event_id=\(event)&wallet_operation_id=op-1"
            for _ in 1...2 {
                let back = try await press(
                    button.action, on: page, in: shop, password: PhoneOverHTTP.password, headers: headers)
                #expect(back.status == .ok, "\(back.text)")
                #expect(back.headers[.location] == nil)
                #expect(back.headers[.refresh] == "0;url=" + url)
                #expect(back.text.contains("<a class=\"button\" href=\"\(url.replacing("&", with: "&amp;"))\""))
                let lead = language.consentText[button.lead, ["client": "Aurora Wallet"]]
                #expect(back.text.contains(HTMLEscaping().escapeText(lead)), "\(back.text)")
                // What was approved, as the page that asked said it; after "Cancel" it would pass for that.
                #expect(back.text.contains("<p class=\"summary\">\(asked)</p>") == (button.action == "agree"))
                #expect(!back.text.contains("<form"))
            }
        }
    }

    @Test("The fifth wrong password ends the page, the event and every later try")
    func locked() async throws {
        try await withShop { shop in
            let (event, path) = try await link(shop)
            let page = try await shop.phone.client.get(path)
            for number in 0..<4 {
                let wrong = try await press("agree", on: page, in: shop, password: "\(Self.wrong) \(number)")
                #expect(wrong.status == .badRequest)
            }
            for password in [Self.wrong, PhoneOverHTTP.password] {
                let over = try await press("agree", on: page, in: shop, password: password)
                #expect(over.status == .conflict)
                #expect(over.text.contains("Too many wrong attempts"))
                #expect(over.text.contains(": it is waiting for you."), "\(over.text)")
                #expect(
                    over.text.contains(
                        "href=\"\(ShopOverHTTP.returnURL)?event_id=\(event)&amp;wallet_operation_id=op-1\""))
                #expect(!over.text.contains("name=\"password\""))
            }
            let told = try await outcome(event, in: shop)
            #expect(told.status == .conflict)
            #expect(try told.member("code") == "data_error")
        }
    }

    @Test("Cancel goes back and changes nothing; refusing ends the operation and says what to do")
    func cancelAndRefuse() async throws {
        try await withShop { shop in
            let (event, path) = try await link(shop)
            let page = try await shop.phone.client.get(path)
            #expect(page.text.contains(">Back to Aurora Wallet without approving</button>"), "\(page.text)")
            let left = try await press("cancel", on: page, in: shop)
            #expect(left.status == .seeOther)
            #expect(left.headers[.location]?.hasPrefix(ShopOverHTTP.returnURL + "?event_id=") == true)
            let still = try await shop.call(.get, "/v1/wallet-operations/op-1")
            #expect(try still.member("status") == "SCA_REQUIRED")
            let refused = try await press("refuse", on: page, in: shop)
            #expect(refused.status == .ok)
            #expect(refused.headers[.setCookie]?.hasPrefix(page.cookieHeader + ";") == true)
            #expect(refused.text.contains("Someone else may be signed in as you"))
            // The account comes first: who started nothing has nothing to do in the app.
            let warning = try #require(refused.text.firstRange(of: "<p>Someone else"))
            let account = try #require(
                refused.text.firstRange(of: "<a class=\"button\" href=\"\(TestServer.issuer)/account\""))
            let back = try #require(
                refused.text.firstRange(of: "<a href=\"\(ShopOverHTTP.returnURL)?event_id=\(event)&amp;"))
            #expect(warning.upperBound < account.lowerBound && account.upperBound < back.lowerBound)
            #expect(!refused.text.contains("waiting for you"))
            let shown = try await shop.call(.get, "/v1/wallet-operations/op-1")
            #expect(try shown.member("status") == "CANCELLED")
            let told = try await outcome(event, in: shop)
            #expect(try told.member("code") == "data_error")
            #expect(try told.json["refused"]?.bool == true, "\(told.text)")
        }
    }

    @Test("CSRF: the form without its cookie, with another page's token, or sent by another site agrees to nothing")
    func crossSiteForm() async throws {
        try await withShop { shop in
            let (event, path) = try await link(shop)
            let page = try await shop.phone.client.get(path)
            let other = try await shop.phone.client.get(try await link(shop, "op-2").path)
            let cookie = page.cookieHeader
            let attacks: [HTTPFields] = [
                [:], [.cookie: cookie, .secFetchSite: "cross-site"],
                [.cookie: cookie, .secFetchSite: "same-site"],
            ]
            for action in ["agree", "refuse"] {
                for headers in attacks {
                    let answer = try await press(
                        action, on: page, in: shop, password: PhoneOverHTTP.password, headers: headers)
                    #expect(answer.status == .badRequest, "\(action) \(headers)")
                    #expect(answer.headers[.location] == nil)
                }
                // Another browser's cookie: the form is worth as much as its link.
                let elsewhere = try await press(
                    action, on: page, in: shop, password: PhoneOverHTTP.password,
                    headers: [.cookie: other.cookieHeader])
                #expect(elsewhere.status == .seeOther)
                #expect(elsewhere.headers[.location]?.hasPrefix(TestServer.issuer + "/consent?ticket=") == true)
            }
            for (request, csrf) in [
                (try page.field("request"), try other.field("csrf")),
                (try other.field("request"), try page.field("csrf")),
                (try page.field("request"), ""),
            ] {
                let answer = try await shop.phone.client.post(
                    "/consent",
                    ["request": request, "csrf": csrf, "action": "agree", "password": PhoneOverHTTP.password],
                    [.cookie: cookie])
                // A genuine form that another page's token came with is worth as much as its link.
                let restarts = answer.headers[.location]?.hasPrefix(TestServer.issuer + "/consent?ticket=") == true
                #expect(answer.status == .badRequest || answer.status == .seeOther && restarts)
            }
            let told = try await outcome(event, in: shop)
            #expect(try told.member("statusReason") == "NOT_CHALLENGED")
            let right = try await press(
                "agree", on: page, in: shop, password: PhoneOverHTTP.password,
                headers: [.cookie: cookie, .secFetchSite: "same-origin"])
            #expect(right.status == .seeOther)
        }
    }

    @Test("A link without a ticket, with a changed one or with two is a page that says so, and leads nowhere")
    func wrongLinks() async throws {
        try await withShop { shop in
            let (_, path) = try await link(shop)
            var changed = Array(path)
            changed[changed.count - 20] = changed[changed.count - 20] == "A" ? "B" : "A"
            for wrong in ["/consent", "/consent?ticket=", "/consent?ticket=evil", String(changed), path + "&ticket=x"] {
                let answer = try await shop.phone.client.get(wrong)
                #expect(answer.status == .badRequest, "\(wrong)")
                #expect(answer.headers[.location] == nil)
                #expect(!answer.text.contains("Anna"))
                #expect(!answer.text.contains("name=\"password\""))
            }
        }
    }

    @Test(
        "Malformed forms are refused and cost nothing",
        arguments: [
            "", "action=agree", "request=a&csrf=b", "request=a&csrf=b&action=pay", "request=a&csrf=b&action=agree",
            "request=a&request=b&csrf=c&action=cancel", "request=a&csrf=b&action=agree&password=",
        ])
    func malformed(form: String) async throws {
        try await withShop { shop in
            let answer = try await shop.phone.client.post(
                "/consent", body: form, "application/x-www-form-urlencoded")
            #expect(answer.status == .badRequest, "\(answer.text)")
            #expect(answer.headers[.location] == nil)
        }
    }

    @Test(
        "Open redirect by returnUrl: what is not registered to the letter is 400, and nothing is challenged",
        arguments: [
            "https://evil.example/", "https://app.example.com@evil.example/agreed",
            "https://app.example.com/agreed/..;/evil", "https://APP.example.com/agreed",
            "https://app.example.com/%61greed", "https://app.example.com./agreed",
            "https://app.example.com/agreed#fragment", "https://*.example.com/agreed", "javascript:alert(1)",
            "http://localhost/agreed", "https://app.example.com/agreed?more", "//evil.example", "",
            "https://app.example.com/callback",
        ])
    func openRedirect(url: String) async throws {
        try await withShop { shop in
            let event = try await shop.ask()
            let answer = try await shop.challengePage(event, returnURL: url)
            #expect(answer.status == .badRequest, "\(answer.text)")
            #expect(try answer.member("redirectUrl") == nil)
            let told = try await outcome(event, in: shop)
            #expect(try told.member("statusReason") == "NOT_CHALLENGED")
        }
    }

    @Test("A loopback return URL is taken with any port, and an app's own scheme to the letter")
    func otherKinds() async throws {
        try await withShop(consentReturnURLs: ["http://127.0.0.1/agreed", "com.example.wallet:/agreed"]) { shop in
            let event = try await shop.ask()
            for (url, source) in [
                ("http://127.0.0.1:49152/agreed", "http://127.0.0.1:49152"),
                ("com.example.wallet:/agreed", "com.example.wallet:"),
            ] {
                let answer = try await shop.challengePage(event, returnURL: url)
                try #require(answer.status == .ok, "\(answer.text)")
                let link = try #require(try answer.member("redirectUrl"))
                let page = try await shop.phone.client.get(String(link.dropFirst(TestServer.issuer.count)))
                #expect(page.headers[.contentSecurityPolicy]?.contains("form-action 'self' \(source);") == true)
                let back = try await press("cancel", on: page, in: shop)
                #expect(back.headers[.location]?.hasPrefix(url + "?event_id=") == true)
            }
            for url in ["http://127.0.0.1:49152/other", "http://[::1]/agreed", "com.example.wallet:/agreed2"] {
                let answer = try await shop.challengePage(event, returnURL: url)
                #expect(try answer.member("code") == "return_url_not_registered", "\(answer.text)")
            }
        }
    }

    @Test("The account's PIN by REDIRECT is 409 with what would do; without a return URL the password is too")
    func unavailable() async throws {
        try await withShop { shop in
            let answer = try await shop.challengePage(try await shop.ask(), method: "PIN")
            #expect(answer.status == .conflict)
            #expect(try answer.member("code") == "verification_unavailable")
            #expect(answer.text.contains(#""method":"PASSWORD""#))
        }
        try await withShop(consentReturnURLs: []) { shop in
            let asked = try await shop.call(.post, "/v1/wallet-operations", shop.request())
            #expect(!asked.text.contains("REDIRECT"))
            let answer = try await shop.challengePage(try #require(try asked.member("eventId")))
            #expect(try answer.member("code") == "return_url_not_registered", "\(answer.text)")
        }
    }

    @Test("The page speaks the browser's language", arguments: Language.allCases)
    func languages(language: Language) async throws {
        try await withShop { shop in
            let (_, path) = try await link(shop)
            let page = try await shop.phone.client.get(path, [.acceptLanguage: language.rawValue])
            #expect(page.text.contains("<html lang=\"\(language.rawValue)\">"))
            let amount = try Money(minorUnits: 90_00, currency: .euro).text(in: language)
            let words = language.consentText
            #expect(page.text.contains("<h1>\(words[.amountToPayee, ["amount": amount, "payee": "Anna"]])</h1>"))
            #expect(page.text.contains(">\(words[.agreeAmountLabel, ["amount": amount]])</button>"))
            #expect(!page.text.contains("{client}"))
        }
    }
}
