import HTTPTypes
import HummingbirdTesting
import Kernel
import Operations
import Testing
import WalletAuthWire

@Suite("Recovery over HTTP")
struct RecoveryHTTPTests {
    private func code(_ server: TestServer) async throws -> String {
        let messages = try await server.server.messages?.recent(limit: 20) ?? []
        return try #require(messages.first { $0.kind == "password_recovery_code" }?.code)
    }

    @Test("The name typed to sign in is in the field of the recovery, also after a wrong password")
    func typedName() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            for (path, end) in [
                ("/oauth2/authorize?" + Journey.query(["login_hint": "hinted"]), BrowserOverHTTP.signInPage),
                (BrowserOverHTTP.accountPage, BrowserOverHTTP.accountPage),
            ] {
                var browser = BrowserOverHTTP(client: client)
                let page = try await browser.open(path)
                let button = "value=\"forgot_password\" form=\"sign-in\" formnovalidate>"
                #expect(page.text.contains(button), "\(page.text)")
                #expect(page.text.contains("accept-charset=\"utf-8\" id=\"sign-in\">"), "\(page.text)")
                // The whole form is sent, with a password that is not looked at.
                let typed = [("username", "ma<ria"), ("password", "")]
                let asked = try await browser.press("forgot_password", on: page, at: end, typed)
                #expect(asked.status == .ok)
                #expect(asked.text.contains("value=\"recover\""), "\(asked.text)")
                #expect(asked.text.contains("value=\"ma&lt;ria\""), "\(asked.text)")
                // "Cancel" leads back to the sign-in, and ends none.
                #expect(!asked.text.contains("value=\"cancel\""))
                let back = try await browser.press("use_password", on: asked, at: end, [("username", "ma<ria")])
                #expect(back.text.contains("value=\"sign_in\"") && back.text.contains("value=\"ma&lt;ria\""))
                let wrong = try await browser.press(
                    "sign_in", on: page, at: end, [("username", "maria"), ("password", "a wrong one")])
                #expect(wrong.text.contains("value=\"maria\""), "\(wrong.text)")
                #expect(wrong.text.contains(button), "\(wrong.text)")
            }
        }
    }

    @Test("The account's page says after a recovery on it that the password was changed")
    func recoveredOnTheAccountPage() async throws {
        try await TestServer.serve { server, client in
            var registration = AccountRegistration(username: "maria", password: "correct horse battery")
            registration.email = "maria@example.com"
            registration.emailVerified = true
            try await server.execute { [registration] in try await AccountAdministration($0).create(registration) }
            var browser = BrowserOverHTTP(client: client)
            let asked = try await browser.press("forgot_password", on: browser.open(BrowserOverHTTP.accountPage))
            let sent = try await browser.press("recover", on: asked, [("username", "maria")])
            let choosing = try await browser.press(
                "check_recovery_code", on: sent, [("recovery_answer", try await code(server))])
            let typed = [("new_password", "another phrase 8"), ("repeated_password", "another phrase 8")]
            let overview = try await browser.press("set_password", on: choosing, typed)
            #expect(overview.text.contains("Your password was changed."), "\(overview.text)")
        }
    }

    @Test("A phone that five wrong passwords closed is 423 to all but a recovery, which opens it with the new password")
    func closedPhone() async throws {
        // As if it had been enrolled a day ago.
        try await TestServer.use(settings: { $0.devices.coolingPeriod = .zero }) { server in
            try await server.serve { client in
                let phone = try await PhoneOverHTTP.enrolled(server, client)
                func signIn(_ password: String) async throws -> TestResponse {
                    try await phone.provedStep([
                        ("login_method", "password"), ("username", PhoneOverHTTP.username), ("password", password),
                    ])
                }
                for _ in 0..<4 { #expect(try await signIn("a wrong one").status == .unauthorized) }
                for password in ["a wrong one", PhoneOverHTTP.password] {
                    let closed = try await signIn(password)
                    #expect(closed.status.code == 423, "\(closed.text)")
                    #expect(try closed.member("error_code") == "device_deactivated")
                    #expect(try closed.json["status_code"]?.integer == 423)
                }
                let asked = try await phone.provedStep([
                    ("login_method", "recovery"), ("username", PhoneOverHTTP.username),
                ])
                #expect(asked.status == .badRequest)
                #expect(try asked.json["status_code"]?.integer == 412)
                #expect(try asked.member("error_code") == "recovery_code_required")
                let session = try #require(try asked.member("auth_session"))
                let next = try await phone.step([
                    ("auth_session", session), ("recovery_answer", try await code(server)),
                ])
                #expect(next.status == .forbidden, "\(next.text)")
                #expect(try next.member("error_code") == "password_change_required")
                #expect(try next.json["status_code"]?.integer == 508)
                #expect(try await signIn(PhoneOverHTTP.password).status.code == 423, "not before the new password")
                let choosing = try #require(try next.member("auth_session"))
                let done = try await phone.step([("auth_session", choosing), ("new_password", "another phrase 8")])
                #expect(done.status == .ok, "\(done.text)")
                let signedIn = try await signIn("another phrase 8")
                #expect(signedIn.status == .ok, "\(signedIn.text)")
            }
        }
    }
}
