import Core
import HTTPTypes
import HummingbirdTesting
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Web

@Suite("The operators' console", .covers("operators' console"))
struct ConsoleHTTPTests {
    private static let text = Language.english.consoleText
    private static let pages = [
        "/admin", "/admin/account?id=00000000-0000-4000-8000-000000000000", "/admin/audit", "/admin/list?of=client",
    ]

    @Test("An operator signs in on the way to a page, finds a person by name and reads that nothing is in the way")
    func finds() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var console = console
            let maria = try await console.id(of: "maria")
            let asked = try await console.browser.open("/admin/account?id=\(maria)")
            #expect(asked.status == .ok)
            #expect(asked.has(Language.english.accountText[.administrationLead]))
            let arrived = try await console.signIn("/admin/account?id=\(maria)")
            #expect(arrived.text.contains("<h1>maria</h1>"), "\(arrived.text)")
            let found = try await console.browser.open("/admin?q=maria")
            #expect(found.status == .seeOther)
            #expect(found.headers[.location] == TestServer.issuer + "/admin/account?id=\(maria)")
            let page = try await console.follow(found)
            #expect(page.has(Self.text[.verdictClear, ["user": "maria"]]), "\(page.text)")
            #expect(!page.text.contains("account_reactivate") && page.asks("account_expire-password"))
            #expect(!page.hasButton("account_verify-email") && !page.text.contains("account_erase"))
            let byID = try await console.browser.open("/admin?q=\(maria)")
            #expect(byID.headers[.location] == found.headers[.location])
            let none = try await console.browser.open("/admin?q=nobody")
            #expect(none.status == .notFound)
            #expect(none.has(Self.text[.faultNotFound]) && none.text.contains("value=\"nobody\""))
        }
    }

    @Test("Each page names who is signed in, and its button signs them out")
    func signsOut() async throws {
        try await ConsoleOverHTTP.use("owner", "--all-brands") { console in
            var console = console
            let maria = try await console.id(of: "maria")
            _ = try await console.signIn()
            var page = try await console.open(maria)
            for path in ["/admin/audit", "/admin/list?of=client", "/admin"] {
                #expect(page.has(Self.text[.signedInAs, ["name": "ada"]]) && page.hasButton("sign_out"), "\(page.text)")
                page = try await console.browser.open(path)
            }
            let answer = try await console.browser.submit("sign_out", on: page, at: ConsoleOverHTTP.accountPath)
            #expect(answer.status == .seeOther)
            #expect(try await console.follow(answer).text.contains("name=\"password\""))
            #expect(try await console.open(maria).text.contains("name=\"password\""))
        }
    }

    @Test("A person without a role gets from the page that says so to a sign-in with another account")
    func anotherAccount() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var console = console
            let refused = try await console.signIn(as: "maria")
            #expect(refused.status == .forbidden && refused.has(Self.text[.anotherLabel]), "\(refused.text)")
            #expect(refused.text.contains("href=\"/admin?another=yes\""), "\(refused.text)")
            let asked = try await console.browser.open("/admin?another=yes")
            #expect(asked.text.contains("name=\"password\"") && !asked.text.contains("value=\"maria\""))
            let arrived = try await console.signIn("/admin?another=yes")
            #expect(arrived.has(Self.text[.signedInAs, ["name": "ada"]]), "\(arrived.text)")
        }
    }

    @Test("A person without a role signs out on the page that says so, and then an operator signs in")
    func signsOutWithoutRole() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var console = console
            let refused = try await console.signIn(as: "maria")
            #expect(refused.has(Self.text[.signedInAs, ["name": "maria"]]), "\(refused.text)")
            let answer = try await console.browser.submit("sign_out", on: refused, at: ConsoleOverHTTP.accountPath)
            #expect(answer.headers[.location] == TestServer.issuer + "/admin")
            let arrived = try await console.signIn()
            #expect(arrived.has(Self.text[.signedInAs, ["name": "ada"]]), "\(arrived.text)")
        }
    }

    @Test("The sign-in with another account is that of the operators' brand, not that of the person signed in")
    func anotherBrand() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var console = console
            try await console.server.execute(["brand", "create", "red", "--name", "Red"])
            for name in ["ruth", "rita"] { try await console.server.makeReachable(name, brand: "red") }
            try await console.server.execute(["operator", "grant", "rita", "--brand", "red", "--role", "support"])
            // Ruth is a customer of the other brand, and ada an operator of this one.
            var refused = try await console.signIn("/admin?operators=red", as: "ruth")
            #expect(refused.status == .forbidden, "\(refused.text)")
            var arrived = try await console.signIn("/admin?another=yes")
            #expect(arrived.has(Self.text[.signedInAs, ["name": "ada"]]), "\(arrived.text)")
            // Maria is a customer of this brand, and rita an operator of the other.
            refused = try await console.signIn("/admin?another=yes", as: "maria")
            #expect(refused.status == .forbidden, "\(refused.text)")
            refused = try await console.browser.open("/admin?operators=red")
            let link = try #require(refused.text.firstMatch(of: /href="(\/admin\?[^"]*operators=red[^"]*)"/)?.output.1)
            arrived = try await console.signIn(String(link).replacing("&amp;", with: "&"), as: "rita")
            #expect(arrived.has(Self.text[.signedInAs, ["name": "rita"]]), "\(arrived.text)")
        }
    }

    @Test("Wrong passwords are a sentence with the time of their end, and one button ends the wait")
    func mends() async throws {
        let strict: (inout ServerSettings) -> Void = {
            $0.lockout.unknownDeviceFailures = 2
            ($0.lockout.firstDelay, $0.lockout.longestDelay) = (.minutes(10), .minutes(10))
        }
        try await ConsoleOverHTTP.use("support", settings: strict) { console in
            var console = console
            let maria = try await console.id(of: "maria")
            var stranger = BrowserOverHTTP(client: console.browser.client)
            for _ in 0..<4 {
                let page = try await stranger.open(BrowserOverHTTP.accountPage)
                _ = try await stranger.press("sign_in", on: page, [("username", "maria"), ("password", "wrong one")])
            }
            let page = try await console.signIn("/admin/account?id=\(maria)")
            #expect(page.has(Self.text[.causeWrongPasswords] + "."), "\(page.text)")
            let sentence = /<p class="lead">maria cannot sign in until [^<]+: too many wrong passwords\.</
            #expect(page.text.contains(sentence), "\(page.text)")
            let mended = try await console.press("account_reactivate", maria, on: page)
            #expect(mended.has(Self.text[.unlockDone, ["name": "maria"]]), "\(mended.text)")
            #expect(!mended.has(Self.text[.causeWrongPasswords] + "."))
            let explained = try await console.server.execute(["account", "explain", "maria"]).document()
            #expect(explained["canSignIn"] == "full")
        }
    }

    @Test("Each action of customer care works by its button, and its entry in the audit log names the operator")
    func customerCare() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var console = console
            let server = console.server
            let (ada, maria) = (try await console.id(of: "ada"), try await console.id(of: "maria"))
            try await server.execute(["brand", "update", "default", "--account-pin", "on"])
            try await server.makePublicClient()
            let phone = try await PhoneOverHTTP.another(server, console.browser.client)
            var visit = try await AccountPageVisit.again(server, console.browser.client)
            let manage = try await visit.press("manage_pin", on: visit.overview)
            _ = try await visit.press("set_pin", on: manage, [("new_pin", "804613"), ("repeated_pin", "804613")])
            var page = try await console.signIn("/admin/account?id=\(maria)")
            let device = phone.id.rawValue
            let presses: [(action: String, item: String?)] = [
                ("account_remove-pin", nil), ("session_end_all", nil), ("device_suspend", device),
                ("device_resume", device), ("device_deactivate", device), ("device_reactivate", device),
                ("account_expire-password", nil), ("account_deactivate", nil), ("account_reactivate_closed", nil),
            ]
            for (action, item) in presses {
                if let question = ConsoleAction(rawValue: action)?.question {
                    #expect(page.asks(action) && !page.hasButton(action), "\(action): \(page.text)")
                    page = try await console.browser.open("/admin/account?id=\(maria)&ask=\(action)")
                    #expect(page.has(Self.text[question.heading, ["name": "maria"]]), "\(page.text)")
                    #expect(page.has(Self.text[question.lead]), "\(page.text)")
                }
                #expect(page.hasButton(action), "\(action): \(page.text)")
                page = try await console.press(action, maria, item: item, on: page)
                #expect(page.text.contains("class=\"notice good\""), "\(action): \(page.text)")
                // A deactivated account has one name for what lets its holder in.
                #expect(!page.text.contains(">\(Self.text[.unlockLabel])<"), "\(action)")
            }
            #expect(page.has(Self.text[.reopenDone, ["name": "maria"]]), "\(page.text)")
            let question = try await console.signIn("/admin/account?id=\(maria)&ask=device_remove&item=\(device)")
            #expect(question.has(Self.text[.removeDeviceLead]) && question.hasButton("device_remove"))
            page = try await console.press("device_remove", maria, item: device, on: question)
            #expect(page.text.contains("class=\"notice good\"") && !page.text.contains(device), "\(page.text)")
            let called = try await console.entries("operator.called")
            for (action, _) in presses + [("device_remove", nil)] {
                let command = action.split(separator: "_").prefix(2).joined(separator: " ")
                let entry = called.first { $0["command"]?.string == command }
                #expect(entry?["operator"]?.string == ada, "\(command)")
                #expect(entry?["about"]?.string == maria, "\(command)")
                #expect(entry?["role"] == "support", "\(command)")
            }
        }
    }

    @Test("An owner signs in again and is asked before the data of a person is erased, and the button erases it")
    func erases() async throws {
        try await ConsoleOverHTTP.use("owner", "--all-brands") { console in
            var console = console
            let maria = try await console.id(of: "maria")
            let page = try await console.signIn("/admin/account?id=\(maria)")
            #expect(page.text.contains("ask=account_erase") && !page.hasButton("account_erase"))
            let question = try await console.signIn("/admin/account?id=\(maria)&ask=account_erase")
            #expect(question.has(Self.text[.eraseHeading, ["name": "maria"]]))
            #expect(try await console.state(of: maria) == "active")
            let erased = try await console.press("account_erase", maria, on: question)
            #expect(erased.has(Self.text[.causeErased]), "\(erased.text)")
            #expect(try await console.state(of: maria) == "erased")
        }
    }

    @Test("A merged account's page names the one that remains, with a link, and offers no button")
    func merged() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var console = console
            try await console.server.execute(["account", "create", "guest"])
            let (guest, maria) = (try await console.id(of: "guest"), try await console.id(of: "maria"))
            try await console.server.execute(["account", "merge", "guest", "--into", "maria"])
            let page = try await console.signIn("/admin/account?id=\(guest)")
            #expect(page.has(Self.text[.causeMerged]), "\(page.text)")
            #expect(page.has(Self.text[.stateMerged]) && page.text.contains("/admin/account?id=\(maria)"))
            #expect(!page.text.contains("name=\"action\" value=\"account_"))
            let remaining = try await console.open(maria)
            #expect(remaining.has(Self.text[.absorbedRow]) && remaining.text.contains(guest))
        }
    }

    @Test("Where two operators are needed, the first button says so, and the same button of another operator erases")
    func twoOperators() async throws {
        try await ConsoleOverHTTP.use("owner", "--all-brands", settings: { $0.twoOperators = true }) { console in
            var (ada, bob) = (console, console)
            bob.browser = BrowserOverHTTP(client: console.browser.client)
            try await console.server.makeReachable("bob")
            try await console.server.execute(["operator", "grant", "bob", "--role", "owner", "--all-brands"])
            let maria = try await console.id(of: "maria")
            let path = "/admin/account?id=\(maria)&ask=account_erase"
            let first = try await ada.press("account_erase", maria, on: ada.signIn(path))
            #expect(first.has(Self.text[.faultSecondOperator]), "\(first.text)")
            #expect(try await console.state(of: maria) == "active")
            let question = try await bob.signIn(path, as: "bob")
            _ = try await bob.press("account_erase", maria, on: question)
            #expect(try await console.state(of: maria) == "erased")
            // Pressed twice, it does not wait for a third person.
            let again = try await bob.press("account_erase", maria, on: question)
            #expect(again.has(Self.text[.faultFormUsed]), "\(again.text)")
            #expect(try await console.entries("operator.requested").count == 1)
        }
    }

    @Test("The audit log is read in sentences, a page at a time, by those whose role reads it")
    func auditLog() async throws {
        try await ConsoleOverHTTP.use("owner", "--all-brands") { console in
            var console = console
            let maria = try await console.id(of: "maria")
            _ = try await console.signIn()
            for number in 0..<20 { try await console.server.execute(["account", "create", "person\(number)"]) }
            try await console.server.execute([
                "client", "create", "com.example.shop", "--name", "Shop", "--public", "--redirect-uri",
                "com.example.shop:/callback", "--scope", "openid",
            ])
            let looks = try await console.entries("operator.called").count
            _ = try await console.open(maria)
            let called = try await console.entries("operator.called").dropFirst(looks)
            #expect(called.map { $0["command"]?.string } == ["account explain"])
            let page = try await console.browser.open("/admin/audit")
            let look = ["operator": "ada", "command": "account explain"]
            #expect(page.has(Self.text[.operatorCalledBy, look]), "\(page.text)")
            #expect(page.has(Language.english.consoleEventText[.clientCreated]))
            let next = try #require(page.text.firstMatch(of: /href="(\/admin\/audit\?cursor=[^"]+)"/))
            let second = try await console.browser.open(String(next.1))
            #expect(second.status == .ok && second.text != page.text)
            let ofMaria = try await console.browser.open("/admin/audit?account=\(maria)")
            #expect(ofMaria.has(Language.english.activityText[.accountCreated]), "\(ofMaria.text)")
            _ = try await console.press("account_deactivate", maria, on: console.open(maria))
            let call = ["operator": "ada", "command": "account deactivate"]
            let after = try await console.browser.open("/admin/audit?account=\(maria)")
            #expect(after.has(Self.text[.operatorCalledBy, call]), "\(after.text)")
            #expect(!after.text.contains("account explain"))
            #expect(try await console.browser.open("/admin/audit?cursor=1,2,3").status == .badRequest)
        }
    }

    @Test("The account's page leads to the console those who have a role, and no one else")
    func linkOnAccountPage() async throws {
        try await ConsoleOverHTTP.use("support") { console in
            var console = console
            let link = "href=\"\(TestServer.issuer)/admin\""
            _ = try await console.signIn()
            let page = try await console.browser.open(BrowserOverHTTP.accountPage)
            #expect(page.text.contains(link) && page.has(Language.english.accountText[.consoleLabel]), "\(page.text)")
            try await console.server.execute(["operator", "revoke", "ada"])
            #expect(try await !console.browser.open(BrowserOverHTTP.accountPage).text.contains(link))
        }
    }

    @Test("An auditor of one brand reads its audit log, and nothing of another brand's")
    func auditLogOfBrand() async throws {
        try await ConsoleOverHTTP.use("auditor") { console in
            var console = console
            try await console.server.execute(["brand", "create", "other", "--name", "Other Brand"])
            try await console.server.execute(["account", "create", "eve", "--brand", "other"])
            let (eve, maria) = (try await console.id(of: "eve", brand: "other"), try await console.id(of: "maria"))
            let home = try await console.signIn()
            #expect(home.text.contains("/admin/audit"), "\(home.text)")
            let page = try await console.browser.open("/admin/audit")
            #expect(page.status == .ok && page.text.contains(maria), "\(page.text)")
            #expect(!page.text.contains(eve))
        }
    }

    @Test("A kind of entry without a sentence is read as words")
    func words() {
        #expect(ConsoleVisit.readable("webhook.secret_rotated") == "Webhook secret rotated")
    }

    @Test("A role sees the links and lists of its commands, and no others", arguments: ["support", "developer"])
    func lists(role: String) async throws {
        try await ConsoleOverHTTP.use(role, "--all-brands") { console in
            var console = console
            try await console.server.makePublicClient()
            let page = try await console.signIn()
            #expect(page.text.contains("list?of=account") == (role == "support"))
            #expect(page.text.contains("list?of=client") == (role == "developer"))
            #expect(!page.text.contains("list?of=operator") && !page.text.contains("/admin/audit"))
            let clients = try await console.browser.open("/admin/list?of=client")
            #expect(clients.status == (role == "developer" ? .ok : .forbidden))
            #expect(clients.text.contains("Aurora Wallet") == (role == "developer"))
        }
    }

    @Test(
        "The pages are in the language of the browser, without scripts, and are kept nowhere",
        arguments: Language.allCases)
    func languages(language: Language) async throws {
        try await ConsoleOverHTTP.use("owner", "--all-brands") { console in
            var console = console
            console.browser.headers[.acceptLanguage] = language.rawValue
            let maria = try await console.id(of: "maria")
            let first = try await console.signIn()
            #expect(first.has(language.consoleText[.heading]))
            for path in ["/admin", "/admin/account?id=\(maria)", "/admin/audit", "/admin/list?of=operator"] {
                let page = try await console.browser.open(path)
                #expect(page.status == .ok, "\(path): \(page.text)")
                #expect(page.text.contains("<html lang=\"\(language.rawValue)\">"))
                #expect(page.headers[.cacheControl] == "no-store")
                #expect(page.headers[.contentSecurityPolicy] == ContentPolicy().text)
                #expect(!page.text.contains("<script"))
            }
            let account = try await console.open(maria)
            #expect(account.has(language.consoleText[.verdictClear, ["user": "maria"]]), "\(account.text)")
        }
    }

    @Test(
        "An operator without a second factor is led to an authenticator app, and from there back to the page",
        arguments: Language.allCases)
    func withoutSecondFactor(language: Language) async throws {
        try await ConsoleOverHTTP.use { console in
            var console = console
            let create = ["account", "create", "bob", "--password-stdin"]
            try await console.server.execute(AdminRequest(create, input: ConsoleOverHTTP.password))
            try await console.server.execute(["operator", "grant", "bob", "--role", "support"])
            let path = "/admin/account?id=\(try await console.id(of: "maria"))"
            let typed = [("username", "bob"), ("password", ConsoleOverHTTP.password)]
            console.browser.headers[.acceptLanguage] = language.rawValue
            let lacking = try await console.browser.press("sign_in", on: console.browser.open(path), typed)
            #expect(lacking.status == .ok && lacking.has(language.accountText[.authenticatorNeeded]), "\(lacking.text)")
            let asked = try await console.browser.press("set_up_authenticator", on: lacking)
            let setUp = try await console.browser.press("sign_in", on: asked, typed)
            let mistyped = try await console.browser.press("confirm_authenticator", on: setUp, [("code", "no code")])
            #expect(mistyped.status == .badRequest)
            let code = try mistyped.authenticatorCode()
            let done = try await console.browser.submit("confirm_authenticator", on: mistyped, [("code", code)])
            #expect(done.headers[.location] == TestServer.issuer + path)
            // The password and the code are two factors, a moment old.
            let back = try await console.follow(done)
            #expect(back.text.contains("<h1>maria</h1>"), "\(back.text)")
        }
    }

    @Test("A refusal is a sentence for each code", arguments: ["forbidden_role", "last_owner", "not_found", "busy"])
    func refusals(code: String) throws {
        let templates = try PageTemplates(pages: AdminFeature.pages, pieces: AdminFeature.pieces)
        let pages = ConsolePages(
            pages: Pages(issuer: try Issuer(TestServer.issuer), templates: templates), language: .english,
            isElsewhere: false)
        let refusal = AdministrationRefusal("Internal words.", code: code)
        let answer = pages.fault(.refused(refusal))
        #expect(answer.status == AdminEndpoints.status(of: code))
        let page = String(decoding: answer.body, as: UTF8.self)
        #expect(page.contains(HTMLEscaping().escapeText(pages.sentence(for: code))))
        #expect(pages.sentence(for: code) != Self.text[.faultUnchanged])
        #expect((answer.headers[.retryAfter] != nil) == (code == "busy"))
    }

    @Test("Without the setting there is no such page")
    func off() async throws {
        try await TestServer.serve { server, client in
            for path in Self.pages {
                let answer = try await client.get(path)
                #expect(answer.status == .notFound, "\(path)")
            }
            let served = try server.routes().map(\.path)
            // Only the page of an operator's link.
            #expect(served.filter { $0.hasPrefix("/admin") }.allSatisfy { $0 == "/admin/welcome" })
        }
    }
}
