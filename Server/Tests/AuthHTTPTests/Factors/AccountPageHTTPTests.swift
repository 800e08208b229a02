import Core
import HTTPTypes
import HummingbirdTesting
import QRCodes
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Web

@Suite(
    "The account's own page over HTTP", .threat("The account's own page"),
    .covers("GET|POST /account (the account's own page)"))
struct AccountPageHTTPTests {
    private func text(_ pattern: String, in page: TestResponse) throws -> String {
        let match = try #require(page.text.firstMatch(of: try Regex(pattern)), "\(page.text)")
        return String(try #require(match.output[1].substring))
    }

    private func code(of secret: String) throws -> String {
        let bytes = try #require(Base32.decode(secret))
        return TOTP.code(at: TOTP.stepNumber(at: SystemClock().now()), secret: bytes)
    }

    @Test("The page after a sign-out links to the sign-in, and its former address leads to the page")
    func wayOn() async throws {
        try await TestServer.serve { server, client in
            try await server.makeAccount()
            var visit = BrowserOverHTTP(client: client)
            let overview = try await visit.signIn()
            let moved = try await visit.open("/account/security?ui_locales=de")
            #expect(moved.status == .seeOther)
            #expect(moved.headers[.location] == TestServer.issuer + "/account?ui_locales=de")
            let link = "<a class=\"button\" href=\"\(TestServer.issuer)/account\""
            #expect(!overview.text.contains(link))
            let ended = try await visit.press("sign_out", on: overview)
            #expect(ended.text.contains("<h1>\(Language.english.text[.signedOutHeading])</h1>"))
            #expect(ended.text.contains(link))
        }
    }

    @Test(
        "An authenticator app is set up by the page's own QR code, link or text, and none of these is kept or logged"
    )
    func authenticator() async throws {
        try await TestServer.serve { server, client in
            try await server.makeAccount()
            var visit = BrowserOverHTTP(client: client)
            let overview = try await visit.signIn()
            #expect(overview.status == .ok, "\(overview.text)")
            #expect(overview.text.contains("You are signed in as maria."))
            #expect(!overview.text.contains("make_recovery_codes"))

            let waiting = try await visit.press("set_up_authenticator", on: overview)
            #expect(waiting.status == .ok)
            #expect(waiting.headers[.cacheControl] == "no-store")
            #expect(waiting.headers[.referrerPolicy] == "no-referrer")
            let policy = try #require(waiting.headers[.contentSecurityPolicy])
            #expect(policy.hasPrefix("default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; "))
            #expect(try text("<script src=\"([^\"]*)\"", in: waiting) == "/assets/" + PageAssets().copyScriptName)
            #expect(waiting.headers[.location] == nil)

            let link = try text("<a href=\"(otpauth:[^\"]*)\"", in: waiting).replacing("&amp;", with: "&")
            let query = try FormParameters(parsing: try #require(link.split(separator: "?").last))
            let secret = try #require(query["secret"])
            let letters = try text("<p class=\"secret\"[^>]*><code>([^<]*)</code>", in: waiting)
            #expect(letters.replacing(" ", with: "") == secret)
            #expect(letters.split(separator: " ").allSatisfy { $0.count == 4 })
            #expect(waiting.text.contains("data-text=\"\(secret)\" hidden>Copy</button>"))
            let symbol = try #require(QRCode(link))
            #expect(try text("<path d=\"([^\"]*)\"", in: waiting) == symbol.svgPath)
            #expect(waiting.text.contains("viewBox=\"0 0 \(symbol.extent.count) \(symbol.extent.count)\""))

            let wrong = try await visit.press("confirm_authenticator", on: waiting, [("code", "no code")])
            #expect(wrong.status == .badRequest)
            #expect(wrong.text.contains("autofocus aria-invalid=\"true\""))
            // A phone would show the field and not what is to be scanned above it.
            #expect(!waiting.text.contains("autofocus"))
            #expect(wrong.text.contains(secret), "the page is shown again with what was to be scanned")
            let done = try await visit.press("confirm_authenticator", on: wrong, [("code", try code(of: secret))])
            #expect(done.status == .ok)
            #expect(done.text.contains("The authenticator app is on."))
            #expect(!done.text.contains(secret))
            for hidden in [secret, letters, link, try code(of: secret)] {
                #expect(!server.log.lines.contains { $0.contains(hidden) })
            }
        }
    }

    @Test("Recovery codes are shown for printing, and again to a double click, and no other page or log has them")
    func recoveryCodes() async throws {
        try await TestServer.serve { server, client in
            var registration = AccountRegistration(username: "maria", password: "correct horse battery")
            registration.email = "maria@example.com"
            registration.emailVerified = true
            try await server.execute { try await AccountAdministration($0).create(registration) }
            var visit = BrowserOverHTTP(client: client)
            let asked = try await visit.signIn()
            let message = try await server.server.messages?.recent(limit: 10).first
            let overview = try await visit.press(
                "answer_factor", on: asked, [("answer", try #require(message?.code))])
            #expect(overview.text.contains("maria@example.com"))
            #expect(overview.text.contains(/Recovery codes<\/h3>\s*<p>None</))
            let made = try await visit.press("make_recovery_codes", on: overview)
            #expect(made.status == .ok)
            #expect(made.headers[.cacheControl] == "no-store")
            #expect(!made.text.contains("old codes"))
            let policy = try #require(made.headers[.contentSecurityPolicy])
            #expect(policy.contains("script-src 'self'; "))
            let script = try text("<script src=\"([^\"]*)\"", in: made)
            #expect(try await visit.open(script).status == .ok)
            // Copying and printing need the script; going on needs the check mark.
            #expect(made.text.contains(/id="recovery-codes-buttons"[^>]* hidden>/))
            #expect(made.text.contains(/<input type="checkbox" name="saved" value="yes" required>/))
            func codes(on page: TestResponse) -> [String] {
                page.text.matches(of: /<li><code>([A-Z2-7-]{19})<\/code><\/li>/).map { String($0.output.1) }
            }
            let shown = codes(on: made)
            #expect(shown.count == 10)
            #expect(codes(on: try await visit.press("make_recovery_codes", on: overview)) == shown)
            let back = try await visit.press("show_account", on: made, [("saved", "yes")])
            #expect(back.text.contains("10 left"))
            let replaced = try await visit.press("make_recovery_codes", on: back)
            // The page is loaded again from its address for as long as it says.
            #expect(made.text.contains("Save them now: in a few minutes, this page no longer shows them."))
            #expect(replaced.text.contains("no longer shows them. Your old codes no longer work."))
            for code in shown {
                #expect(!back.text.contains(code))
                #expect(!server.log.lines.contains { $0.contains(code) })
            }
        }
    }

    @Test("The password is changed on the page, typed twice, with what is wrong at its field; the new one signs in")
    func password() async throws {
        try await TestServer.serve { server, client in
            try await server.makeAccount()
            var visit = BrowserOverHTTP(client: client)
            let form = try await visit.press("change_password", on: visit.signIn())
            #expect(form.status == .ok)
            let script = try text("<script src=\"([^\"]*)\"", in: form)
            #expect(try await visit.open(script).status == .ok)
            func save(_ new: String, again: String? = nil, on page: TestResponse) async throws -> TestResponse {
                try await visit.press(
                    "save_password", on: page, [("new_password", new), ("repeated_password", again ?? new)])
            }
            let mistyped = try await save("a fresh phrase 7", again: "a fresh phrase 8", on: form)
            #expect(mistyped.status == .badRequest)
            #expect(mistyped.text.ranges(of: "aria-invalid=\"true\"").count == 2)
            #expect(!mistyped.text.contains("a fresh phrase"))
            let common = try await save("password", on: mistyped)
            #expect(common.text.contains("<div class=\"wrong\" id=\"notice\" role=\"alert\">"))
            #expect(common.text.contains(HTMLEscaping().escapeText(Language.english.text[.passwordTooCommon])))
            let done = try await save("a fresh phrase 7", on: common)
            #expect(done.status == .ok)
            #expect(done.text.contains("Your password was changed."))
            var other = BrowserOverHTTP(client: client)
            let login = [("username", "maria"), ("password", "a fresh phrase 7")]
            let signedIn = try await other.press("sign_in", on: other.open(BrowserOverHTTP.accountPage), login)
            #expect(signedIn.text.contains("Where you’re signed in"))
        }
    }

    @Test("The first password of an account is set up, not changed")
    func firstPassword() async throws {
        try await AccountPageVisit.make { visit in
            try await visit.server.server.context.database.write {
                _ = try $0.execute(
                    "UPDATE accounts SET password = NULL, password_state = 'none', password_changed_at = NULL", [])
            }
            let form = try await visit.press("change_password", on: visit.overview)
            let new = "a fresh phrase 7"
            let done = try await visit.press(
                "save_password", on: form, [("new_password", new), ("repeated_password", new)])
            #expect(done.text.contains("Your password was set up."), "\(done.text)")
            let activity = try await visit.press("show_activity", on: done)
            #expect(activity.text.contains(">The password was set up.</h2>"), "\(activity.text)")
        }
    }

    @Test("CSRF: the form without its cookie, under another token, or sent by another site changes nothing")
    func crossSiteForm() async throws {
        try await TestServer.serve { server, client in
            try await server.makeAccount()
            var visit = BrowserOverHTTP(client: client)
            let page = try await visit.signIn()
            var without = visit
            without.cookies["wa_binding"] = nil
            #expect(try await without.press("set_up_authenticator", on: page).status == .badRequest)
            var foreign = visit
            foreign.headers = [.secFetchSite: "cross-site"]
            #expect(try await foreign.press("set_up_authenticator", on: page).status == .badRequest)
            let form = try [
                ("request", page.field("request")), ("csrf", "AAAA"), ("action", "set_up_authenticator"),
            ]
            var parameters = FormParameters()
            for (name, value) in form { parameters.append(name, value) }
            let cookie = visit.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
            let forged = try await client.post(
                BrowserOverHTTP.accountPage, body: parameters.encoded, "application/x-www-form-urlencoded",
                [.cookie: cookie])
            #expect(forged.status == .badRequest)
            for action in ["", "delete_everything", "use_passkey"] {
                #expect(try await visit.press(action, on: page).status == .badRequest)
            }
            #expect(try await visit.press("set_up_authenticator", on: page).text.contains("otpauth://"))
        }
    }

    @Test("The page speaks the five languages and wears its brand, and so does the sign-in before it")
    func languages() async throws {
        try await TestServer.serve { server, client in
            try await server.makeAccount()
            var visit = BrowserOverHTTP(client: client)
            _ = try await visit.signIn()
            for language in Language.allCases {
                let own = try await visit.open("/account?ui_locales=\(language.rawValue)")
                #expect(own.headers[.contentLanguage] == language.rawValue)
                #expect(own.text.contains(HTMLEscaping().escapeText(language.accountText[.heading])))
                let sent = try await visit.press("set_up_authenticator", on: own)
                #expect(sent.text.contains(HTMLEscaping().escapeText(language.accountText[.signInAgainLead])))
                #expect(sent.text.contains("action=\"/account?ui_locales=\(language.rawValue)\""))
            }
            var stranger = BrowserOverHTTP(client: client)
            let asked = try await stranger.open("/account?ui_locales=x-nonsense%20bg&brand=%3Cscript%3E")
            #expect(asked.headers[.contentLanguage] == "bg")
            #expect(asked.text.contains("Wallet"))
        }
    }

    @Test("A sign-in before a change says that the page's buttons spare the next one; the first sign-in does not")
    func hintAtButtons() async throws {
        try await TestServer.serve { server, client in
            try await server.makeAccount()
            var visit = BrowserOverHTTP(client: client)
            let hint = "You can then make changes for a few minutes with the buttons on this page."
            #expect(try await !visit.open(BrowserOverHTTP.accountPage).text.contains(hint))
            _ = try await visit.signIn()
            let opened = try await visit.open(BrowserOverHTTP.accountPage)
            #expect(!opened.text.contains(hint))
            let asked = try await visit.press("set_up_authenticator", on: opened)
            #expect(asked.text.contains(hint))
            #expect(asked.text.contains("You’re already signed in. Before a change, we ask you to sign in once more"))
            // The person is signed in, so the error does not deny it.
            let wrong = try await visit.press(
                "sign_in", on: asked, [("username", "maria"), ("password", "not the password")])
            #expect(wrong.text.contains("<title>That didn’t work – Sign in"), "\(wrong.text)")
            #expect(!wrong.text.contains("not signed in yet"))
        }
    }

    @Test(
        "attack: markup as a User-Agent, or a client hint. A browser is listed by the name of a known one, or as a browser"
    )
    func browsers() async throws {
        try await TestServer.serve { server, client in
            try await server.makeAccount()
            let webKit = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2 Mobile/15E148 Safari/604.1"
            let chrome =
                "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120 Safari/537.36"
            let attack = "<script>alert(1)</script>"
            let others: [HTTPFields] = [
                [.userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:121.0) Gecko/20100101 Firefox/121.0"],
                [.userAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) \(webKit)"],
                [.userAgent: attack, .secCHUA: "\"\(attack)\"", .secCHUAPlatform: "\"\(attack)\""],
                [.userAgent: "Mozilla/5.0 (Windows NT 10.0; \(attack)) \(attack)"],
            ]
            for headers in others {
                var visit = BrowserOverHTTP(client: client, headers: headers)
                _ = try await visit.signIn()
            }
            let brands = #""Not_A Brand";v="8", "Chromium";v="120", "Brave";v="120""#
            var visit = BrowserOverHTTP(client: client, headers: [.userAgent: chrome, .secCHUA: brands])
            let page = try await visit.signIn()
            let rows = page.text.matches(of: /<h3 id="row-[0-9a-f-]{36}">([^<]*)<\/h3>/).map { String($0.output.1) }
            #expect(rows.first == "Brave on Linux")
            #expect(
                rows.dropFirst().sorted() == ["Browser", "Browser on Windows", "Firefox on Linux", "Safari on iPhone"])
            #expect(page.text.contains(/<p>Since [^<]*UTC <span class="tag">this browser<\/span><\/p>/))
            #expect(page.text.ranges(of: "this browser<").count == 1)
            for word in ["alert(1)", "Mozilla", "Gecko", "x86_64"] { #expect(!page.text.contains(word), "\(word)") }
            for language in Language.allCases {
                let own = try await visit.open("/account?ui_locales=\(language.rawValue)")
                let names = ["browser": "Safari", "system": "iPhone"]
                let text = HTMLEscaping().escapeText(language.accountText[.browserOnSystem, names])
                #expect(own.text.contains(">\(text)</h3>"), "\(language)")
            }
        }
    }

    @Test("Every row has a button or says why it has none", arguments: [false, true])
    func rows(mayMakeRecoveryCodes: Bool) throws {
        let overview = AccountOverview(
            username: "maria", name: "Maria Petrova", password: .unset, email: "m…@example.com", isEmailConfirmed: true,
            phone: "…34",
            hasAuthenticator: false, recoveryCodes: 0, mayMakeRecoveryCodes: mayMakeRecoveryCodes, devices: [],
            sessions: [], passkeys: 0, pin: nil, apps: [])
        let page = AccountPage(
            step: .overview(overview), notice: nil, form: nil, appearance: BrandAppearance(name: "Aurora"), locales: [])
        let pages = Pages(issuer: try Issuer(TestServer.issuer), templates: try Features.templates())
        let text = String(decoding: pages.account(page, acceptLanguage: "en").body, as: UTF8.self)
        let rows = text.matches(of: /(?s)<h3 id="(row-[^"]*)">.*?<\/li>/)
        #expect(rows.count == 11)
        for row in rows where row.output.1 != "row-name" {
            #expect(row.output.0.contains("<button") || row.output.0.contains("Set up an authenticator app first."))
        }
        let name = try #require(rows.first).output.0
        #expect(name.contains("<p>Maria Petrova</p>") && name.contains("If your name has changed, contact Aurora."))
    }

    @Test("Sessions of apps that are called alike differ by the time of day")
    func alike() throws {
        let sessions = ["Aurora", "Aurora", "Borealis"].enumerated().map { number, name in
            AccountOverview.Session(
                session: AccountSession(
                    id: "\(number)", place: .app(name: name, device: nil), since: Timestamp(seconds: 1_767_225_600),
                    lastUsedAt: nil),
                device: nil)
        }
        let overview = AccountOverview(
            username: "maria", password: .unset, email: nil, isEmailConfirmed: false, phone: nil,
            hasAuthenticator: false, recoveryCodes: 0, mayMakeRecoveryCodes: true, devices: [], sessions: sessions,
            apps: [])
        let page = AccountPage(
            step: .overview(overview), notice: nil, form: nil, appearance: nil, locales: [])
        let pages = Pages(issuer: try Issuer(TestServer.issuer), templates: try Features.templates())
        let text = String(decoding: pages.account(page, acceptLanguage: "en").body, as: UTF8.self)
        #expect(text.matches(of: /Since [^<]*UTC/).count == 2)
        #expect(text.ranges(of: "Since ").count == 3)
    }

    @Test("What a person chose to call themselves or a device is text on the page (XSS)")
    func markup() throws {
        let attack = "\"><script>alert(1)</script>"
        let overview = AccountOverview(
            username: attack, password: .unset, email: attack, isEmailConfirmed: false, phone: attack,
            hasAuthenticator: false, recoveryCodes: 0, mayMakeRecoveryCodes: true,
            devices: [
                AccountOverview.Device(id: attack, name: attack, state: .suspended, lastUsedAt: Timestamp(seconds: 0))
            ],
            sessions: [
                AccountOverview.Session(
                    session: AccountSession(
                        id: attack, place: .app(name: attack, device: nil), since: Timestamp(seconds: 0),
                        lastUsedAt: nil),
                    device: attack)
            ],
            apps: [ClientAccess(client: attack, name: attack, scopes: [attack], since: Timestamp(seconds: 0))])
        let page = AccountPage(
            step: .overview(overview), notice: nil, form: nil, appearance: nil, locales: [])
        let pages = Pages(issuer: try Issuer(TestServer.issuer), templates: try Features.templates())
        let text = String(decoding: pages.account(page, acceptLanguage: "en").body, as: UTF8.self)
        #expect(!text.contains("<script"))
        #expect(text.ranges(of: "&lt;script&gt;").count == 18)
    }
}
