import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("The consent page over HTTP", .threat("Relying apps"), .covers("consent to relying apps on the page"))
struct ClientConsentPageHTTPTests {
    private static let appsPage = "/account"

    private func relyingApp(
        _ server: TestServer, _ change: (inout ClientRegistration) -> Void = { _ in }
    ) async throws {
        try await server.makePublicClient {
            $0.name = "Aurora"
            $0.firstParty = false
            $0.scopes = [
                "openid", "profile", "email", "phone", "address", "offline_access", "accounts", "payments", "points",
            ]
            change(&$0)
        }
        try await server.makeAccount()
    }

    private func asked(
        _ client: any TestClientProtocol, _ changes: [String: String?] = [:]
    ) async throws -> (TestResponse, BrowserOverHTTP) {
        var visit = BrowserOverHTTP(client: client)
        let page = try await visit.open("/oauth2/authorize?" + Journey.query(changes))
        let login = [("username", "maria"), ("password", "correct horse battery")]
        return (try await visit.press("sign_in", on: page, at: "/sign-in", login), visit)
    }

    @Test(
        "A scope of the operator's own is described in the brand's words, in English for other languages, or by its name"
    )
    func ownScopes() async throws {
        try await TestServer.serve { server, client in
            try await relyingApp(server)
            for (language, text) in [("en", "See your points"), ("de", "Ihre Punkte sehen")] {
                try await server.execute(
                    AdminRequest([
                        "brand", "text", "default", "--language", language, "--key", "scopes.payments",
                        "--text",
                        text,
                    ]))
            }
            for (locale, words) in [("en", "See your points"), ("de", "Ihre Punkte sehen"), ("fr", "See your points")] {
                let (page, _) = try await asked(client, ["scope": "openid payments", "ui_locales": locale])
                #expect(page.text.contains("<li>\(words)</li>"), "\(locale)")
            }
        }
    }

    @Test(
        "It names app, account, every scope in words, and where the response goes; the first button allows it and leads back"
    )
    func page() async throws {
        try await TestServer.serve { server, client in
            try await relyingApp(server)
            let (page, browser) = try await asked(
                client, ["scope": "openid profile email phone address offline_access accounts payments points"])
            var visit = browser
            #expect(page.status == .ok, "\(page.text)")
            for words in [
                "Give Aurora access to your account?", "You are signed in as maria.",
                "Recognize your account when you sign in", "See your name, username and language",
                "See your e-mail address", "See your phone number", "See your postal address",
                "Stay signed in when you are not using the app", "See your accounts and balances",
                "Make payments from your accounts", "Back to Aurora without allowing",
                "<li>points</li>", "app<wbr>.example<wbr>.com",
            ] { #expect(page.text.contains(words), "missing: \(words)") }
            #expect(page.headers[.cacheControl] == "no-store")
            #expect(page.headers[.xFrameOptions] == "DENY")
            let policy = try #require(page.headers[.contentSecurityPolicy])
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(policy.contains("form-action 'self' https://app.example.com;"))
            #expect(!page.text.contains("<script"))
            let actions = page.text.matches(of: /name="action" value="([a-z_]+)"/).map { String($0.output.1) }
            #expect(actions == ["allow", "other_account", "cancel"])
            let back = try await visit.press("allow", on: page, at: "/sign-in")
            #expect(back.status == .seeOther)
            let code = try #require(try back.redirectParameters["code"])
            #expect(try await Journey.redeem(client, code).status == .ok)
            // From then on without a page.
            let next = try await visit.open("/oauth2/authorize?" + Journey.query(["prompt": "none"]))
            #expect(try next.redirectParameters["code"] != nil)
        }
    }

    @Test(
        "Each language says it in words of its own",
        arguments: [
            ("en", "Give Aurora access", "See your e-mail address", "Allow"),
            ("de", "Aurora Zugriff auf Ihr Konto erlauben?", "Ihre E-Mail-Adresse sehen", "Erlauben"),
            ("fr", "Autoriser Aurora à accéder", "Voir votre adresse e-mail", "Autoriser"),
            ("es", "¿Dar a Aurora acceso a su cuenta?", "Ver su dirección de correo electrónico", "Permitir"),
            ("bg", "Разрешавате ли на Aurora достъп", "Да вижда имейл адреса ви", "Разрешавам"),
        ])
    func language(tag: String, heading: String, scope: String, button: String) async throws {
        try await TestServer.serve { server, client in
            try await relyingApp(server)
            let (page, _) = try await asked(client, ["scope": "openid email", "ui_locales": tag])
            #expect(page.text.contains("lang=\"\(tag)\""))
            for words in [heading, scope, ">\(button)</button>"] {
                #expect(page.text.contains(words), "missing: \(words)")
            }
        }
    }

    @Test("An app that asks again for what it has is said to ask again, and is offered nothing as new")
    func again() async throws {
        try await TestServer.serve { server, client in
            try await relyingApp(server)
            let (page, browser) = try await asked(client, ["scope": "openid profile email"])
            var visit = browser
            _ = try await visit.press("allow", on: page, at: "/sign-in")
            let query = Journey.query(["scope": "openid profile", "prompt": "consent"])
            let again = try await visit.open("/oauth2/authorize?" + query)
            for words in ["Aurora is asking for your permission again", "It is asking to:", "It can also:"] {
                #expect(again.text.contains(words), "missing: \(words)")
            }
            #expect(!again.text.contains("more access"))
        }
    }

    @Test("attack: a name with markup stays text, and one in another script stays in its place in the sentence")
    func names() async throws {
        try await TestServer.serve { server, client in
            try await relyingApp(server) { $0.name = "<img src=x onerror=alert(1)>{user}" }
            let (page, _) = try await asked(client)
            #expect(!page.text.contains("<img src=x"))
            #expect(page.text.contains("Give &lt;img src=x onerror=alert(1)&gt;{user} access"))
        }
        try await TestServer.serve { server, client in
            try await relyingApp(server) { $0.name = "שלום" }
            let (page, _) = try await asked(client)
            #expect(page.text.contains("Give \u{2068}שלום\u{2069} access to your account?"))
        }
        try await TestServer.serve { server, _ in
            for name in ["Aurora\u{202E}gnp.exe", "Aurora\u{0}", "Aurora\nBank", "Aur\u{200B}ora"] {
                var registration = ClientRegistration(name: name, kind: .public)
                registration.redirectURIs = ["https://app.example.com/callback"]
                #expect(
                    await server.server.administration.execute {
                        try await ClientAdministration($0).create(registration)
                    }.status
                        == .refused)
            }
        }
    }

    /// The elements of a page with a name in their text that the stylesheet does not cut off at their own box.
    private func uncontained(_ name: String, in page: TestResponse) -> [String] {
        let rules = Stylesheet.text.matches(of: /([^{}]+)\{[^{}]*contain: paint/)
        let contained = Set(
            rules.flatMap { rule in
                rule.output.1.split(separator: ",").map { selector in
                    selector.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                }
            })
        return page.text.matches(of: /<([a-z0-9]+)([^>]*)>([^<]*)/).compactMap { element in
            let (_, tag, attributes, text) = element.output
            // The browser shows the title, and not on the page.
            guard text.contains(name), tag != "title" else { return nil }
            let classes = attributes.firstMatch(of: /class="([^"]*)"/)?.output.1.split(separator: " ") ?? []
            let selectors = [String(tag), ".facts \(tag)"] + classes.map { ".\($0)" }
            return contained.isDisjoint(with: selectors) ? "<\(tag)\(attributes)>" : nil
        }
    }

    @Test("attack: an app's name with tall letters, from before they were refused, is drawn over the adjacent rows")
    func tallName() async throws {
        try await TestServer.serve { server, client in
            try await relyingApp(server)
            var (page, visit) = try await asked(client, ["scope": "openid email"])
            #expect(page.text.contains("Aurora"))
            #expect(uncontained("Aurora", in: page) == [])
            _ = try await visit.press("allow", on: page, at: "/sign-in")
            page = try await visit.open(Self.appsPage)
            #expect(page.text.contains("Aurora"))
            #expect(uncontained("Aurora", in: page) == [])
            page = try await visit.press("manage_apps", on: page)
            page = try await visit.press(
                "sign_in", on: page, [("username", "maria"), ("password", "correct horse battery")])
            #expect(page.text.contains("Remove access for Aurora"))
            #expect(uncontained("Aurora", in: page) == [])
        }
    }

    @Test(
        "An app on the device is named as such, by the address that the answer goes to, with a warning of other programs"
    )
    func device() async throws {
        try await TestServer.serve { server, client in
            try await relyingApp(server) {
                $0.redirectURIs = ["com.example.aurora:/callback", "http://127.0.0.1/callback"]
            }
            let (app, _) = try await asked(client, ["redirect_uri": "com.example.aurora:/callback"])
            #expect(app.text.contains("An app on this device (com<wbr>.example<wbr>.aurora:)"))
            let warning = "Any program on this device can pretend to be Aurora"
            #expect(app.text.contains(warning))
            let (loopback, _) = try await asked(client, ["redirect_uri": "http://127.0.0.1:5000/callback"])
            #expect(loopback.text.contains("An app on this device (127.0.0.1:5000)"))
            #expect(loopback.text.contains(warning))
        }
        try await TestServer.serve { server, client in
            try await relyingApp(server)
            #expect(try await !asked(client).0.text.contains("Any program on this device"))
        }
    }

    @Test(
        "The page that asks to continue names the app, where the answer goes and what a relying app asks for, in each language",
        arguments: [
            ("en", "Continue as maria?", "It is asking to:", "See your e-mail address", "You will return to"),
            ("de", "Als maria fortfahren?", "Die App möchte:", "Ihre E-Mail-Adresse sehen", "Sie kehren zurück zu"),
            (
                "fr", "Continuer en tant que maria ?", "L’application demande à :", "Voir votre adresse e-mail",
                "Vous reviendrez vers"
            ),
            (
                "es", "¿Continuar como maria?", "La aplicación solicita:", "Ver su dirección de correo electrónico",
                "Volverá a"
            ),
            (
                "bg", "Продължавате ли като maria?", "Приложението иска:", "Да вижда имейл адреса ви",
                "Ще се върнете към"
            ),
        ])
    func confirmation(tag: String, heading: String, asks: String, scope: String, destination: String) async throws {
        try await TestServer.serve { server, client in
            try await relyingApp(server) { $0.redirectURIs = ["com.example.aurora:/callback"] }
            let request = ["redirect_uri": "com.example.aurora:/callback", "scope": "openid email", "ui_locales": tag]
            let (consent, browser) = try await asked(client, request)
            var visit = browser
            _ = try await visit.press("allow", on: consent, at: "/sign-in")
            let page = try await visit.open("/oauth2/authorize?" + Journey.query(request))
            for words in [heading, "Aurora", asks, scope, destination, "com<wbr>.example<wbr>.aurora:"] {
                #expect(page.text.contains(words), "missing: \(words)")
            }
            #expect(uncontained("Aurora", in: page) == [])
            let actions = page.text.matches(of: /name="action" value="([a-z_]+)"/).map { String($0.output.1) }
            #expect(actions == ["confirm", "other_account", "cancel"])
        }
    }

    @Test("The page that asks to continue to a first-party app names the destination, and lists no scopes")
    func firstPartyConfirmation() async throws {
        try await TestServer.serve { server, client in
            try await relyingApp(server) {
                $0.firstParty = true
                $0.redirectURIs = ["http://127.0.0.1/callback"]
            }
            let request = ["redirect_uri": "http://127.0.0.1:5000/callback", "scope": "openid email"]
            let (_, browser) = try await asked(client, request)
            var visit = browser
            let page = try await visit.open("/oauth2/authorize?" + Journey.query(request))
            #expect(page.text.contains("Continue as maria?"))
            #expect(page.text.contains("An app on this device (127.0.0.1:5000)"))
            #expect(!page.text.contains("It is asking to:"))
        }
    }

    @Test("Cancelling tells the app access_denied, by a posted form as well")
    func cancel() async throws {
        try await TestServer.serve { server, client in
            try await relyingApp(server)
            var (page, visit) = try await asked(client)
            let back = try await visit.press("cancel", on: page, at: "/sign-in")
            let answer = try back.redirectParameters
            #expect(answer["error"] == "access_denied")
            #expect(answer["state"] == "state-1")
            #expect(answer["iss"] == TestServer.issuer)
            (page, visit) = try await asked(client, ["response_mode": "form_post"])
            let posted = try await visit.press("cancel", on: page, at: "/sign-in")
            #expect(posted.text.contains("access_denied"))
        }
    }

    @Test("The account page shows the app with its scopes, and removes its access behind a sign-in")
    func removed() async throws {
        try await TestServer.serve { server, client in
            try await relyingApp(server)
            var (page, visit) = try await asked(client, ["scope": "openid email"])
            let back = try await visit.press("allow", on: page, at: "/sign-in")
            let tokens = try await Journey.redeem(client, try #require(try back.redirectParameters["code"]))
            page = try await visit.open(Self.appsPage)
            for words in ["Apps with access", "Aurora", "See your e-mail address"] {
                #expect(page.text.contains(words), "missing: \(words)")
            }
            #expect(page.text.contains(/Since [1-9][0-9]?\u{A0}[A-Z][a-z]+\u{A0}20[0-9]{2}</))
            page = try await visit.press("manage_apps", on: page)
            #expect(page.text.contains("name=\"password\""))
            page = try await visit.press(
                "sign_in", on: page, [("username", "maria"), ("password", "correct horse battery")])
            #expect(page.text.contains("Remove access for Aurora"))
            page = try await visit.press("remove_access", on: page, [("client", "wallet")])
            #expect(page.status == .ok)
            #expect(page.text.contains("Access removed."))
            #expect(page.text.contains("No app has access to your account."))
            #expect(!page.text.contains("Remove access for apps"))
            let refused = try await client.post(
                "/oauth2/token",
                [
                    "grant_type": "refresh_token", "client_id": "wallet",
                    "refresh_token": try #require(try tokens.member("refresh_token")),
                ])
            #expect(try refused.member("error") == "invalid_grant")
            let userinfo = try await client.get(
                "/oauth2/userinfo",
                [.authorization: "Bearer \(try #require(try tokens.member("access_token")))"])
            #expect(userinfo.status == .unauthorized)
        }
    }
}
