import Core
import HTTPTypes
import HummingbirdTesting
import Store
import TestSupport
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Kernel
@testable import Operations
@testable import SignIn
@testable import Web

@Suite("The PIN of an account over HTTP")
struct AccountPINHTTPTests {
    private static let pin = "804613972558"
    private static let wrong = "170395826641"
    private static let returnURL = "https://app.example.com/agreed"
    private static let reset = "https://app.example.com/reset"

    private func offerPINs(_ server: TestServer) async throws {
        try await server.execute(["brand", "update", "default", "--account-pin", "on"])
    }

    /// Sets a PIN on the account's page, as Maria.
    /// - Parameters:
    ///   - pin: as typed first.
    ///   - repeated: as typed in the second field.
    ///   - client: reaches the server.
    private func setPIN(
        _ pin: String = Self.pin, again repeated: String, through client: any TestClientProtocol
    ) async throws -> TestResponse {
        var visit = BrowserOverHTTP(client: client)
        let overview = try await visit.signIn()
        try #require(overview.text.contains("manage_pin"), "\(overview.text)")
        let page = try await visit.press("manage_pin", on: overview)
        try #require(page.status == .ok, "\(page.text)")
        for field in ["new_pin", "repeated_pin"] {
            try #require(page.text.contains("name=\"\(field)\" type=\"password\""), "\(page.text)")
        }
        return try await visit.press("set_pin", on: page, [("new_pin", pin), ("repeated_pin", repeated)])
    }

    /// Opens the sign-in page of an app that asks for the PIN.
    private func openSignIn(
        _ server: TestServer, _ visit: inout BrowserOverHTTP, _ changes: [String: String?] = [:],
        resetURLs: [String] = []
    ) async throws -> TestResponse {
        try await server.makeAccount()
        try await server.makePublicClient { $0.resetCredentialsURLs = resetURLs }
        try await offerPINs(server)
        let asked = changes.merging(["login_strategy": "PIN"]) { given, _ in given }
        return try await visit.open("/oauth2/authorize?" + Journey.query(asked))
    }

    @Test("It is set on the account's page, opens the sign-in page where the app asks for it, and no log holds it")
    func wholeWay() async throws {
        try await TestServer.serve { server, client in
            try await server.makeAccount()
            try await server.makePublicClient()
            let off = try await Journey.open(client, ["login_strategy": "PIN"])
            #expect(try off.redirectParameters["error"] == "invalid_request")
            try await offerPINs(server)

            let common = try await setPIN("123456", again: "123456", through: client)
            #expect(common.status == .badRequest)
            #expect(common.text.contains("too easy to guess"))
            #expect(common.text.contains("<div class=\"wrong\" id=\"notice\" role=\"alert\">"))
            #expect(common.text.ranges(of: "aria-invalid").count == 1)
            let done = try await setPIN(again: "8046 1397 2558", through: client)
            #expect(done.status == .ok)
            #expect(done.text.contains("The PIN was saved."))
            // At the top of the page, and next to the button that changes it for as long as it lasts.
            let cooling = done.text.matches(
                of: /Your PIN can’t be used to approve payments until \d{1,2}\s[A-Z][a-z]+\s\d{4}, \d\d:\d\d\sUTC\./)
            #expect(cooling.count == 2, "\(done.text)")

            var visit = BrowserOverHTTP(client: client)
            let page = try await visit.open("/oauth2/authorize?" + Journey.query(["login_strategy": "PIN"]))
            #expect(page.status == .ok)
            #expect(page.text.contains("name=\"pin\""))
            #expect(page.text.contains("inputmode=\"numeric\""))
            #expect(!page.text.contains("name=\"password\""))
            #expect(page.text.contains("Use your password instead"))
            #expect(page.headers[.cacheControl] == "no-store")
            let wrong = try await visit.press(
                "sign_in_by_pin", on: page, at: "/sign-in", [("username", "maria"), ("pin", Self.wrong)])
            #expect(wrong.status == .badRequest)
            #expect(wrong.text.contains(/<input id="pin"[^>]*aria-invalid="true"/))
            #expect(!wrong.text.contains(Self.wrong))
            let instead = try await visit.press("use_password", on: wrong, at: "/sign-in")
            #expect(instead.text.contains("name=\"password\""))
            #expect(instead.text.contains("Use your PIN instead"))
            let back = try await visit.press("use_pin", on: instead, at: "/sign-in")
            let code = try await visit.press(
                "sign_in_by_pin", on: back, at: "/sign-in", [("username", "maria"), ("pin", "8046 1397 2558")])
            #expect(code.status == .seeOther, "\(code.text)")
            #expect(try code.redirectParameters["code"] != nil)
            for secret in [Self.pin, Self.wrong, "8046 1397 2558"] {
                #expect(!server.log.lines.contains { $0.contains(secret) })
            }
        }
    }

    @Test(
        "An app signs in by it as well: not offered, malformed, wrong and right each have an answer, and no log holds it"
    )
    func native() async throws {
        try await TestServer.serve { server, client in
            try await server.makeAccount()
            try await server.makePublicClient()
            let (path, key) = ("/oauth2/authorize-challenge", ProofKey())
            func signIn(_ fields: [String: String]) async throws -> TestResponse {
                var form = FormParameters()
                for (name, value) in [
                    ("client_id", "wallet"), ("scope", "openid"), ("code_challenge", Journey.challenge),
                    ("code_challenge_method", "S256"), ("login_method", "account_pin"),
                ] {
                    form.append(name, value)
                }
                for field in fields { form.append(field.key, field.value) }
                let (body, type) = (form.encoded, "application/x-www-form-urlencoded")
                let first = try await client.post(path, body: body, type, [.dpop: key.proof(path, nonce: nil)])
                return try await client.post(
                    path, body: body, type, [.dpop: key.proof(path, nonce: first.headers[.dpopNonce])])
            }
            let off = try await signIn(["username": "maria", "account_pin": Self.pin])
            #expect(off.status == .badRequest)
            #expect(try off.member("error") == "unauthorized_client")
            #expect(try off.member("error_code") == "login_strategy_unavailable")
            #expect(try off.json["status_code"]?.integer == 400)

            try await offerPINs(server)
            _ = try await setPIN(again: Self.pin, through: client)
            for fields in [["username": "maria"], ["username": "maria", "pin": Self.pin], ["account_pin": Self.pin]] {
                let malformed = try await signIn(fields)
                #expect(malformed.status == .badRequest)
                #expect(try malformed.member("error_code") == "bad_request")
            }
            let wrong = try await signIn(["username": "maria", "account_pin": Self.wrong])
            let impossible = try await signIn(["username": "no\u{202E}body", "account_pin": Self.wrong])
            for answer in [wrong, impossible] {
                #expect(answer.status == .unauthorized, "\(answer.text)")
                #expect(try answer.member("error_code") == "invalid_credentials")
                #expect(try answer.member("error_description")?.contains("PIN is locked") == true)
            }
            #expect(wrong.body == impossible.body)
            let right = try await signIn(["username": "maria", "account_pin": "8046 1397 2558"])
            #expect(right.status == .ok, "\(right.text)")
            #expect(try right.member("authorization_code") != nil)
            for secret in [Self.pin, Self.wrong, "8046 1397 2558"] {
                #expect(!server.log.lines.contains { $0.contains(secret) })
            }
        }
    }

    @Test(
        "The page of a PIN that a restore locked says so in each language, and not that it was typed wrong",
        arguments: [
            ("en", "restored from a backup"), ("de", "aus einer Sicherung wiederhergestellt"),
            ("fr", "restauration de ce service à partir d’une sauvegarde"), ("es", "desde una copia de seguridad"),
            ("bg", "от резервно копие"),
        ])
    func restored(tag: String, words: String) async throws {
        try await TestServer.serve { server, client in
            try await server.makeAccount()
            try await offerPINs(server)
            _ = try await setPIN(again: Self.pin, through: client)
            try await server.server.context.database.write {
                _ = try $0.execute("UPDATE account_pins SET state = 'locked', locked_at = 1", [])
            }
            var visit = BrowserOverHTTP(client: client, headers: [.acceptLanguage: tag])
            let page = try await visit.press("manage_pin", on: visit.signIn())
            #expect(page.text.contains("lang=\"\(tag)\""))
            #expect(page.text.contains(words), "\(page.text)")
        }
    }

    @Test(
        "A PIN repeated differently, or not at all, is refused: both fields are marked, the focused one says why, and it is neither shown nor set",
        arguments: ["804613972585", "80461397255", "x", ""])
    func mistyped(repeated: String) async throws {
        try await TestServer.serve { server, client in
            try await server.makeAccount()
            try await offerPINs(server)
            let refused = try await setPIN(again: repeated, through: client)
            #expect(refused.status == .badRequest)
            let words = Language.english.accountPINText[.mistyped]
            let first = try #require(
                refused.text.firstMatch(of: /<p>([^<]*)<\/p>\n<\/div>\n<input id="new-pin"[^>]*>/))
            #expect(first.output.1 == words)
            #expect(
                first.output.0.contains(" autofocus aria-invalid=\"true\" aria-describedby=\"notice pin-hint\""))
            #expect(refused.text.ranges(of: words).count == 1)
            #expect(refused.text.contains("enterkeyhint=\"done\" aria-invalid=\"true\" aria-describedby=\"notice\""))
            #expect(refused.text.ranges(of: " autofocus").count == 1)
            #expect(refused.text.contains("<label for=\"repeated-pin\">Repeat the new PIN</label>"))
            #expect(!refused.text.contains(Self.pin))
            let shown = try await server.execute(["account", "show", "maria"])
            #expect(!shown.lines.contains { $0.hasPrefix("pin") }, "\(shown.lines)")
            #expect(try await setPIN(again: Self.pin, through: client).text.contains("The PIN was saved."))
        }
    }

    @Test("The page of a payment takes the PIN, and tells what is wrong with it at its field")
    func consent() async throws {
        try await TestServer.serve { server, client in
            let shop = try await ShopOverHTTP.open(server, client) { $0.consentReturnURLs = [Self.returnURL] }
            try await offerPINs(server)
            try await server.give(Self.pin, to: shop.account)
            let event = try await shop.ask()
            let challenged = try await shop.phone.send(
                .post, "/v1/sca/events/\(event)/challenges",
                """
                {"walletOperationId":"op-1","verification":{"method":"PIN","channel":"REDIRECT"},\
                "action":{"returnUrl":"\(Self.returnURL)"}}
                """)
            let url = try #require(try challenged.member("redirectUrl"), "\(challenged.text)")
            var visit = BrowserOverHTTP(client: client)
            let page = try await visit.open(String(url.dropFirst(TestServer.issuer.count)))
            #expect(page.text.contains("name=\"pin\""))
            #expect(!page.text.contains("name=\"password\""))
            let wrong = try await visit.press("agree_by_pin", on: page, at: "/consent", [("pin", Self.wrong)])
            #expect(wrong.status == .badRequest)
            #expect(wrong.text.contains("aria-invalid=\"true\""))
            let agreed = try await visit.press("agree_by_pin", on: page, at: "/consent", [("pin", Self.pin)])
            #expect(agreed.status == .seeOther, "\(agreed.text)")
        }
    }

    @Test(
        "attack: a form without its field, from another site, or with a PIN beyond every size changes nothing and opens nothing"
    )
    func forms() async throws {
        try await TestServer.serve { server, client in
            try await server.makeAccount()
            try await server.makePublicClient()
            try await offerPINs(server)
            _ = try await setPIN(again: Self.pin, through: client)
            var visit = BrowserOverHTTP(client: client)
            let page = try await visit.open("/oauth2/authorize?" + Journey.query(["login_strategy": "PIN"]))
            let missing = try await visit.press("sign_in_by_pin", on: page, at: "/sign-in", [("username", "maria")])
            #expect(missing.status == .badRequest)
            var elsewhere = visit
            elsewhere.headers = [.secFetchSite: "cross-site"]
            let foreign = try await elsewhere.press(
                "sign_in_by_pin", on: page, at: "/sign-in", [("username", "maria"), ("pin", Self.pin)])
            #expect(foreign.status == .badRequest)
            #expect(foreign.headers[.location] == nil)
            let huge = try await visit.press(
                "sign_in_by_pin", on: page, at: "/sign-in",
                [("username", "maria"), ("pin", String(repeating: "8", count: 10_000))])
            #expect(huge.status == .badRequest)
            let doubled = try await visit.press(
                "sign_in_by_pin", on: page, at: "/sign-in",
                [("username", "maria"), ("pin", Self.wrong), ("pin", Self.pin)])
            #expect(doubled.status == .badRequest)
            let unset = try await visit.press(
                "set_pin", on: page, [("new_pin", "460397"), ("repeated_pin", "460397")])
            #expect(unset.status == .badRequest)
            let code = try await visit.press(
                "sign_in_by_pin", on: page, at: "/sign-in", [("username", "maria"), ("pin", Self.pin)])
            #expect(code.status == .seeOther, "\(code.text)")
        }
    }

    @Test(
        "A forgotten PIN leads on to the password, and the page says where a new one is set, in each language",
        arguments: [
            ("en", "Forgot your PIN?", "Sign in with your password."),
            ("de", "PIN vergessen?", "mit Ihrem Passwort an."),
            ("fr", "Code PIN oublié ?", "avec votre mot de passe."),
            ("es", "¿Ha olvidado su PIN?", "con su contraseña."),
            ("bg", "Забравен ПИН код?", "Влезте с паролата си."),
        ])
    func forgotten(tag: String, label: String, sentence: String) async throws {
        try await TestServer.serve { server, client in
            var visit = BrowserOverHTTP(client: client)
            let page = try await openSignIn(server, &visit, ["ui_locales": tag, "login_hint": "maria"])
            let button = "value=\"forgot_pin\" form=\"sign-in\" formnovalidate>\(label)</button>"
            #expect(page.text.contains(button), "\(page.text)")
            let next = try await visit.press("forgot_pin", on: page, at: "/sign-in")
            #expect(next.status == .ok)
            #expect(next.text.contains(sentence), "\(next.text)")
            #expect(next.text.contains(TestServer.issuer + "/account"))
            #expect(next.text.contains("value=\"maria\""))
            // From here on like any forgotten password.
            #expect(next.text.contains("value=\"forgot_password\""))
            let done = try await visit.press(
                "sign_in", on: next, at: "/sign-in", [("username", "maria"), ("password", "correct horse battery")])
            #expect(try done.redirectParameters["code"] != nil)
        }
    }

    @Test(
        "The name that was typed stays in its field on the way to the password, and back to the PIN",
        arguments: ["forgot_pin", "use_password"])
    func typedName(action: String) async throws {
        try await TestServer.serve { server, client in
            var visit = BrowserOverHTTP(client: client)
            let page = try await openSignIn(server, &visit, ["login_hint": "hinted"])
            let typed = [("username", "ma<ria"), ("pin", "")]
            let next = try await visit.press(action, on: page, at: "/sign-in", typed)
            #expect(next.status == .ok)
            #expect(next.text.contains("name=\"password\""), "\(next.text)")
            #expect(next.text.contains("value=\"ma&lt;ria\""), "\(next.text)")
            #expect(next.text.contains("value=\"use_pin\" form=\"sign-in\" formnovalidate>"), "\(next.text)")
            let back = try await visit.press(
                "use_pin", on: next, at: "/sign-in", [("username", "mar<io"), ("password", "")])
            #expect(back.text.contains("name=\"pin\""), "\(back.text)")
            #expect(back.text.contains("value=\"mar&lt;io\""), "\(back.text)")
            #expect(back.text.contains("value=\"\(action)\" form=\"sign-in\" formnovalidate>"), "\(back.text)")
        }
    }

    @Test("Where the app has a page of its own for a forgotten PIN, the link leads to the one that the request names")
    func forgottenWithOwnPage() async throws {
        try await TestServer.serve { server, client in
            var visit = BrowserOverHTTP(client: client)
            let other = "https://app.example.com/other-reset"
            let page = try await openSignIn(
                server, &visit, ["reset_credentials_url": other], resetURLs: [Self.reset, other])
            #expect(page.text.contains("<a href=\"\(other)\" rel=\"noreferrer\">Forgot your PIN?</a>"), "\(page.text)")
            #expect(!page.text.contains("forgot_pin"))
            let plain = try await visit.open("/oauth2/authorize?" + Journey.query(["login_strategy": "PIN"]))
            #expect(plain.text.contains("<a href=\"\(Self.reset)\""), "\(plain.text)")
        }
    }

    @Test("Every language has the PIN's words on its pages", arguments: ["en", "de", "fr", "es", "bg"])
    func languages(tag: String) async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await offerPINs(server)
            let page = try await Journey.open(client, ["login_strategy": "PIN", "ui_locales": tag])
            let language = try #require(Language(rawValue: tag))
            #expect(page.text.contains(language.text[.usePasswordLabel]))
            #expect(language.accountPINText[.cooling].contains("{time}"))
        }
    }
}

extension TestServer {
    /// Gives an account a PIN, as if its page had.
    func give(_ pin: String, to account: String) async throws {
        let context = server.context
        let id = try #require(UniqueID(uuid: account))
        let slot = try #require(context.passwords.slot(for: .administrator))
        let now = context.clock.now()
        let hash = try await server.signIn.accountPINs
            .sealedHash(of: AccountPIN(pin), account: id, in: slot)
        let version = try context.random.uniqueID()
        let isSet = try await context.database.write {
            try AccountPINs.set(
                id, version: version, hash: hash, replacing: nil, coolingUntil: now, now: now, on: $0)
        }
        #expect(isSet)
    }
}
