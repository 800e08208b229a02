import Core
import HTTPTypes
import HummingbirdTesting
import Operations
import Testing

@testable import HTTP
@testable import Web

/// What a person typed is the form's business, whatever it is; the page for developers is for requests that no form of ours sends.
@Suite("Fields of the pages that do not parse")
struct TypedFieldTests {
    /// Each is no password, no code and no user name.
    private static let unusable = ["", "\t", "a\tb", "\u{7}", String(repeating: "x", count: 1_100)]

    private func expectForm(_ answer: TestResponse, with field: String, after text: String) throws {
        #expect(answer.status == .badRequest, "\(text.debugDescription)")
        #expect(answer.text.contains("name=\"\(field)\""), "\(text.debugDescription): \(answer.text)")
        #expect(answer.text.contains("id=\"notice\""), "\(text.debugDescription)")
        #expect(!answer.text.contains("<details"), "\(text.debugDescription)")
    }

    private func form(_ browser: inout BrowserOverHTTP) async throws -> TestResponse {
        try await browser.open("/oauth2/authorize?" + Journey.query())
    }

    @Test("A password, a user name, and a name to recover")
    func credentials() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await server.makeAccount()
            var browser = BrowserOverHTTP(client: client)
            let page = try await form(&browser)
            for text in Self.unusable {
                for login in [[("username", "maria"), ("password", text)], [("username", text), ("password", "a")]] {
                    let answer = try await browser.press("sign_in", on: page, at: "/sign-in", login)
                    try expectForm(answer, with: "password", after: text)
                    #expect(answer.text.contains(HTMLEscaping().escapeText(Language.english.text[.invalidCredentials])))
                }
                let asked = try await browser.press("recover", on: page, at: "/sign-in", [("username", text)])
                try expectForm(asked, with: "username", after: text)
            }
        }
    }

    @Test("The code that confirms an address, and the code of a recovery")
    func codes() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            var account = AccountRegistration(username: "maria", password: "correct horse battery")
            account.email = "maria@example.com"
            try await server.execute { try await AccountAdministration($0).create(account) }
            var browser = BrowserOverHTTP(client: client)
            let page = try await form(&browser)
            let login = [("username", "maria"), ("password", "correct horse battery")]
            let asked = try await browser.press("sign_in", on: page, at: "/sign-in", login)
            let recovery = try await browser.press("recover", on: page, at: "/sign-in", [("username", "maria")])
            for text in Self.unusable + ["12 34", "код"] {
                let answer = try await browser.press("check_code", on: asked, at: "/sign-in", [("email_code", text)])
                try expectForm(answer, with: "email_code", after: text)
                let recovered = try await browser.press(
                    "check_recovery_code", on: recovery, at: "/sign-in", [("recovery_answer", text)])
                try expectForm(recovered, with: "recovery_answer", after: text)
            }
        }
    }

    @Test("A new password that no one can have is explained at its field")
    func newPassword() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            try await server.makeAccount()
            try await server.execute(["account", "expire-password", "maria"])
            var browser = BrowserOverHTTP(client: client)
            let login = [("username", "maria"), ("password", "correct horse battery")]
            let first = try await form(&browser)
            let page = try await browser.press("sign_in", on: first, at: "/sign-in", login)
            for text in Self.unusable.dropFirst() {
                let answer = try await browser.press(
                    "set_password", on: page, at: "/sign-in", [("new_password", text), ("repeated_password", text)])
                try expectForm(answer, with: "new_password", after: text)
                #expect(answer.text.contains(HTMLEscaping().escapeText(Language.english.text[.passwordUnusable])))
            }
        }
    }

    @Test("A field that our pages never leave out is a malformed request")
    func missing() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            var browser = BrowserOverHTTP(client: client)
            let page = try await form(&browser)
            let answer = try await browser.press("sign_in", on: page, at: "/sign-in", [("username", "maria")])
            #expect(answer.status == .badRequest)
            #expect(answer.text.contains("<details"))
        }
    }
}
