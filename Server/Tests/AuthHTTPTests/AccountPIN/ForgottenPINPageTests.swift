import AuthAdministration
import AuthFoundation
import HTTPTypes
import HummingbirdTesting
import Testing
import WalletAuthWire

@testable import AuthHTTP

@Suite("A forgotten PIN, on the sign-in page")
struct ForgottenPINPageTests {
    private static let reset = "https://app.example.com/reset"

    private func open(
        _ server: TestServer, _ visit: inout BrowserOverHTTP, _ changes: [String: String?] = [:],
        resetURLs: [String] = []
    ) async throws -> TestResponse {
        try await server.makeAccount()
        try await server.makePublicClient { $0.resetCredentialsURLs = resetURLs }
        try await server.execute(.brand(.update(id: "default", BrandChange(accountPIN: true))))
        let asked = changes.merging(["login_strategy": "PIN"]) { given, _ in given }
        return try await visit.open("/oauth2/authorize?" + Journey.query(asked))
    }

    @Test(
        "The page leads on to the password, and says where a new PIN is set, in each language",
        arguments: [
            ("en", "Forgot your PIN?", "Sign in with your password."),
            ("de", "PIN vergessen?", "mit Ihrem Passwort an."),
            ("fr", "Code PIN oublié ?", "avec votre mot de passe."),
            ("es", "¿Ha olvidado su PIN?", "con su contraseña."),
            ("bg", "Забравен ПИН код?", "Влезте с паролата си."),
        ])
    func leadsOn(tag: String, label: String, sentence: String) async throws {
        try await TestServer.serve { server, client in
            var visit = BrowserOverHTTP(client: client)
            let page = try await open(server, &visit, ["ui_locales": tag, "login_hint": "maria"])
            #expect(page.text.contains("value=\"forgot_pin\">\(label)</button>"), "\(page.text)")
            let next = try await visit.press("forgot_pin", on: page, at: "/sign-in")
            #expect(next.status == .ok)
            #expect(next.text.contains(sentence), "\(next.text)")
            #expect(next.text.contains(TestServer.issuer + "/account/security"))
            #expect(next.text.contains("value=\"maria\""))
            // From here on like any forgotten password.
            #expect(next.text.contains("value=\"forgot_password\""))
            let done = try await visit.press(
                "sign_in", on: next, at: "/sign-in", [("username", "maria"), ("password", "correct horse battery")])
            #expect(try done.redirectParameters["code"] != nil)
        }
    }

    @Test("Where the app has a page of its own for it, the link leads there, to the one that the request names")
    func ownPage() async throws {
        try await TestServer.serve { server, client in
            var visit = BrowserOverHTTP(client: client)
            let other = "https://app.example.com/other-reset"
            let page = try await open(
                server, &visit, ["reset_credentials_url": other], resetURLs: [Self.reset, other])
            #expect(page.text.contains("<a href=\"\(other)\" rel=\"noreferrer\">Forgot your PIN?</a>"), "\(page.text)")
            #expect(!page.text.contains("forgot_pin"))
            let plain = try await visit.open("/oauth2/authorize?" + Journey.query(["login_strategy": "PIN"]))
            #expect(plain.text.contains("<a href=\"\(Self.reset)\""), "\(plain.text)")
        }
    }
}
