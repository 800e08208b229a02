import Core
import HTTPTypes
import HummingbirdTesting
import Testing
import WalletAuthWire

@testable import Kernel
@testable import Operations
@testable import Web

@Suite(
    "Attacks on the operators' console", .covers("operators' console"),
    .threat("A support agent who abuses the console"))
struct ConsoleAttackTests {
    private static let text = Language.english.consoleText

    @Test("attack: a person without a role gets one page that says so, whatever they ask for, and no audit log grows")
    func noRole() async throws {
        try await ConsoleOverHTTP.use { console in
            var console = console
            let maria = try await console.id(of: "maria")
            let arrived = try await console.signIn()
            #expect(arrived.status == .forbidden)
            var seen: Set<String> = []
            for path in [
                "/admin", "/admin?q=maria", "/admin/account?id=\(maria)", "/admin/audit", "/admin/list?of=client",
                "/admin/list?of=nonsense",
            ] {
                let page = try await console.browser.open(path)
                #expect(page.status == .forbidden, "\(path)")
                #expect(page.has(Self.text[.noRole]), "\(page.text)")
                // The form that signs out has other values on each page.
                let text = page.text.replacing(#/ value="[^"]*"/#, with: "")
                #expect(!text.replacing("action=\"/admin/account\"", with: "").contains("/admin/"), "\(text)")
                seen.insert(text)
            }
            #expect(seen.count == 1)
            #expect(try await console.entries("operator.refused").isEmpty)
        }
    }

    @Test("attack: a role that is revoked between page and button changes nothing")
    func revoked() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var console = console
            let maria = try await console.id(of: "maria")
            let page = try await console.signIn("/admin/account?id=\(maria)")
            try await console.server.execute(["operator", "revoke", "ada"])
            let refused = try await console.submit("account_deactivate", maria, on: page)
            #expect(refused.status == .forbidden && refused.has(Self.text[.noRole]))
            #expect(try await console.state(of: maria) == "active")
        }
    }

    @Test(
        "attack: a sign-in of one factor, of eleven minutes ago, or by a scan opens nothing and changes nothing",
        arguments: ["auth_time = auth_time - 660000", "amr = 'pwd'", "amr = amr || ' cross_device'"])
    func stepUp(change: String) async throws {
        try await ConsoleOverHTTP.use("owner", "--all-brands") { console in
            var console = console
            let maria = try await console.id(of: "maria")
            let page = try await console.signIn("/admin/account?id=\(maria)")
            try await console.write("UPDATE browser_sessions SET \(change)")
            let asked = try await console.open(maria)
            #expect(asked.text.contains("name=\"password\"") && !asked.asks("account_deactivate"))
            let pressed = try await console.submit("account_deactivate", maria, on: page)
            #expect(pressed.status == .seeOther)
            #expect(pressed.headers[.location]?.hasPrefix(TestServer.issuer + "/account?") == true)
            #expect(try await console.state(of: maria) == "active")
            let again = try await console.signIn("/admin/account?id=\(maria)")
            #expect(again.asks("account_deactivate"), "\(again.text)")
        }
    }

    @Test(
        "attack: a copied cookie of an owner's fresh sign-in gets no code for the scope admin",
        .threat("An operator's rights over HTTP"),
        arguments: ["openid admin", "admin", nil], [nil, "urn:wallet-auth:acr:2fa"])
    func copiedCookie(scope: String?, acr: String?) async throws {
        try await ConsoleOverHTTP.use("owner", "--all-brands") { console in
            var console = console
            try await console.server.makePublicClient { $0.scopes.append("admin") }
            _ = try await console.signIn()
            let cookie = try #require(console.browser.cookies["wa_session"])
            let thief: HTTPFields = [.cookie: "wa_session=\(cookie)"]
            var request = ["scope": scope, "acr_values": acr]
            let page = try await console.browser.client.get("/oauth2/authorize?" + Journey.query(request), thief)
            #expect(page.status == .ok && page.text.contains("name=\"password\""), "\(page.text)")
            request["prompt"] = "none"
            let silent = try await console.browser.client.get("/oauth2/authorize?" + Journey.query(request), thief)
            #expect(try silent.redirectParameters["error"] == "login_required")
            // What does not administer goes on silently.
            let harmless = Journey.query(["scope": "openid", "prompt": "none"])
            let code = try await console.browser.client.get("/oauth2/authorize?" + harmless, thief)
            #expect(try code.redirectParameters["code"] != nil)
        }
    }

    @Test("attack: support sees addresses in part, on every page and in every sentence")
    func masked() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var console = console
            let made = try await console.server.execute(["account", "create", "eve@example.com"])
            let eve = try #require(try made.document()["accountId"]?.string)
            let maria = try await console.id(of: "maria")
            _ = try await console.signIn()
            for path in [
                "/admin/account?id=\(maria)", "/admin/account?id=\(eve)", "/admin/list?of=account",
            ] {
                let page = try await console.browser.open(path)
                #expect(page.status == .ok)
                #expect(!page.text.contains("maria@example.com"), "\(page.text)")
                #expect(!page.text.contains("eve@example.com"), "\(page.text)")
            }
            #expect(try await console.open(maria).text.contains("m…\u{2060}@example.com"))
        }
    }

    @Test("attack: a support agent of one brand reaches another brand's account by its id")
    func otherBrand() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var console = console
            try await console.server.execute(["brand", "create", "red", "--name", "Red"])
            try await console.server.execute(["account", "create", "eve", "--brand", "red"])
            let (eve, maria) = (try await console.id(of: "eve", brand: "red"), try await console.id(of: "maria"))
            let page = try await console.signIn("/admin/account?id=\(maria)")
            let hidden = try await console.open(eve)
            let none = try await console.open("00000000-0000-4000-8000-000000000000")
            #expect(hidden.status == .notFound && none.status == .notFound)
            #expect(hidden.text == none.text)
            #expect(try await console.browser.open("/admin?q=eve&brand=red").status == .notFound)
            let pressed = try await console.press("account_deactivate", eve, on: page)
            #expect(pressed.status == .notFound)
            #expect(try await console.state(of: eve) == "active")
            #expect(try await console.entries("operator.refused").last?["code"] != nil)
        }
    }

    @Test("attack: support presses buttons that its pages do not have: erase, an operator's account, its own")
    func beyondRole() async throws {
        try await ConsoleOverHTTP.use("support", "--all-brands") { console in
            var console = console
            try await console.server.execute(["account", "create", "grace"])
            try await console.server.execute(["operator", "grant", "grace", "--role", "owner", "--all-brands"])
            let ids = [
                "maria": try await console.id(of: "maria"), "grace": try await console.id(of: "grace"),
                "ada": try await console.id(of: "ada"),
            ]
            let maria = try #require(ids["maria"])
            _ = try await console.signIn()
            let presses: [(String, String, ConsoleText)] = [
                ("account_erase", "maria", .faultForbidden), ("account_verify-email", "maria", .faultForbidden),
                ("account_deactivate", "grace", .faultAdministration), ("account_deactivate", "ada", .faultOwnAccount),
            ]
            for (action, name, sentence) in presses {
                let page = try await console.open(maria)
                let refused = try await console.press(action, try #require(ids[name]), on: page)
                #expect(refused.has(Self.text[sentence]), "\(action): \(refused.text)")
                #expect(!refused.text.contains("may not run") && !refused.text.contains("This concerns"))
            }
            for id in ids.values { #expect(try await console.state(of: id) == "active") }
            #expect(try await console.entries("operator.refused").count == 4)
        }
    }

    @Test("attack: a page to which another site sent an operator's browser makes no call, and asks to go on by a link")
    func sentByAnotherSite() async throws {
        try await ConsoleOverHTTP.use("owner", "--all-brands") { console in
            var console = console
            let maria = try await console.id(of: "maria")
            _ = try await console.signIn()
            for site in ["cross-site", "same-site"] {
                console.browser.headers[.secFetchSite] = site
                for path in ["/admin/account?id=\(maria)", "/admin?q=maria", "/admin/audit", "/admin/list?of=client"] {
                    let page = try await console.browser.open(path)
                    #expect(page.status == .ok && page.has(Self.text[.goOn]), "\(page.text)")
                    #expect(page.text.contains("href=\"\(path)\""), "\(page.text)")
                }
                // It runs no command, so a link to it needs no question.
                #expect(try await console.browser.open("/admin").text.contains("name=\"q\""))
            }
            #expect(try await console.entries("operator.called").isEmpty)
            // The link, and a bookmark.
            for site in ["same-origin", "none"] {
                console.browser.headers[.secFetchSite] = site
                #expect(try await console.open(maria).asks("account_deactivate"))
            }
        }
    }

    @Test("attack: another site, or a form of another session, signs an operator out of the console")
    func signOut() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var (console, other) = (console, console)
            let page = try await console.signIn()
            let foreign = try await other.signIn()
            var elsewhere = console
            elsewhere.browser.headers[.secFetchSite] = "cross-site"
            let forged = try await elsewhere.browser.submit("sign_out", on: page, at: ConsoleOverHTTP.accountPath)
            #expect(forged.status == .badRequest)
            let mixed = try await console.browser.submit("sign_out", on: foreign, at: ConsoleOverHTTP.accountPath)
            #expect(mixed.status == .badRequest)
            #expect(try await console.browser.open("/admin").text.contains("name=\"q\""))
        }
    }

    @Test("attack: a form of another session, without its token, from another site, or of another page changes nothing")
    func forgery() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var (console, other) = (console, console)
            let maria = try await console.id(of: "maria")
            let page = try await console.signIn("/admin/account?id=\(maria)")
            let foreign = try await other.signIn("/admin/account?id=\(maria)")
            #expect(try await console.submit("account_deactivate", maria, on: foreign).status == .badRequest)
            let ownPage = try await console.browser.open("/account")
            #expect(try await console.submit("account_deactivate", maria, on: ownPage).status == .badRequest)
            var elsewhere = console
            elsewhere.browser.headers[.secFetchSite] = "cross-site"
            #expect(try await elsewhere.submit("account_deactivate", maria, on: page).status == .badRequest)
            var form = FormParameters()
            for (name, value) in [
                ("request", try page.field("request")), ("csrf", try foreign.field("csrf")),
                ("action", "account_deactivate"), ("id", maria),
            ] { form.append(name, value) }
            let headers: HTTPFields = [.cookie: console.browser.cookieHeader]
            let unproved = try await console.browser.client.postOnly(
                ConsoleOverHTTP.accountPath, body: form.encoded, "application/x-www-form-urlencoded", headers)
            #expect(unproved.status == .badRequest)
            #expect(try await console.state(of: maria) == "active")
        }
    }

    @Test("attack: the copied cookie of a fresh sign-in erases no account and removes no device")
    func copiedCookie() async throws {
        try await ConsoleOverHTTP.use("owner", "--all-brands") { console in
            var (console, thief) = (console, console)
            let maria = try await console.id(of: "maria")
            try await console.server.makePublicClient()
            let phone = try await PhoneOverHTTP.another(console.server, console.browser.client)
            let account = "/admin/account?id=\(maria)"
            let question = try await console.signIn(account + "&ask=account_erase")
            #expect(question.hasButton("account_erase"), "\(question.text)")
            thief.browser.cookies = console.browser.cookies.filter { $0.key.contains("session") }
            #expect(thief.browser.cookies.count == 1)
            let page = try await thief.open(maria)
            #expect(page.asks("account_deactivate"), "\(page.text)")
            let device = phone.id.rawValue
            let presses: [(action: String, item: String?)] = [("account_erase", nil), ("device_remove", device)]
            for (action, item) in presses {
                let path = account + "&ask=\(action)" + (item.map { "&item=\($0)" } ?? "")
                let asked = try await thief.browser.open(path)
                #expect(asked.text.contains("name=\"password\"") && !asked.hasButton(action), "\(asked.text)")
                let pressed = try await thief.press(action, maria, item: item, on: page)
                #expect(pressed.text.contains("name=\"password\""), "\(pressed.text)")
            }
            #expect(try await console.state(of: maria) == "active")
            #expect(try await console.open(maria).text.contains(device))
        }
    }

    @Test("attack: the sign-in for one question answers no other, and its address is of no use to another session")
    func otherQuestion() async throws {
        try await ConsoleOverHTTP.use("owner", "--all-brands") { console in
            var (console, other) = (console, console)
            let maria = try await console.id(of: "maria")
            try await console.server.execute(["account", "create", "grace"])
            let grace = try await console.id(of: "grace")
            let path = "/admin/account?id=\(maria)&ask=account_erase"
            let asked = try await console.browser.open(path)
            let second = try await console.browser.press(
                "sign_in", on: asked, [("username", "ada"), ("password", ConsoleOverHTTP.password)])
            let code = try await console.server.sentCode(to: "ada@example.com")
            let arrived = try await console.browser.submit("answer_factor", on: second, [("answer", code)])
            let question = try await console.follow(arrived)
            let pressed = try await console.press("account_erase", grace, on: question)
            #expect(pressed.text.contains("name=\"password\""), "\(pressed.text)")
            _ = try await other.signIn()
            let shown = try await other.follow(arrived)
            #expect(shown.text.contains("name=\"password\"") && !shown.hasButton("account_erase"), "\(shown.text)")
            for id in [maria, grace] { #expect(try await console.state(of: id) == "active") }
        }
    }

    @Test("attack: a form of the console makes no change on the operator's own account page")
    func ownAccount() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var console = console
            let maria = try await console.id(of: "maria")
            let page = try await console.signIn("/admin/account?id=\(maria)")
            let asked = try await console.browser.press("set_up_authenticator", on: page)
            #expect(asked.text.contains("name=\"password\""), "\(asked.text)")
        }
    }

    @Test("A form that is sent twice makes one change, and the second time its page says so")
    func doubled() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var console = console
            let maria = try await console.id(of: "maria")
            let page = try await console.signIn("/admin/account?id=\(maria)")
            _ = try await console.press("account_deactivate", maria, on: page)
            #expect(try await console.state(of: maria) == "deactivated")
            let again = try await console.press("account_reactivate", maria, on: page)
            #expect(again.has(Self.text[.faultFormUsed]), "\(again.text)")
            #expect(try await console.state(of: maria) == "deactivated")
        }
    }

    @Test("attack: markup that is stored in names does not become part of a page")
    func markup() async throws {
        try await ConsoleOverHTTP.use("owner", "--all-brands") { console in
            var console = console
            try await console.server.makePublicClient()
            try await console.write("UPDATE clients SET name = '<img src=x>\"&'")
            try await console.write("UPDATE brands SET name = '<script>1</script>'")
            _ = try await console.signIn()
            let clients = try await console.browser.open("/admin/list?of=client")
            #expect(clients.has("<img src=x>\"&") && !clients.text.contains("<img"), "\(clients.text)")
            let brands = try await console.browser.open("/admin/list?of=brand")
            #expect(!brands.text.contains("<script"), "\(brands.text)")
            let typed = try await console.browser.open("/admin?q=%3Cscript%3E%22")
            #expect(!typed.text.contains("<script") && typed.has("<script>\""), "\(typed.text)")
        }
    }

    @Test("attack: an operator who looks without end is held back, with the time to wait")
    func tooMany() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var console = console
            _ = try await console.signIn()
            var refused: TestResponse?
            for _ in 0...120 where refused == nil {
                let answer = try await console.browser.open("/admin?q=maria")
                if answer.status == .tooManyRequests { refused = answer }
            }
            let page = try #require(refused)
            let seconds = try #require(page.headers[.retryAfter].flatMap { Int($0) })
            #expect((1...60).contains(seconds))
            #expect(page.text.contains("<h1>"))
        }
    }

    @Test("attack: the address of a notice shows another operator no words")
    func notice() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var (console, other) = (console, console)
            let maria = try await console.id(of: "maria")
            let page = try await console.signIn("/admin/account?id=\(maria)")
            let answer = try await console.submit("account_deactivate", maria, on: page)
            let location = try #require(answer.headers[.location]).dropFirst(TestServer.issuer.count)
            try await console.server.makeReachable("grace")
            try await console.server.execute(["operator", "grant", "grace", "--role", "support"])
            let shown = try await console.browser.open(String(location))
            #expect(shown.text.contains("class=\"notice good\""), "\(shown.text)")
            _ = try await other.signIn(as: "grace")
            let seen = try await other.browser.open(String(location))
            #expect(seen.status == .ok && !seen.text.contains("class=\"notice"), "\(seen.text)")
        }
    }
}
