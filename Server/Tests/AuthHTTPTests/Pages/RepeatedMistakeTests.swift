import Core
import HTTPTypes
import HummingbirdTesting
import Operations
import Testing
import WalletAuthWire

@testable import AppleStandIn
@testable import Consent
@testable import HTTP
@testable import Kernel
@testable import SignIn
@testable import Store
@testable import Transactions
@testable import Web

/// A browser that reloads the page after a wrong secret posts the form before it again, field by field.
@Suite(
    "Reloading the page after a wrong secret", .covers("a form in a second tab, a double click or a reload fails"))
struct RepeatedMistakeTests {
    private static let signInPage = BrowserOverHTTP.signInPage
    private static let pin = "804613972558"

    private func typed(_ password: String) -> [(String, String)] { [("username", "maria"), ("password", password)] }

    /// A page that is the same for all its forms.
    private func text(of page: TestResponse) -> String { page.text.replacing(/value="[^"]*"/, with: "") }

    @Test("On the sign-in page, a reload is the same page and no try; another password in the same form is one")
    func password() async throws {
        try await TestServer.use(settings: { $0.lockout.network.failures = 3 }) { server in
            try await server.serve { client in
                try await server.makeBearerClient()
                try await server.makeAccount()
                var browser = BrowserOverHTTP(client: client)
                let page = try await browser.open("/oauth2/authorize?" + Journey.query())
                for wrong in ["a wrong one", "another wrong one", "a third wrong one"] {
                    let refused = try await browser.press("sign_in", on: page, at: Self.signInPage, typed(wrong))
                    #expect(refused.status == .badRequest)
                    for _ in 0..<4 {
                        let again = try await browser.press("sign_in", on: page, at: Self.signInPage, typed(wrong))
                        #expect(again.status == .badRequest)
                        #expect(text(of: again) == text(of: refused))
                    }
                }
                // The three were counted.
                let held = try await browser.press("sign_in", on: page, at: Self.signInPage, typed("a fourth"))
                #expect(held.status == .tooManyRequests)
            }
        }
    }

    @Test("The same wrong password counts again in every other form, and in another browser")
    func otherForms() async throws {
        try await TestServer.use(settings: { $0.lockout.network.failures = 3 }) { server in
            try await server.serve { client in
                try await server.makeBearerClient()
                try await server.makeAccount()
                var browser = BrowserOverHTTP(client: client)
                for _ in 0..<2 {
                    let page = try await browser.open("/oauth2/authorize?" + Journey.query())
                    let refused = try await browser.press(
                        "sign_in", on: page, at: Self.signInPage, typed("a wrong one"))
                    #expect(refused.status == .badRequest)
                }
                var other = BrowserOverHTTP(client: client)
                for status in [HTTPResponse.Status.badRequest, .tooManyRequests] {
                    let page = try await other.open("/oauth2/authorize?" + Journey.query())
                    let refused = try await other.press("sign_in", on: page, at: Self.signInPage, typed("a wrong one"))
                    #expect(refused.status == status)
                }
            }
        }
    }

    @Test("After Back, the right password in the form that was refused signs in, and the wrong one is still wrong")
    func back() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount()
            var browser = BrowserOverHTTP(client: client)
            let page = try await browser.open("/oauth2/authorize?" + Journey.query())
            for _ in 0..<2 {
                let refused = try await browser.press("sign_in", on: page, at: Self.signInPage, typed("a wrong one"))
                #expect(refused.status == .badRequest)
            }
            let right = try await browser.press(
                "sign_in", on: page, at: Self.signInPage, typed("correct horse battery"))
            #expect(try right.redirectParameters["code"] != nil)
        }
    }

    @Test("Ten reloads after a wrong account PIN lock nothing: the right one signs in")
    func accountPIN() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            try await server.makeAccount()
            try await server.execute(["brand", "update", "default", "--account-pin", "on"])
            var browser = BrowserOverHTTP(client: client)
            let manage = try await browser.press("manage_pin", on: browser.signIn())
            let set = try await browser.press(
                "set_pin", on: manage, [("new_pin", Self.pin), ("repeated_pin", Self.pin)])
            #expect(set.status == .ok, "\(set.text)")
            var visit = BrowserOverHTTP(client: client)
            let page = try await visit.open("/oauth2/authorize?" + Journey.query(["login_strategy": "PIN"]))
            func enter(_ pin: String) async throws -> TestResponse {
                try await visit.press(
                    "sign_in_by_pin", on: page, at: Self.signInPage, [("username", "maria"), ("pin", pin)])
            }
            for _ in 0...10 { #expect(try await enter("170395826641").status == .badRequest) }
            let right = try await enter(Self.pin)
            #expect(try right.redirectParameters["code"] != nil)
        }
    }

    @Test("Ten reloads after a wrong code leave the second factor its tries, which other codes use up")
    func secondFactor() async throws {
        try await TestServer.serve { server, client in
            var registration = AccountRegistration(username: "maria", password: "correct horse battery")
            registration.email = "maria@example.com"
            registration.emailVerified = true
            try await server.execute { try await AccountAdministration($0).create(registration) }
            var browser = BrowserOverHTTP(client: client)
            let asked = try await browser.signIn()
            let message = try await server.server.messages?.recent(limit: 10).first
            let code = try #require(message?.code)
            let digits = try #require(Int(code))
            /// Another code of as many digits.
            func wrong(_ number: Int) -> String {
                let text = String((digits + number) % 1_000_000)
                return String(repeating: "0", count: code.count - text.count) + text
            }
            for _ in 0...10 {
                let refused = try await browser.press("answer_factor", on: asked, [("answer", wrong(1))])
                #expect(refused.text.contains("aria-invalid=\"true\""), "\(refused.text)")
            }
            for number in 2...4 {
                let refused = try await browser.press("answer_factor", on: asked, [("answer", wrong(number))])
                #expect(refused.text.contains("aria-invalid=\"true\""), "\(refused.text)")
            }
            let right = try await browser.press("answer_factor", on: asked, [("answer", code)])
            #expect(right.text.contains("You are signed in as maria."), "\(right.text)")
        }
    }

    @Test("Reloads after an authenticator app's wrong code on the account page leave the right code its way")
    func authenticator() async throws {
        try await TestServer.serve { server, client in
            try await server.makeAccount()
            var browser = BrowserOverHTTP(client: client)
            let waiting = try await browser.press("set_up_authenticator", on: browser.signIn())
            let secret = try #require(waiting.text.firstMatch(of: /secret=([A-Z2-7]+)/)).1
            let bytes = try #require(Base32.decode(String(secret)))
            let code = TOTP.code(at: TOTP.stepNumber(at: SystemClock().now()), secret: bytes)
            let wrong = String(code.reversed()) == code ? "000000" : String(code.reversed())
            for _ in 0...20 {
                let refused = try await browser.press("confirm_authenticator", on: waiting, [("code", wrong)])
                #expect(refused.status == .badRequest)
                #expect(refused.text.contains(String(secret)))
            }
            let done = try await browser.press("confirm_authenticator", on: waiting, [("code", code)])
            #expect(done.text.contains("The authenticator app is on."), "\(done.text)")
        }
    }
}
